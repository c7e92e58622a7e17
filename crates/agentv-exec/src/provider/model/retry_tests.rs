//! What a policy says, for faults in a row and for any numbers at all.

use proptest::prelude::*;

use super::*;

/// The waits in seconds after each fault of the same kind, and why it ends.
fn check(policy: &RetryPolicy, fault: Fault, retry_after: Option<Duration>) -> (Vec<f64>, Reason) {
    let mut waits = Vec::new();
    for tries in 1.. {
        match policy.next(tries, fault, retry_after, None, 0.0) {
            Next::Wait(wait) => waits.push(wait.as_secs_f64()),
            Next::GiveUp(reason) => return (waits, reason),
        }
    }
    unreachable!("it was tried for ever")
}

#[test]
fn delays_grow_by_the_factor_up_to_the_longest() {
    let policy =
        RetryPolicy { max_retries: 5, max_delay: Duration::from_secs(6), ..RetryPolicy::default() };
    let (waits, reason) = check(&policy, Fault::Connection, None);
    assert_eq!((waits, reason), (vec![1.0, 2.0, 4.0, 6.0, 6.0], Reason::Exhausted));
}

#[test]
fn only_what_may_pass_is_tried_again() {
    let policy = RetryPolicy::default();
    for fault in [500, 408, 429, 502, 503, 504].map(Fault::Status) {
        assert_eq!(check(&policy, fault, None).0.len(), 3, "{fault:?}");
    }
    assert_eq!(check(&policy, Fault::Garbled, None).0.len(), 3);
    for fault in [400, 401, 403, 404, 422, 501, 302].map(Fault::Status) {
        assert_eq!(check(&policy, fault, None), (Vec::new(), Reason::Final), "{fault:?}");
    }
    assert_eq!(check(&policy, Fault::Unusable, None), (Vec::new(), Reason::Final));
}

#[test]
fn a_wrong_key_is_never_tried_again_whatever_the_list_says() {
    let policy = RetryPolicy { status_codes: vec![400, 401, 403, 418], ..RetryPolicy::default() };
    for status in NEVER_RETRIED {
        assert_eq!(check(&policy, Fault::Status(status), None).1, Reason::Final);
    }
    assert_eq!(check(&policy, Fault::Status(418), None).0.len(), 3);
    assert_eq!(check(&policy, Fault::Status(500), None).1, Reason::Final);
}

#[test]
fn a_service_that_asks_for_time_gets_it_also_beyond_the_longest_delay() {
    let asked = Some(Duration::from_secs(90));
    let (waits, _) = check(&RetryPolicy::default(), Fault::Status(429), asked);
    assert_eq!(waits, [90.0, 90.0, 90.0]);
    let asked = Some(Duration::from_millis(1500));
    let (waits, _) = check(&RetryPolicy::default(), Fault::Status(503), asked);
    assert_eq!(waits, [1.5, 2.0, 4.0]);
}

#[test]
fn a_wait_that_would_end_after_the_deadline_is_not_begun() {
    let policy = RetryPolicy::default();
    let next =
        |left| policy.next(1, Fault::Connection, None, Some(Duration::from_millis(left)), 0.0);
    assert_eq!(next(1001), Next::Wait(Duration::from_secs(1)));
    assert_eq!(next(1000), Next::GiveUp(Reason::Late));
    assert_eq!(next(0), Next::GiveUp(Reason::Late));
}

#[test]
fn a_wish_to_wait_is_read_in_every_form() {
    let now: Timestamp = "1994-11-06T08:49:00Z".parse().unwrap();
    let wait = |headers: WaitHeaders<'_>| headers.wait(now).map(|wait| wait.as_secs_f64());
    let after = |text| WaitHeaders { retry_after: Some(text), ..WaitHeaders::default() };
    assert_eq!(wait(WaitHeaders::default()), None);
    assert_eq!(wait(after("120")), Some(120.0));
    assert_eq!(wait(after(" 0.5 ")), Some(0.5));
    assert_eq!(wait(after("0")), Some(0.0));
    assert_eq!(wait(after("Sun, 06 Nov 1994 08:49:37 GMT")), Some(37.0));
    assert_eq!(wait(after("Sun, 06 Nov 1994 08:40:00 GMT")), Some(0.0));
    for text in ["", "soon", "-3", "NaN", "inf", "06.11.1994", ",", "-1, -2"] {
        assert_eq!(wait(after(text)), None, "{text}");
    }
    assert_eq!(wait(after("1, 2")), Some(2.0));
    assert_eq!(wait(after("30 ,-1,, x")), Some(30.0));
    let endless = "9".repeat(400);
    for text in ["1e300", "99999999999999999999999999", &endless] {
        assert_eq!(after(text).wait(now), Some(Duration::MAX), "{text}");
    }
    let finer = WaitHeaders { retry_after_ms: Some("250"), ..after("1") };
    assert_eq!(wait(finer), Some(0.25));
    let unreadable = WaitHeaders { retry_after_ms: Some("?"), ..after("1") };
    assert_eq!(wait(unreadable), Some(1.0));
}

#[test]
fn a_date_is_read_by_the_clock_of_the_service() {
    let slow: Timestamp = "1994-11-06T07:00:00Z".parse().unwrap();
    let headers = WaitHeaders {
        retry_after: Some("Sun, 06 Nov 1994 08:49:37 GMT"),
        date: Some("Sun, 06 Nov 1994 08:49:30 GMT"),
        retry_after_ms: None,
    };
    assert_eq!(headers.wait(slow), Some(Duration::from_secs(7)));
}

fn millis(most: u64) -> impl Strategy<Value = Duration> {
    (0..=most).prop_map(Duration::from_millis)
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        (100..600_u16).prop_map(Fault::Status),
        Just(Fault::Connection),
        Just(Fault::Garbled),
        Just(Fault::Unusable),
    ]
}

proptest! {
    #[test]
    fn whatever_the_numbers_waits_keep_to_wishes_deadlines_and_counts(
        max_retries in 0..10_u32,
        initial_delay in millis(100_000),
        max_delay in millis(u64::MAX / 2),
        backoff_factor in 1.0..1e6_f64,
        status_codes in prop::collection::vec(100..600_u16, 0..5),
        tries in 1..2000_u32,
        fault in fault(),
        retry_after in prop::option::of(millis(u64::MAX)),
        left in prop::option::of(millis(200_000)),
        chance in prop_oneof![0.0..=1.0_f64, Just(f64::NAN), Just(7.0)],
    ) {
        let policy =
            RetryPolicy { max_retries, initial_delay, max_delay, backoff_factor, status_codes };
        if let Next::Wait(wait) = policy.next(tries, fault, retry_after, left, chance) {
            prop_assert!(tries <= max_retries);
            prop_assert!(retry_after.is_none_or(|asked| wait >= asked));
            prop_assert!(left.is_none_or(|left| wait < left));
            let most = max_delay.mul_f64(1.0 + MOST_JITTER);
            prop_assert!(wait <= most.max(retry_after.unwrap_or_default().saturating_add(most)));
            prop_assert!(!matches!(fault, Fault::Status(400 | 401 | 403)));
        }
    }

    #[test]
    fn any_header_is_read_or_is_no_wish(text in "\\PC{0,40}", ms in "[0-9.eE+-]{0,12}") {
        let headers =
            WaitHeaders { retry_after: Some(&text), retry_after_ms: Some(&ms), date: Some(&text) };
        let _ = headers.wait(Timestamp::UNIX_EPOCH);
    }
}
