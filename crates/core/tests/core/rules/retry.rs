use inboxd_core::rules::retry::{GIVE_UP_AFTER, next_attempt};
use inboxd_core::testing::fixtures::NOW;
use proptest::prelude::*;
use time::Duration;

#[test]
fn mail_is_retried_for_three_days() {
    assert_eq!(GIVE_UP_AFTER, Duration::hours(72));
    let just_before = NOW + GIVE_UP_AFTER - Duration::MILLISECOND;
    assert_eq!(next_attempt(40, NOW, just_before), Some(NOW + GIVE_UP_AFTER));
    assert_eq!(next_attempt(40, NOW, NOW + GIVE_UP_AFTER), None);
    assert_eq!(next_attempt(6, NOW, NOW + Duration::days(400)), None);
}

proptest! {
    #[test]
    fn next_attempt_is_later_and_before_deadline(attempts: u32, waited in 0_i64..400_000_000) {
        let now = NOW + Duration::milliseconds(waited);
        match next_attempt(attempts, NOW, now) {
            // A message that was held beyond the deadline has its first attempts nevertheless.
            Some(next) => prop_assert!(next > now && (next <= NOW + GIVE_UP_AFTER || attempts < 6)),
            None => prop_assert!(now >= NOW + GIVE_UP_AFTER && attempts >= 6),
        }
    }
}
