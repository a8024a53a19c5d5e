//! State at the 250 reply: the message is durable, in its thread, in lists and searches, and its event exists.

use inboxd_testkit::{Persona, SmtpClient, TestServer, encoded};
use tokio::task::JoinSet;

use crate::support::{mail_to, server_and_agent, text_fields};

/// Delivers one mail and looks it up everywhere after the reply.
async fn deliver_and_check(address: String, agent: Persona, subject: String) {
    let id = format!("<{subject}@outside.example>");
    let mail = mail_to(&agent, &subject).id(&id).attach("a.txt", "text/plain", b"attached").raw();
    let mut client = SmtpClient::connect(&address).await;
    client.ehlo().await;
    client.deliver("alice@outside.example", &[&agent.inbox_id], &mail).await.require_code(250, "2.0.0");

    let list = agent.get(&agent.inbox("/messages?limit=200")).await.ok();
    assert!(text_fields(&list, "messages", "message_id").contains(&id.as_str()), "{subject} is not in the list");
    let search =
        agent.get(&agent.inbox(&format!("/messages/search?q={}", encoded(&format!("About {subject}."))))).await.ok();
    assert_eq!(text_fields(&search, "messages", "message_id"), [id.as_str()], "{subject} is not found");
    let message = agent.get(&agent.inbox(&format!("/messages/{}", encoded(&id)))).await.ok();
    assert_eq!(message["attachments"][0]["filename"], "a.txt");
    let thread = agent.get(&agent.thread(&message["thread_id"], "")).await.ok();
    assert_eq!(text_fields(&thread, "messages", "message_id"), [id.as_str()]);
    let threads = agent.get(&agent.inbox("/threads?limit=200")).await.ok();
    assert!(
        text_fields(&threads, "threads", "last_message_id").contains(&id.as_str()),
        "{subject} has no thread in the list"
    );
    let events = agent.get("/v0/events?limit=200&event_types=message.received").await.ok();
    assert!(text_fields(&events, "events", "message_id").contains(&id.as_str()), "{subject} has no event");
    client.quit().await;
}

async fn race(server: &TestServer, agent: &Persona, round: usize) {
    let mut deliveries = JoinSet::new();
    for number in 0..8 {
        let subject = format!("r{round}n{number}x");
        deliveries.spawn(deliver_and_check(server.smtp_address().to_owned(), agent.clone(), subject));
    }
    deliveries.join_all().await;
}

#[tokio::test]
async fn mail_is_visible_everywhere_at_250_under_concurrency() {
    let (server, agent) = server_and_agent().await;
    for round in 0..4 {
        race(&server, &agent, round).await;
    }
    let organization = agent.get("/v0/organizations").await.ok();
    let sizes: u64 = agent.messages().await.iter().map(|message| message["size"].as_u64().unwrap()).sum();
    assert_eq!(organization["storage_bytes"], sizes);
}
