//! Reports about deleted resources.

use super::{delivery_report, recipient_group, send_to};

#[tokio::test]
async fn report_of_deleted_message_suppresses_without_event() {
    let sent = send_to(&["gone@outside.example"]).await;
    sent.agent.delete(&sent.agent.message(&sent.answer["message_id"], "")).await.require_no_content();
    sent.report(&delivery_report(&recipient_group("gone@outside.example", "failed", "5.1.1"))).await;
    assert_eq!(sent.events("message.bounced").await.len(), 1);
    assert_eq!(sent.suppressed().await.len(), 1);
    assert_eq!(sent.agent.messages().await.len(), 0);
    assert_eq!(sent.agent.get(&sent.agent.inbox("/threads")).await.ok()["count"], 0);
}

#[tokio::test]
async fn report_of_deleted_inbox_suppresses() {
    let sent = send_to(&["gone@outside.example"]).await;
    sent.agent.delete(&sent.agent.inbox("")).await.require_no_content();
    sent.report(&delivery_report(&recipient_group("gone@outside.example", "failed", "5.1.1"))).await;
    assert_eq!(sent.suppressed().await.len(), 1);
}

#[tokio::test]
async fn report_of_system_mail_is_accepted_and_discarded() {
    let sent = send_to(&["bob@outside.example"]).await;
    let code = sent.relay.mails().into_iter().find(|mail| mail.to == ["owner@example.org"]).unwrap();
    assert!(code.from.starts_with("b-") && code.from.ends_with("@inboxd.localhost"), "{}", code.from);
    let report = delivery_report(&recipient_group("owner@example.org", "failed", "5.1.1"));
    sent.server.deliver("", &[&code.from], report.into_bytes()).await.require_code(250, "2");
    assert_eq!((sent.suppressed().await, sent.agent.messages().await.len()), (vec![], 1), "no owner is locked out");
}

#[tokio::test]
async fn sent_mail_records_are_purged_after_retention() {
    let mut sent = send_to(&["gone@outside.example"]).await;
    // Moves the mail a hundred days into the past: ids start with their milliseconds.
    let id = &sent.mail.from[2..34];
    let milliseconds = u64::from_str_radix(&id[..12], 16).unwrap() - 100 * 86_400_000;
    let older = format!("{milliseconds:012x}{}", &id[12..]);
    let database = sent.server.database();
    database.execute(&format!("UPDATE return_paths SET outgoing_id = '{older}' WHERE outgoing_id = '{id}'")).await;
    sent.server.restart().await;
    inboxd_testkit::eventually("the record is purged", async || {
        sent.server.database().try_execute("SELECT 1 / (count(*) = 0)::int FROM return_paths").await.ok()
    })
    .await;
}
