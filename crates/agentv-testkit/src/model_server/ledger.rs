//! What a server knows: its script, what it was asked, and who is still waiting.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    time::Duration,
};

use super::{
    answer::Answer,
    asked::Asked,
    http::Incoming,
    vendor::{self, Refusal},
};

/// Whoever waits so long waits in vain.
const DEADLINE: Duration = Duration::from_mins(2);

pub(super) type Script = dyn Fn(&Asked) -> Answer + Send + Sync;

#[derive(Default)]
pub(super) struct Ledger {
    pages: Mutex<Pages>,
    turned: Condvar,
}

#[derive(Default)]
pub(super) struct Pages {
    pub(super) key: Option<String>,
    pub(super) queue: VecDeque<Answer>,
    pub(super) script: Option<Arc<Script>>,
    /// Whether anything was ever put into the queue.
    pub(super) is_scripted: bool,
    pub(super) asked: Vec<Asked>,
    /// The numbers of those that were not answered yet.
    under_way: BTreeSet<usize>,
    pub(super) most_at_once: usize,
    /// Requests that are held and may go, besides all of them where the gate is open.
    may_go: usize,
    gate_is_open: bool,
    pub(super) held: usize,
    /// Clients that did not wait for an answer that never came.
    pub(super) gave_up: usize,
    ended: bool,
}

impl Ledger {
    pub(super) fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap()
    }

    /// Writes a request down, and says what is answered to it.
    pub(super) fn arrived(&self, incoming: Incoming) -> (Asked, Result<Answer, Refusal>) {
        let mut pages = self.pages();
        let mut asked = Asked::new(pages.asked.len(), incoming);
        let checked = vendor::check(&asked, pages.key.as_deref());
        asked.refused = checked.as_ref().err().map(|refusal| refusal.status);
        asked.beside = pages.under_way.iter().copied().collect();
        pages.under_way.insert(asked.number);
        pages.most_at_once = pages.most_at_once.max(pages.under_way.len());
        pages.asked.push(asked.clone());
        let answer = checked.map(|()| pages.queue.pop_front());
        let (script, is_scripted) = (pages.script.clone(), pages.is_scripted);
        drop(pages);
        self.turned.notify_all();
        let answer = answer.map(|queued| match (queued, script) {
            (Some(answer), _) => answer,
            // Outside of the lock: it is the test's, and may look at the server.
            (None, Some(script)) => script(&asked),
            (None, None) if is_scripted => Answer::raw(418, "text/plain", "the script is over"),
            (None, None) => Answer::text("ok"),
        });
        (asked, answer)
    }

    /// From now on the request is the client's business: it may send the next one.
    pub(super) fn answering(&self, asked: &Asked) {
        self.pages().under_way.remove(&asked.number);
        self.turned.notify_all();
    }

    /// Waits until the test lets the request go; says whether it did before the server ended.
    pub(super) fn hold(&self) -> bool {
        let mut pages = self.pages();
        pages.held += 1;
        self.turned.notify_all();
        let mut pages = self
            .turned
            .wait_while(pages, |pages| !pages.ended && !pages.gate_is_open && pages.may_go == 0)
            .unwrap();
        pages.held -= 1;
        if !pages.gate_is_open {
            pages.may_go = pages.may_go.saturating_sub(1);
        }
        !pages.ended
    }

    pub(super) fn release_some(&self, count: usize) {
        self.pages().may_go += count;
        self.turned.notify_all();
    }

    pub(super) fn release(&self) {
        self.pages().gate_is_open = true;
        self.turned.notify_all();
    }

    pub(super) fn client_gave_up(&self) {
        self.pages().gave_up += 1;
        self.turned.notify_all();
    }

    pub(super) fn end(&self) {
        self.pages().ended = true;
        self.turned.notify_all();
    }

    /// Waits until something holds; panics where it never does.
    pub(super) fn wait(&self, what: &str, holds: impl Fn(&Pages) -> bool) {
        let pages = self.pages();
        let (pages, waited) =
            self.turned.wait_timeout_while(pages, DEADLINE, |pages| !holds(pages)).unwrap();
        let (asked, held) = (pages.asked.len(), pages.held);
        drop(pages);
        assert!(!waited.timed_out(), "waited in vain until {what}: {asked} asked, {held} held");
    }
}
