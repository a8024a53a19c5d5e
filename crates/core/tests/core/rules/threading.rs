use inboxd_core::model::Thread;
use inboxd_core::rules::threading::has_capacity;
use inboxd_core::testing::fixtures;

#[test]
fn thread_has_at_most_5_000_messages() {
    let thread = |message_count| Thread { message_count, ..Thread::started_by(&fixtures::message_item()) };
    for (message_count, expected) in [(1, true), (4_999, true), (5_000, false), (12_001, false)] {
        assert_eq!(has_capacity(&thread(message_count)), expected, "{message_count}");
    }
}
