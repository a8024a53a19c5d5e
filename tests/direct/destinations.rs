//! Independence of destinations in direct delivery.

use std::net::{SocketAddr, TcpListener};

use inboxd_testkit::eventually;
use serde_json::json;
use tokio::task::JoinSet;

use super::{DirectDelivery, queued_mails, serve_domain, start_direct_delivery};
use crate::sending::wait_for_event;
use crate::support::set_plan;

/// Messages for a silent destination: more than the 60 permits of an organization.
const STUCK: usize = 70;

#[tokio::test]
async fn mail_is_delivered_to_server_of_each_domain() {
    let DirectDelivery { dns, hosts, server: _server, agent } = start_direct_delivery(2).await;
    serve_domain(&dns, "xn--bcher-kva.example", 10, 2);
    let to = ["anna@example.org", "ben@b\u{fc}cher.example", "carl@Example.org"];
    let sent = agent.send(json!({"to": to, "subject": "both", "text": "hello"})).await;
    let mail = hosts[0].mail_about("both").await;
    assert_eq!(mail.to, ["anna@example.org", "carl@Example.org"]);
    assert_eq!(hosts[1].mail_about("both").await.to, ["ben@b\u{fc}cher.example"]);
    assert!(mail.from.starts_with("b-") && mail.from.ends_with("inboxd.localhost"), "{}", mail.from);
    let labelled = async || {
        let message = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
        (message["labels"] == json!(["delivered", "sent"])).then_some(())
    };
    eventually("the message is delivered", labelled).await;
    let both = async || {
        let list = agent.get("/v0/events?event_types=message.delivered").await.ok();
        let recipients: Vec<_> =
            list["events"].as_array().unwrap().iter().map(|e| e["delivery"]["recipients"].clone()).collect();
        (recipients.len() == 2).then_some(recipients)
    };
    let recipients = eventually("one event for each destination", both).await;
    assert!(recipients.contains(&json!(["ben@b\u{fc}cher.example"])), "{recipients:?}");
}

#[tokio::test]
async fn hanging_destination_does_not_delay_others() {
    let DirectDelivery { dns, hosts, server, agent } = start_direct_delivery(1).await;
    set_plan(&server, &agent, "enterprise").await;
    serve_domain(&dns, "hung.example", 10, 9);
    // The listener accepts connections and sends nothing.
    let _mute = TcpListener::bind(SocketAddr::from(([127, 0, 0, 9], hosts[0].port()))).unwrap();
    let mut sending = JoinSet::new();
    for number in 0..STUCK {
        let agent = agent.clone();
        sending.spawn(async move {
            let to = format!("anna{number}@hung.example");
            agent.send(json!({"to": to, "subject": "stuck", "text": "hello"})).await;
        });
    }
    sending.join_all().await;
    let waiting = async || {
        let tried = "destination = 'hung.example' AND attempts > 0";
        (!queued_mails(&server, tried).await.is_empty()).then_some(())
    };
    eventually("the mails for the silent destination are tried", waiting).await;
    let sent = agent.send(json!({"to": "ben@example.org", "subject": "prompt", "text": "hello"})).await;
    wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
    assert_eq!(hosts[0].mail_about("prompt").await.to, ["ben@example.org"]);
    let left = queued_mails(&server, "destination = 'hung.example'").await.len();
    assert_eq!(left, STUCK, "the mails are still queued");
}
