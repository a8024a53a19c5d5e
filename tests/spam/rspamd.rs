use inboxd_testkit::{MailBuilder, Rspamd};
use serde_json::json;
use tokio::net::TcpListener;

use super::{GTUBE, deliver_message, event_types};
use crate::support::options;

#[tokio::test]
async fn rspamd_scores_mail_and_its_outage_delays_none() {
    let mut rspamd = Rspamd::start().await;
    let server = options().set("INBOXD_SPAM_URL", rspamd.url()).start().await;
    let agent = server.verified("anna@example.org", "scout").await;

    let spam = deliver_message(&server, &agent, "offer", GTUBE).await;
    assert_eq!((&spam["labels"], &spam["spam"]["filter"]), (&json!(["received", "spam", "unread"]), &json!("rspamd")));
    assert_eq!((&spam["spam"]["score"], &spam["spam"]["threshold"]), (&json!(15.0), &json!(15.0)));
    assert_eq!(spam["spam"]["reasons"][0]["name"], "GTUBE");
    assert_eq!(event_types(&agent, &spam).await, ["message.received.spam"]);
    let honest = deliver_message(&server, &agent, "lunch", "Shall we meet?").await;
    assert_eq!((&honest["labels"], &honest["spam"]["filter"]), (&json!(["received", "unread"]), &json!("rspamd")));

    rspamd.stop().await;
    let spam = deliver_message(&server, &agent, "another offer", GTUBE).await;
    assert_eq!(
        (&spam["labels"], &spam["spam"]["filter"]),
        (&json!(["received", "spam", "unread"]), &json!("built-in"))
    );
    server.log().entry("the operator is told", |entry| entry.to_string().contains("INBOXD_SPAM_URL")).await;
}

#[tokio::test]
async fn silent_filter_blocks_no_mail() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let server = options().set("INBOXD_SPAM_URL", url).start().await;
    let agent = server.verified("anna@example.org", "scout").await;
    let mail = MailBuilder::new("anna@example.org", &agent.inbox_id, "lunch", "Shall we meet?");
    server.deliver("anna@example.org", &[&agent.inbox_id], mail.raw()).await.require_code(250, "2.0.0");
    let message = agent.message_about("lunch").await;
    let message = agent.get(&agent.message(&message["message_id"], "")).await.ok();
    assert_eq!(message["spam"]["filter"], "built-in");
}
