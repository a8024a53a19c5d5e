use inboxd_core::model::{Draft, DraftItem, SendSchedule, SendStatus};
use inboxd_core::testing::fixtures::{self, NOW};
use time::{Duration, OffsetDateTime};

fn after(seconds: i64) -> OffsetDateTime {
    NOW + Duration::seconds(seconds)
}

fn dispatch(send_at: Option<i64>, has_failed: bool, claimed_until: Option<i64>) -> SendSchedule {
    SendSchedule { send_at: send_at.map(after), has_failed, claimed_until: claimed_until.map(after), revision: 3 }
}

#[test]
fn draft_status_and_due_time_follow_schedule() {
    for (dispatch, status, due_at) in [
        (dispatch(None, false, None), None, None),
        (dispatch(None, false, Some(1)), Some(SendStatus::Sending), None),
        (dispatch(None, false, Some(0)), None, None),
        (dispatch(Some(5), false, None), Some(SendStatus::Scheduled), Some(5)),
        (dispatch(Some(5), false, Some(60)), Some(SendStatus::Sending), Some(60)),
        (dispatch(Some(5), false, Some(-1)), Some(SendStatus::Scheduled), Some(5)),
        (dispatch(Some(90), false, Some(60)), Some(SendStatus::Sending), Some(90)),
        (dispatch(Some(-5), true, None), Some(SendStatus::Failed), None),
        (dispatch(Some(-5), true, Some(60)), Some(SendStatus::Sending), None),
    ] {
        assert_eq!((dispatch.status(NOW), dispatch.due_at()), (status, due_at.map(after)), "{dispatch:?}");
    }
}

#[test]
fn write_increments_revision_and_ends_claim() {
    let claimed = dispatch(Some(5), false, None).claimed(after(60));
    assert_eq!((claimed.revision, claimed.claimed_until), (4, Some(after(60))));
    let written = claimed.written();
    assert_eq!((written.revision, written.claimed_until, written.send_at), (5, None, Some(after(5))));
}

#[test]
fn rescheduling_clears_failure() {
    let failed = dispatch(Some(-5), true, None);
    assert_eq!(failed.at(Some(after(5))).status(NOW), Some(SendStatus::Scheduled));
    assert_eq!(failed.at(None).status(NOW), None);
}

#[test]
fn system_labels_follow_schedule_and_caller_labels_stay() {
    let Draft { item, .. } = fixtures::draft();
    for (dispatch, expected) in [
        (dispatch(None, false, None), vec!["draft", "offers"]),
        (dispatch(Some(5), false, None), vec!["draft", "offers", "scheduled"]),
        (dispatch(Some(-5), true, None), vec!["draft", "offers"]),
    ] {
        let own = item.own_labels();
        let labelled = DraftItem { dispatch, ..item.clone() }.labelled(own);
        assert_eq!(labelled.labels.to_vec(), expected);
        assert_eq!(labelled.own_labels().to_vec(), ["offers"]);
    }
}
