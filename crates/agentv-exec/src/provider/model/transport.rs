//! Sends a request until it is answered, refused, or out of time.
//!
//! Time in the queue of the gate counts for nothing: neither for the deadline nor for how long an
//! answer took. Everything else counts for both: every try, every wait between two of them, and the
//! time behind a gate that is closed because the service wants to hear from nobody for a while.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::Duration,
};

use agentv_base::{Failure, FailureKind, Redactor, Stop, StopLevel};
use reqwest::{
    Client, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::{
    attempt::{Attempt, Heard, Trouble},
    complaint::{Called, Discretion},
    gate::{Gate, Place},
    retry::{Fault, Next, Reason},
    sending::Sending,
    wire::{Outgoing, Wire},
};
use crate::provider::network::Network;

/// Longer than any run.
const CENTURY: Duration = Duration::from_hours(24 * 365 * 100);

/// How a target is reached.
pub(super) struct Transport {
    pub(super) name: Arc<str>,
    pub(super) sending: Sending,
    /// The deadline of one answer.
    pub(super) timeout: Option<Duration>,
    pub(super) gate: Arc<Gate>,
    pub(super) network: Arc<Network>,
    pub(super) stop: Stop,
    pub(super) redactor: Redactor,
    /// Hears of every try, where somebody wants to know.
    pub(super) journal: Option<Journal>,
    pub(super) called: Called,
}

type Journal = Arc<dyn Fn(&str) + Send + Sync>;

/// An answer, and what it took to get it.
pub(super) struct Delivery {
    pub(super) heard: Heard,
    pub(super) tries: u32,
    pub(super) duration: Duration,
    /// Where it came from, without anything secret.
    pub(super) url: String,
}

/// How far a question has come.
struct Journey {
    /// Moved on by the time in the queue.
    begun: Instant,
    deadline: Option<Instant>,
    tries: u32,
    /// What went wrong last.
    trouble: Option<Trouble>,
}

impl Transport {
    /// Asks until there is an answer. Nothing is left under way when the run is stopped.
    pub(super) async fn ask(
        &self,
        wire: &dyn Wire,
        outgoing: &Outgoing,
        discretion: &Discretion,
    ) -> Result<Delivery, Failure> {
        tokio::select! {
            biased;
            () = self.stop.reached(StopLevel::Terminate) => {
                Err(Failure::new(FailureKind::Interrupted, "interrupted"))
            }
            asked = self.ask_until_answered(wire, outgoing, discretion) => asked,
        }
    }

    async fn ask_until_answered(
        &self,
        wire: &dyn Wire,
        outgoing: &Outgoing,
        discretion: &Discretion,
    ) -> Result<Delivery, Failure> {
        let (client, request, url) = self.prepare(outgoing, discretion)?;
        let attempt = Attempt { wire, discretion, url: &url, called: self.called };
        let begun = Instant::now();
        let mut journey = Journey {
            begun,
            deadline: self.timeout.and_then(|timeout| begun.checked_add(timeout)),
            tries: 0,
            trouble: None,
        };
        loop {
            let place = self.enter(&mut journey).await?;
            journey.tries += 1;
            let sent = Instant::now();
            // A body of bytes can always be sent again.
            let Some(request) = request.try_clone() else {
                return Err(Failure::new(FailureKind::Refused, "the request cannot be sent again"));
            };
            let outcome = attempt.run(&client, request, self.sending.connect_timeout);
            let outcome = match journey.deadline {
                Some(deadline) => timeout_at(deadline, outcome).await,
                None => Ok(outcome.await),
            };
            let Ok(outcome) = outcome else { return Err(self.out_of_time(&journey)) };
            let trouble = match outcome {
                Ok(heard) => {
                    place.answered();
                    self.tell(&format!("{} in {}", heard.status, seconds(sent.elapsed())));
                    let (tries, duration) = (journey.tries, journey.begun.elapsed());
                    return Ok(Delivery { heard, tries, duration, url });
                }
                Err(trouble) => trouble,
            };
            learn(&place, &trouble);
            drop(place);
            self.wait(&mut journey, trouble, sent.elapsed()).await?;
        }
    }

    /// The request as it is sent, perhaps several times, and where to, as it may be shown.
    fn prepare(
        &self,
        outgoing: &Outgoing,
        discretion: &Discretion,
    ) -> Result<(Client, reqwest::Request, String), Failure> {
        let refused = |message: String| Failure::new(FailureKind::Refused, message);
        let mut url = Url::parse(&outgoing.url).map_err(|error| {
            refused(format!("`{}` is no address: {error}", discretion.show(&outgoing.url)))
        })?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in &outgoing.headers {
            let unfit = || {
                let name = discretion.show(name);
                refused(format!("header `{name}` holds what no header may hold"))
            };
            let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit())?;
            let mut value =
                HeaderValue::from_bytes(value.trim().as_bytes()).map_err(|_| unfit())?;
            value.set_sensitive(true);
            headers.insert(header, value);
        }
        let body = serde_json::to_vec(&outgoing.body)
            .map_err(|error| refused(format!("the request cannot be written: {error}")))?;
        let client = self
            .network
            .client(&outgoing.url, self.sending.connect_timeout)
            .map_err(|fault| Failure::new(FailureKind::Connection, fault.to_string()))?;
        let request = client.post(url.clone()).headers(headers).body(body).build();
        let request = request.map_err(|error| {
            refused(format!("the request cannot be written: {}", error.without_url()))
        })?;
        // Neither can fail for an address that has a host.
        let _ = (url.set_username(""), url.set_password(None));
        let shown = discretion.hide(url.as_str());
        Ok((client, request, shown))
    }

    /// A place to send from, when the service wants to hear from us.
    async fn enter(&self, journey: &mut Journey) -> Result<Place, Failure> {
        let queued = Instant::now();
        let mut place = self.gate.place().await;
        let in_queue = queued.elapsed();
        journey.begun += in_queue;
        journey.deadline = journey.deadline.map(|deadline| deadline + in_queue);
        while let Some(until) = self.gate.closed_until() {
            if journey.deadline.is_some_and(|deadline| until >= deadline) {
                return Err(self.shut_out(journey.trouble.take(), journey));
            }
            sleep_until(until).await;
        }
        place.set_off();
        Ok(place)
    }

    /// Waits before the next try, or says why there is none.
    async fn wait(
        &self,
        journey: &mut Journey,
        trouble: Trouble,
        took: Duration,
    ) -> Result<(), Failure> {
        let now = Instant::now();
        let left = journey.deadline.map(|deadline| deadline.saturating_duration_since(now));
        let Trouble { fault, retry_after, .. } = trouble;
        let next = self.sending.retry.next(journey.tries, fault, retry_after, left, chance());
        let told = format!("try {}: {} (after {})", journey.tries, trouble.what, seconds(took));
        match next {
            Next::Wait(wait) => {
                self.tell(&format!("{told}; again in {}", seconds(wait)));
                journey.trouble = Some(trouble);
                sleep(wait).await;
                Ok(())
            }
            Next::GiveUp(reason) => {
                self.tell(&told);
                Err(self.given_up(trouble, reason, journey))
            }
        }
    }

    fn given_up(&self, trouble: Trouble, reason: Reason, journey: &Journey) -> Failure {
        let kind = match (trouble.fault, reason) {
            (Fault::Status(_), Reason::Final) => FailureKind::Refused,
            (Fault::Status(_), Reason::Exhausted | Reason::Late) => FailureKind::Http,
            (Fault::Connection | Fault::Garbled | Fault::Unusable, _) => trouble.kind,
        };
        let mut asides = Vec::from_iter(journey.effort());
        if reason == Reason::Late {
            let deadline = self.timeout.map(seconds).unwrap_or_default();
            asides.push(format!("another try would come after the deadline of {deadline}"));
        }
        let asides =
            if asides.is_empty() { String::new() } else { format!(" ({})", asides.join("; ")) };
        let hint = trouble.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        journey.failed(kind, format!("{}{asides}{hint}", trouble.what))
    }

    /// The deadline came while a try was under way.
    fn out_of_time(&self, journey: &Journey) -> Failure {
        let limit = self.timeout.map(seconds).unwrap_or_default();
        let effort = journey.effort().map(|effort| format!(" ({effort})")).unwrap_or_default();
        let before = journey.trouble.as_ref();
        let before = before.map(|it| format!("; before that, {}", it.what)).unwrap_or_default();
        self.tell(&format!("try {}: timed out", journey.tries));
        journey.failed(FailureKind::Timeout, format!("timed out after {limit}{effort}{before}"))
    }

    /// The service wants to hear from nobody until after the deadline.
    fn shut_out(&self, trouble: Option<Trouble>, journey: &Journey) -> Failure {
        if let Some(trouble) = trouble {
            return self.given_up(trouble, Reason::Late, journey);
        }
        let limit = self.timeout.map(seconds).unwrap_or_default();
        let message = format!(
            "it was not asked: it answered 429 to another request and wants to be left alone until \
             after the deadline of {limit}"
        );
        journey.failed(FailureKind::Http, message)
    }

    fn tell(&self, what: &str) {
        if let Some(journal) = &self.journal {
            journal(&self.redactor.redact(&format!("{}: {what}", self.name)));
        }
    }
}

