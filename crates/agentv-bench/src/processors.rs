//! On how many processors things run.

/// Runs something, and all that it starts, on one processor; without that where the system cannot.
#[cfg(target_os = "linux")]
pub fn on_one<T>(act: impl FnOnce() -> T) -> T {
    use nix::{
        sched::{sched_getaffinity, sched_setaffinity},
        unistd::Pid,
    };
    let all = sched_getaffinity(Pid::from_raw(0));
    see_few(1);
    let done = act();
    if let Ok(all) = all {
        let _ = sched_setaffinity(Pid::from_raw(0), &all);
    }
    done
}

#[cfg(not(target_os = "linux"))]
pub fn on_one<T>(act: impl FnOnce() -> T) -> T {
    act()
}

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
    use std::thread::available_parallelism;

    use super::on_one;

    #[test]
    fn one_processor_is_for_a_while() {
        let before = available_parallelism().unwrap();
        assert_eq!(on_one(|| available_parallelism().unwrap().get()), 1);
        assert_eq!(available_parallelism().unwrap(), before);
    }
}
