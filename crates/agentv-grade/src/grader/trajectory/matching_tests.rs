//! The largest matching, against trying everything.

use proptest::prelude::*;

use super::*;

/// The size of the largest matching, found by trying every way.
fn by_trying(edges: &[Vec<usize>], taken: &mut Vec<usize>) -> usize {
    let Some((first, rest)) = edges.split_first() else {
        return 0;
    };
    let mut best = by_trying(rest, taken);
    for right in first {
        if !taken.contains(right) {
            taken.push(*right);
            best = best.max(1 + by_trying(rest, taken));
            taken.pop();
        }
    }
    best
}

#[test]
fn who_can_have_anything_leaves_to_others_what_only_they_can_have() {
    assert_eq!(largest_matching(&[vec![0, 1], vec![0]], 2), [Some(1), Some(0)]);
    assert_eq!(largest_matching(&[vec![0], vec![0]], 1).iter().flatten().count(), 1);
    assert_eq!(largest_matching(&[], 3), []);
    assert_eq!(largest_matching(&[vec![]], 0), [None]);
}

#[test]
fn a_long_chain_of_exchanges_is_no_problem() {
    // Each takes the first it can have; the last can have only the very first of all.
    let many = 2_000;
    let mut edges: Vec<Vec<usize>> = (0..many).map(|left| vec![left, left + 1]).collect();
    edges.push(vec![0]);
    let found = largest_matching(&edges, many + 1);
    assert!(found.iter().all(Option::is_some));
}

proptest! {
    #[test]
    fn it_is_as_large_as_any_can_be(
        edges in prop::collection::vec(prop::collection::btree_set(0_usize..6, 0..6), 0..6)
    ) {
        let edges: Vec<Vec<usize>> =
            edges.into_iter().map(|rights| rights.into_iter().collect()).collect();
        let found = largest_matching(&edges, 6);
        let given: Vec<usize> = found.iter().flatten().copied().collect();
        prop_assert_eq!(given.len(), by_trying(&edges, &mut Vec::new()));
        let mut once = given.clone();
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), given.len(), "one is given twice");
        for (rights, right) in edges.iter().zip(&found) {
            prop_assert!(right.is_none_or(|right| rights.contains(&right)));
        }
    }
}
