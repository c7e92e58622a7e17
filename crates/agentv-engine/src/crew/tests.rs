//! Jobs that are done at once, that wait, that panic, and that nobody waits for.

use std::sync::{Condvar, atomic::AtomicUsize, atomic::Ordering};

use agentv_base::{Answer, Assessment, BoxFuture, Failure, Response};
use tokio::sync::Semaphore;

use super::*;
use crate::{plan::Slot, sample::OneAnswer};

/// What graders do with the case at a place of the plan.
enum Does {
    Grades,
    Panics,
    /// Until it is let through.
    Waits,
    /// Without ever giving the thread away, until it is let through.
    Computes,
}

struct Graders {
    does: fn(usize) -> Does,
    gate: Semaphore,
    computed: (Mutex<bool>, Condvar),
    waiting: AtomicUsize,
    most_waiting: AtomicUsize,
}

impl Graders {
    fn new(does: fn(usize) -> Does) -> Arc<Self> {
        Arc::new(Self {
            does,
            gate: Semaphore::new(0),
            computed: Default::default(),
            waiting: AtomicUsize::new(0),
            most_waiting: AtomicUsize::new(0),
        })
    }
}

impl Assessor for Graders {
    fn assess<'a>(
        &'a self,
        case: usize,
        _: &'a str,
        _: u32,
        _: &'a Response,
    ) -> BoxFuture<'a, Option<Assessment>> {
        Box::pin(async move {
            match (self.does)(case) {
                Does::Grades => {}
                Does::Panics => panic!("on purpose"),
                Does::Waits => {
                    let now = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
                    self.most_waiting.fetch_max(now, Ordering::SeqCst);
                    self.gate.acquire().await.unwrap().forget();
                    self.waiting.fetch_sub(1, Ordering::SeqCst);
                }
                Does::Computes => {
                    let done = self.computed.0.lock().unwrap();
                    drop(self.computed.1.wait_while(done, |done| !*done).unwrap());
                }
            }
            Some(Assessment { results: Vec::new(), grade: Err(String::new()), threshold: 0.5 })
        })
    }
}

/// A crew that has so many jobs, and what it says.
fn crew(graders: &Arc<Graders>, jobs: usize, most: usize) -> (Crew, mpsc::Receiver<Message>) {
    let target =
        crate::plan::PlannedTarget { name: "t".into(), provider: Arc::new(Nobody), workers: 1 };
    let plan = Plan {
        slots: (0..jobs).map(|case| Slot { case, target: 0, repeat: 1 }).collect(),
        targets: vec![target],
        ..Plan::default()
    };
    let (sender, messages) = mpsc::channel(1000);
    let assessor: Arc<dyn Assessor> = Arc::clone(graders) as Arc<dyn Assessor>;
    let crew = Crew::new(Arc::new(plan), Some(assessor), sender, most);
    crew.lay_out(0, Arc::new(OneAnswer));
    crew.take((0..jobs).map(job).collect());
    (crew, messages)
}

fn job(index: usize) -> Job {
    Job::new(0, index, index)
}

/// Is never asked.
struct Nobody;

impl agentv_base::Provider for Nobody {
    fn batching(&self) -> agentv_base::Batching {
        agentv_base::Batching::Single
    }

    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn invoke(
        &self,
        _: Vec<agentv_base::Request>,
    ) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        Box::pin(async { Ok(Arc::new(OneAnswer) as Arc<dyn Answers>) })
    }
}

fn word(settlement: &Settlement) -> &'static str {
    match settlement {
        Settlement::Done(_) => "done",
        Settlement::NotAnswered(_) => "failed",
        Settlement::Interrupted(_) => "interrupted",
    }
}