impl Journey {
    /// How often it was tried, where it was more than once. Nothing measured is in it: cases with
    /// the same cause have the same message, and are shown together.
    fn effort(&self) -> Option<String> {
        (self.tries > 1).then(|| format!("asked {} times", self.tries))
    }

    fn failed(&self, kind: FailureKind, message: String) -> Failure {
        let duration_ms = Some(super::millis(self.begun.elapsed()));
        Failure { duration_ms, ..Failure::new(kind, message) }
    }
}

/// What a refusal says about everyone's requests.
fn learn(place: &Place, trouble: &Trouble) {
    if trouble.fault == Fault::Status(429) {
        let now = Instant::now();
        // A moment that no clock has is as good as one that nobody lives to see.
        let until = |wait| now.checked_add(wait).or_else(|| now.checked_add(CENTURY));
        place.refused(trouble.retry_after.and_then(until));
    }
}

fn seconds(duration: Duration) -> String {
    format!("{} s", (duration.as_secs_f64() * 1e3).round() / 1e3)
}

/// A number from 0 to 1 that nobody else has: hashers are seeded anew each time.
fn chance() -> f64 {
    RandomState::new().hash_one(0_u8) as f64 / u64::MAX as f64
}

#[cfg(test)]
#[path = "transport_tests.rs"]
mod tests;
