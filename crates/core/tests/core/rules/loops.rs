use inboxd_core::model::{Message, MessageItem};
use inboxd_core::rules::loops::{ExhaustedLoopBudget, THREAD_WINDOW, refuse_automatic, require_loop_budget};
use inboxd_core::testing::fixtures::{self, NOW};
use inboxd_core::{Error, LoopRefusal};
use time::Duration;

fn with(name: &str, value: &str, item: MessageItem) -> Message {
    let mut message = fixtures::message(item);
    message.body.headers = vec![(name.to_owned(), value.to_owned())];
    message
}

#[test]
fn keys_reply_to_automatic_mail_only_explicitly() {
    let (key, maria) = (fixtures::caller().actor, fixtures::member().actor());
    let away = with("Auto-Submitted", "auto-replied", fixtures::message_item());
    let refused = refuse_automatic(&key, &away, false);
    assert!(
        matches!(&refused, Err(Error::Loop(LoopRefusal::Automatic { sign })) if sign == "Auto-Submitted: auto-replied"),
        "{refused:?}"
    );
    refuse_automatic(&key, &away, true).unwrap();
    refuse_automatic(&maria, &away, false).unwrap();
    let generated = with("Auto-Submitted", "auto-generated", fixtures::message_item());
    refuse_automatic(&key, &generated, false).unwrap();
}

#[test]
fn own_automatic_mail_can_be_continued() {
    let own = MessageItem { labels: ["sent"].into_iter().collect(), ..fixtures::message_item() };
    refuse_automatic(&fixtures::caller().actor, &with("Precedence", "bulk", own), false).unwrap();
}

#[test]
fn exhausted_budget_names_address_and_retry_time() {
    require_loop_budget(Vec::new()).unwrap();
    let spent =
        |address: &str, ago| ExhaustedLoopBudget { address: address.to_owned(), oldest: NOW - Duration::hours(ago) };
    let refused =
        require_loop_budget(vec![spent("a@example.org", 3), spent("b@example.org", 1), spent("c@example.org", 2)]);
    let Err(Error::Loop(LoopRefusal::BudgetReached { recipient, until })) = refused else { panic!("{refused:?}") };
    assert_eq!((recipient.as_str(), until), ("b@example.org", NOW - Duration::HOUR + THREAD_WINDOW));
}
