//! Reports of what is no longer there.

use super::{dsn, group, sent_to};

#[tokio::test]
async fn a_report_of_a_message_that_was_deleted_suppresses_and_makes_nothing_anew() {
    let sent = sent_to(&["gone@outside.example"]).await;
    sent.agent.delete(&sent.agent.message(&sent.answer["message_id"], "")).await.gone();
    sent.report(&dsn(&group("gone@outside.example", "failed", "5.1.1"))).await;
    assert_eq!(sent.events("message.bounced").await.len(), 1);
    assert_eq!(sent.suppressed().await.len(), 1);
    assert_eq!(sent.agent.messages().await.len(), 0);
    assert_eq!(sent.agent.get(&sent.agent.inbox("/threads")).await.ok()["count"], 0);
}

#[tokio::test]
async fn a_report_of_a_mail_of_a_deleted_inbox_suppresses() {
    let sent = sent_to(&["gone@outside.example"]).await;
    sent.agent.delete(&sent.agent.inbox("")).await.gone();
    sent.report(&dsn(&group("gone@outside.example", "failed", "5.1.1"))).await;
    assert_eq!(sent.suppressed().await.len(), 1);
}

#[tokio::test]
async fn a_report_of_the_services_own_mail_is_taken_and_forgotten() {
    let sent = sent_to(&["bob@outside.example"]).await;
    let code = sent.relay.mails().into_iter().find(|mail| mail.to == ["owner@example.org"]).unwrap();
    assert!(code.from.starts_with("b-") && code.from.ends_with("@inboxd.localhost"), "{}", code.from);
    let report = dsn(&group("owner@example.org", "failed", "5.1.1"));
    sent.server.deliver("", &[&code.from], report.into_bytes()).await.is(250, "2");
    assert_eq!((sent.suppressed().await, sent.agent.messages().await.len()), (vec![], 1), "no owner is locked out");
}

#[tokio::test]
async fn what_is_known_of_a_mail_is_forgotten_in_time() {
    let mut sent = sent_to(&["gone@outside.example"]).await;
    // As if it had left a hundred days ago: ids begin with their milliseconds.
    let id = &sent.mail.from[2..34];
    let milliseconds = u64::from_str_radix(&id[..12], 16).unwrap() - 100 * 86_400_000;
    let older = format!("{milliseconds:012x}{}", &id[12..]);
    let database = sent.server.database();
    database.execute(&format!("UPDATE return_paths SET outgoing_id = '{older}' WHERE outgoing_id = '{id}'")).await;
    sent.server.restart().await;
    inboxd_testkit::eventually("it is forgotten", async || {
        sent.server.database().try_execute("SELECT 1 / (count(*) = 0)::int FROM return_paths").await.ok()
    })
    .await;
}
