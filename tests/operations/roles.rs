//! Processes with different roles on one database.

use inboxd_testkit::eventually;
use serde_json::json;

use crate::support::{mail_to, options};

#[tokio::test]
async fn processes_of_three_roles_form_one_service() {
    let secret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    let http = options().set("INBOXD_ROLES", "http").set("INBOXD_SECRET_KEY", secret).start().await;
    let beside = |role: &str| {
        let url = http.database().url();
        options().set("INBOXD_ROLES", role).set("INBOXD_SECRET_KEY", secret).set("INBOXD_DATABASE_URL", url)
    };
    let smtp = beside("smtp").start().await;
    let mut worker = beside("worker").start().await;
    let agent = http.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&worker.log().code_for("owner@example.org").await).await;
    smtp.deliver("alice@outside.example", &[&agent.inbox_id], mail_to(&agent, "hello").raw())
        .await
        .require_code(250, "2");
    agent.message_about("hello").await;

    // Without a worker, mail is accepted and delivered after a worker starts.
    worker.kill().await;
    let sent = agent.send(json!({"to": "bob@outside.example", "subject": "waiting", "text": "hello"})).await;
    worker.restart().await;
    eventually("the mail is delivered", async || {
        let events = agent.get("/v0/events?event_types=message.delivered").await.ok();
        (events["events"][0]["message_id"] == sent["message_id"]).then_some(())
    })
    .await;
    for mut server in [http, smtp, worker] {
        assert!(server.terminate().await.success(), "{:#?}", server.log().lines());
    }
}
