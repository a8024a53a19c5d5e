use inboxd_core::rules::response_limits::{MAX_BODY_BYTES, count_fitting};
use proptest::prelude::*;

#[test]
fn response_contains_fitting_messages_and_at_least_one() {
    for (sizes, expected) in [
        (vec![], 0),
        (vec![0], 1),
        (vec![MAX_BODY_BYTES], 1),
        (vec![MAX_BODY_BYTES + 1], 1),
        (vec![MAX_BODY_BYTES + 1, 1], 1),
        (vec![1, MAX_BODY_BYTES], 1),
        (vec![1, MAX_BODY_BYTES - 1], 2),
        (vec![MAX_BODY_BYTES, 0, 0], 3),
        (vec![MAX_BODY_BYTES / 2, MAX_BODY_BYTES / 2, 1, 0], 2),
        (vec![u64::MAX, u64::MAX], 1),
    ] {
        assert_eq!(count_fitting(&sizes), expected, "{sizes:?}");
    }
}

proptest! {
    #[test]
    fn fitting_messages_are_within_limit_or_single(sizes in prop::collection::vec(0..MAX_BODY_BYTES, 1..20)) {
        let fit = count_fitting(&sizes);
        prop_assert!(fit >= 1 && fit <= sizes.len());
        prop_assert!(fit == 1 || sizes[..fit].iter().sum::<u64>() <= MAX_BODY_BYTES);
        prop_assert!(fit == sizes.len() || sizes[..=fit].iter().sum::<u64>() > MAX_BODY_BYTES);
    }
}
