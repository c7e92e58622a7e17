//! On how many processors things run.

/// Lets this process and its children run on the first few processors only. Where that cannot be done,
/// they run on all.
#[cfg(target_os = "linux")]
pub fn see_few(few: usize) {
    use nix::{
        sched::{CpuSet, sched_getaffinity, sched_setaffinity},
        unistd::Pid,
    };
    let Ok(all) = sched_getaffinity(Pid::from_raw(0)) else { return };
    let mut chosen = CpuSet::new();
    let ours = (0..CpuSet::count()).filter(|processor| all.is_set(*processor) == Ok(true));
    for processor in ours.take(few) {
        let _ = chosen.set(processor);
    }
    let _ = sched_setaffinity(Pid::from_raw(0), &chosen);
}

#[cfg(not(target_os = "linux"))]
pub fn see_few(_: usize) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread::{available_parallelism, spawn};

    use super::see_few;

    #[test]
    fn a_few_are_seen_by_whoever_asks_for_them_and_by_nobody_else() {
        let before = available_parallelism().unwrap();
        let seen = spawn(|| {
            see_few(1);
            available_parallelism().unwrap().get()
        });
        assert_eq!(seen.join().unwrap(), 1);
        assert_eq!(available_parallelism().unwrap(), before);
    }
}
