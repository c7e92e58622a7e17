//! What counts for the deadline of an answer and for how long it took, by a clock that stands still.

use std::path::Path;

use agentv_base::{Fields, Node, Problems};
use serde_json::json;

use super::*;
use crate::provider::model::SENDING_KEYS;

const DEADLINE: Duration = Duration::from_secs(30);

/// A target that is asked one request at a time.
fn transport() -> Transport {
    let (node, mut problems) = (Node::from_json(&json!({})), Problems::default());
    let fields = Fields::read(&node, "target", &[SENDING_KEYS], &mut problems).unwrap();
    let network = Arc::new(Network::default());
    let name: Arc<str> = "model".into();
    Transport {
        sending: Sending::read(&fields, &[], &mut problems).unwrap(),
        timeout: Some(DEADLINE),
        gate: network.gate(Path::new("/targets.yaml"), &name, Some(1)),
        name,
        network,
        stop: Stop::default(),
        redactor: Redactor::default(),
        journal: None,
        called: Called { model: "model", address: "base_url" },
    }
}

/// Whole seconds that an answer took so far, and that are left until its deadline, after the gate
/// was passed.
async fn check(transport: &Transport) -> (u64, u64) {
    let begun = Instant::now();
    let deadline = Some(begun + DEADLINE);
    let mut journey = Journey { begun, deadline, tries: 0, trouble: None };
    transport.enter(&mut journey).await.unwrap();
    let left = journey.deadline.unwrap() - Instant::now();
    // Sleeps are exact to a millisecond.
    let rounded = |time: Duration| (time + Duration::from_millis(100)).as_secs();
    (rounded(journey.begun.elapsed()), rounded(left))
}

#[tokio::test(start_paused = true)]
async fn time_in_the_queue_counts_for_nothing() {
    let transport = transport();
    let place = transport.gate.place().await;
    let leaves = async {
        sleep(Duration::from_secs(10)).await;
        drop(place);
    };
    let (counted, ()) = tokio::join!(check(&transport), leaves);
    assert_eq!(counted, (0, 30));
}

#[tokio::test(start_paused = true)]
async fn time_behind_a_closed_gate_counts_for_the_deadline_and_for_how_long_it_took() {
    let transport = transport();
    let until = Instant::now() + Duration::from_secs(10);
    transport.gate.place().await.refused(Some(until));
    assert_eq!(check(&transport).await, (10, 20));
}
