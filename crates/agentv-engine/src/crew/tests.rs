//! Jobs that are done at once, that wait, that panic, and that nobody waits for.

use std::sync::{Condvar, atomic::AtomicUsize, atomic::Ordering};

use agentv_base::{Answer, Assessment, BoxFuture, Failure, Response};
use tokio::sync::{Semaphore, mpsc};

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

/// What a hand said.
enum Said {
    Grading { index: usize, slot: usize },
    Settled(Vec<Settled>),
}

/// A crew that has so many jobs, and what it says.
fn crew(graders: &Arc<Graders>, jobs: usize, most: usize) -> (Crew, mpsc::UnboundedReceiver<Said>) {
    let target =
        crate::plan::PlannedTarget { name: "t".into(), provider: Arc::new(Nobody), workers: 1 };
    let plan = Plan {
        slots: (0..jobs).map(|case| Slot { case, target: 0, repeat: 1 }).collect(),
        targets: vec![target],
        ..Plan::default()
    };
    let (sender, said) = mpsc::unbounded_channel();
    let report: Report = Box::new(move |news| {
        let _ = sender.send(match news {
            News::Grading { index, slot, .. } => Said::Grading { index, slot },
            News::Settled(all) => Said::Settled(std::mem::take(all)),
        });
    });
    let assessor: Arc<dyn Assessor> = Arc::clone(graders) as Arc<dyn Assessor>;
    let crew = Crew::new(Arc::new(plan), Some(assessor), report, most);
    crew.lay_out(0, Arc::new(OneAnswer));
    crew.take((0..jobs).map(job).collect());
    (crew, said)
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

/// The next so many that come back, by index, and in how many groups they came.
async fn come_back(
    said: &mut mpsc::UnboundedReceiver<Said>,
    count: usize,
) -> (Vec<(usize, &'static str)>, usize) {
    let (mut all, mut groups) = (Vec::new(), 0);
    while all.len() < count {
        if let Said::Settled(some) = said.recv().await.unwrap() {
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
    let (_crew, mut said) = crew(&graders, 500, 8);
    let (all, groups) = come_back(&mut said, 500).await;
    assert!(all.into_iter().eq((0..500).map(|index| (index, "done"))));
    assert!(groups < 250, "{groups} groups");
}

#[tokio::test]
async fn a_panic_is_the_fault_of_one_case() {
    let graders = Graders::new(|case| if case == 1 { Does::Panics } else { Does::Grades });
    let (_crew, mut said) = crew(&graders, 3, 8);
    let (all, _) = come_back(&mut said, 3).await;
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
    let (crew, mut said) = crew(&graders, 1, 8);
    come_back(&mut said, 1).await;
    crew.lay_out(1, Arc::new(Broken));
    crew.put_away(0);
    crew.take(vec![Job::new(1, 0, 0), Job::new(0, 1, 0), Job::new(1, 2, 0)]);
    let (all, _) = come_back(&mut said, 3).await;
    assert_eq!(all, [(0, "failed"), (1, "failed"), (2, "done")]);
}

#[tokio::test]
async fn what_waits_is_told_and_is_in_nobodys_way() {
    let graders = Graders::new(|case| if case < 3 { Does::Waits } else { Does::Grades });
    let (_crew, mut said) = crew(&graders, 6, 4);
    let (mut told, mut quick) = (Vec::new(), Vec::new());
    while told.len() < 3 || quick.len() < 3 {
        match said.recv().await.unwrap() {
            Said::Grading { index, slot } => told.push((index, slot)),
            Said::Settled(some) => quick.extend(some.iter().map(|it| (it.index, it.alone))),
        }
    }
    told.sort_unstable();
    assert_eq!(told, [(0, 0), (1, 1), (2, 2)]);
    assert_eq!(quick, [(3, false), (4, false), (5, false)]);
    graders.gate.add_permits(3);
    let (rest, _) = come_back(&mut said, 3).await;
    assert_eq!(rest, [(0, "done"), (1, "done"), (2, "done")]);
}

#[tokio::test]
async fn no_more_are_graded_at_once_than_may_be() {
    let graders = Graders::new(|_| Does::Waits);
    let (_crew, mut said) = crew(&graders, 20, 3);
    graders.gate.add_permits(20);
    let (all, _) = come_back(&mut said, 20).await;
    assert_eq!(all.len(), 20);
    assert!(graders.most_waiting.load(Ordering::SeqCst) <= 3);
}

#[tokio::test]
async fn one_that_computes_does_not_hold_up_what_comes_after_it() {
    let graders = Graders::new(|case| if case == 0 { Does::Computes } else { Does::Grades });
    let (_crew, mut said) = crew(&graders, 200, 8);
    // It took a few of them with it; the others are graded by another hand.
    let (quick, _) = come_back(&mut said, 200 - DOZEN).await;
    assert!(quick.iter().all(|it| it.1 == "done" && it.0 >= DOZEN), "{quick:?}");
    *graders.computed.0.lock().unwrap() = true;
    graders.computed.1.notify_all();
    let (rest, _) = come_back(&mut said, DOZEN).await;
    assert!(rest.into_iter().eq((0..DOZEN).map(|index| (index, "done"))));
}