/// The next so many that come back, by index, and in how many messages they came.
async fn come_back(
    messages: &mut mpsc::Receiver<Message>,
    count: usize,
) -> (Vec<(usize, &'static str)>, usize) {
    let (mut all, mut groups) = (Vec::new(), 0);
    while all.len() < count {
        if let Message::Settled(some) = messages.recv().await.unwrap() {
            groups += 1;
            all.extend(some.iter().map(|it| (it.index, word(&it.settlement))));
        }
    }
    all.sort_unstable();
    (all, groups)
}

#[tokio::test]
async fn every_job_comes_back_once_and_quick_ones_come_together() {
    let graders = Graders::new(|_| Does::Grades);
    let (_crew, mut messages) = crew(&graders, 500, 8);
    let (all, groups) = come_back(&mut messages, 500).await;
    assert!(all.into_iter().eq((0..500).map(|index| (index, "done"))));
    assert!(groups < 250, "{groups} messages");
}

#[tokio::test]
async fn a_panic_is_the_fault_of_one_case() {
    let graders = Graders::new(|case| if case == 1 { Does::Panics } else { Does::Grades });
    let (_crew, mut messages) = crew(&graders, 3, 8);
    let (all, _) = come_back(&mut messages, 3).await;
    assert_eq!(all, [(0, "done"), (1, "failed"), (2, "done")]);
}

#[tokio::test]
async fn so_is_an_answer_that_cannot_be_taken() {
    struct Broken;
    impl Answers for Broken {
        fn settle(&self, index: usize) -> Answer {
            if index == 0 { panic!("on purpose") } else { OneAnswer.settle(index) }
        }
    }
    let graders = Graders::new(|_| Does::Grades);
    let (crew, mut messages) = crew(&graders, 1, 8);
    come_back(&mut messages, 1).await;
    crew.lay_out(1, Arc::new(Broken));
    crew.put_away(0);
    crew.take(vec![Job::new(1, 0, 0), Job::new(0, 1, 0), Job::new(1, 2, 0)]);
    let (all, _) = come_back(&mut messages, 3).await;
    assert_eq!(all, [(0, "failed"), (1, "failed"), (2, "done")]);
}

#[tokio::test]
async fn what_is_cleared_away_does_not_pile_up_and_does_not_stay() {
    let graders = Graders::new(|_| Does::Computes);
    let (crew, mut messages) = crew(&graders, 1, 8);
    let seen: Arc<str> = Arc::from("seen");
    let event = || RunEvent::Grading {
        unit: 0,
        index: 0,
        target: Arc::clone(&seen),
        id: "a".into(),
        repeat: 1,
    };
    for _ in 0..MOST_SPENT + 5 {
        crew.clear_away(vec![event()]);
    }
    assert_eq!(Arc::strong_count(&seen), 1 + MOST_SPENT);
    *graders.computed.0.lock().unwrap() = true;
    graders.computed.1.notify_all();
    come_back(&mut messages, 1).await;
    while !crew.0.state().hands.is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    crew.clear_away(vec![event()]);
    assert!(crew.0.state().spent.is_empty());
}

#[tokio::test]
async fn what_waits_is_told_and_is_in_nobodys_way() {
    let graders = Graders::new(|case| if case < 3 { Does::Waits } else { Does::Grades });
    let (_crew, mut messages) = crew(&graders, 6, 4);
    let (mut told, mut quick) = (Vec::new(), Vec::new());
    while told.len() < 3 || quick.len() < 3 {
        match messages.recv().await.unwrap() {
            Message::Grading { index, slot, .. } => told.push((index, slot)),
            Message::Settled(some) => quick.extend(some.iter().map(|it| (it.index, it.alone))),
            Message::Plain { .. } => unreachable!(),
        }
    }
    told.sort_unstable();
    assert_eq!(told, [(0, 0), (1, 1), (2, 2)]);
    assert_eq!(quick, [(3, false), (4, false), (5, false)]);
    graders.gate.add_permits(3);
    let (rest, _) = come_back(&mut messages, 3).await;
    assert_eq!(rest, [(0, "done"), (1, "done"), (2, "done")]);
}

#[tokio::test]
async fn no_more_are_graded_at_once_than_may_be() {
    let graders = Graders::new(|_| Does::Waits);
    let (_crew, mut messages) = crew(&graders, 20, 3);
    graders.gate.add_permits(20);
    let (all, _) = come_back(&mut messages, 20).await;
    assert_eq!(all.len(), 20);
    assert!(graders.most_waiting.load(Ordering::SeqCst) <= 3);
}

#[tokio::test]
async fn one_that_computes_does_not_hold_up_what_comes_after_it() {
    let graders = Graders::new(|case| if case == 0 { Does::Computes } else { Does::Grades });
    let (_crew, mut messages) = crew(&graders, 200, 8);
    // It took a few of them with it; the others are graded by another hand.
    let (quick, _) = come_back(&mut messages, 200 - DOZEN).await;
    assert!(quick.iter().all(|it| it.1 == "done" && it.0 >= DOZEN), "{quick:?}");
    *graders.computed.0.lock().unwrap() = true;
    graders.computed.1.notify_all();
    let (rest, _) = come_back(&mut messages, DOZEN).await;
    assert!(rest.into_iter().eq((0..DOZEN).map(|index| (index, "done"))));
}
