//! What may pass is tried again, and another host may do better at once.

use inboxd_testkit::eventually;
use serde_json::json;

use super::{World, queued, serve, world};
use crate::sending::event;

#[tokio::test]
async fn a_server_that_greylists_gets_the_mail_the_next_time() {
    let World { dns: _dns, hosts, server: _server, agent } = world(1).await;
    hosts[0].answer_once("anna@example.org", "451 4.7.1 greylisted, come back later");
    let sent =
        agent.send(json!({"to": ["anna@example.org", "ben@example.org"], "subject": "grey", "text": "hi"})).await;
    let both = async || {
        let about: Vec<_> = hosts[0].mails().into_iter().filter(|mail| mail.headers("Subject") == ["grey"]).collect();
        (about.len() == 2).then(|| about.into_iter().map(|mail| mail.to).collect::<Vec<_>>())
    };
    assert_eq!(eventually("both have it", both).await, [["ben@example.org"], ["anna@example.org"]]);
    event(&agent, "message.delivered", &sent["message_id"]).await;
    assert_eq!(agent.get("/v0/events?event_types=message.bounced").await.ok()["count"], 0);
}

#[tokio::test]
async fn the_second_host_of_a_domain_takes_what_the_first_does_not() {
    let World { dns, hosts, server: _server, agent } = world(2).await;
    // Nobody is at the first; the second one greets.
    serve(&dns, "out.example", 10, 9);
    serve(&dns, "out.example", 20, 2);
    let sent = agent.send(json!({"to": "anna@out.example", "subject": "second", "text": "hi"})).await;
    assert_eq!(hosts[1].mail_about("second").await.to, ["anna@out.example"]);
    event(&agent, "message.delivered", &sent["message_id"]).await;
}

#[tokio::test]
async fn dns_that_fails_loses_no_mail() {
    let World { dns, hosts, server, agent } = world(2).await;
    dns.fail("out.example");
    agent.send(json!({"to": "anna@out.example", "subject": "patience", "text": "hi"})).await;
    let tried = "destination = 'out.example' AND attempts > 0 AND due_at < now() + interval '5 min'";
    eventually("it was tried", async || (!queued(&server, tried).await.is_empty()).then_some(())).await;
    dns.forget("out.example");
    serve(&dns, "out.example", 10, 2);
    hosts[1].mail_about("patience").await;
    assert_eq!(agent.get("/v0/events?event_types=message.bounced").await.ok()["count"], 0);
}
