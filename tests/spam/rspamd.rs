use inboxd_testkit::{Mail, Rspamd};
use serde_json::json;
use tokio::net::TcpListener;

use super::{GTUBE, delivered, events};
use crate::support::options;

#[tokio::test]
async fn rspamd_judges_where_there_is_one_and_never_holds_mail_up_when_it_is_gone() {
    let mut rspamd = Rspamd::start().await;
    let server = options().set("INBOXD_SPAM_URL", rspamd.url()).start().await;
    let agent = server.verified("anna@example.org", "scout").await;

    let spam = delivered(&server, &agent, "offer", GTUBE).await;
    assert_eq!((&spam["labels"], &spam["spam"]["filter"]), (&json!(["received", "spam", "unread"]), &json!("rspamd")));
    assert_eq!((&spam["spam"]["score"], &spam["spam"]["threshold"]), (&json!(15.0), &json!(15.0)));
    assert_eq!(spam["spam"]["reasons"][0]["name"], "GTUBE");
    assert_eq!(events(&agent, &spam).await, ["message.received.spam"]);
    let honest = delivered(&server, &agent, "lunch", "Shall we meet?").await;
    assert_eq!((&honest["labels"], &honest["spam"]["filter"]), (&json!(["received", "unread"]), &json!("rspamd")));

    rspamd.stop().await;
    let spam = delivered(&server, &agent, "another offer", GTUBE).await;
    assert_eq!(
        (&spam["labels"], &spam["spam"]["filter"]),
        (&json!(["received", "spam", "unread"]), &json!("built-in"))
    );
    server.log().entry("the operator is told", |entry| entry.to_string().contains("INBOXD_SPAM_URL")).await;
}

#[tokio::test]
async fn a_filter_that_never_answers_blocks_no_mail() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let server = options().set("INBOXD_SPAM_URL", url).start().await;
    let agent = server.verified("anna@example.org", "scout").await;
    let mail = Mail::new("anna@example.org", &agent.inbox_id, "lunch", "Shall we meet?");
    server.deliver("anna@example.org", &[&agent.inbox_id], mail.raw()).await.is(250, "2.0.0");
    let message = agent.message_about("lunch").await;
    let message = agent.get(&agent.message(&message["message_id"], "")).await.ok();
    assert_eq!(message["spam"]["filter"], "built-in");
}
