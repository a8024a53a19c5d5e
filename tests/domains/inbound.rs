//! Domains without inbound mail, catch-all domains, and the recipient address of a message.

use inboxd_testkit::{MailBuilder, TestServer, eventually};
use serde_json::{Value, json};

use super::{add_verified, domain_path, lift_caps, relay_with_dns, server_with_dns, verify_domain};
use crate::support::text_fields;

async fn deliver(server: &TestServer, to: &str) -> u16 {
    let mail = MailBuilder::new("Alice <alice@outside.example>", to, &format!("to {to}"), "Hello.");
    server.deliver("alice@outside.example", &[to], mail.raw()).await.code
}

#[tokio::test]
async fn domain_without_inbound_has_no_mx_and_receives_no_mail() {
    let (dns, server, agent) = server_with_dns().await;
    let body = json!({"domain": "example.com", "inbound_enabled": false, "subdomains_enabled": true});
    let domain = agent.post("/v0/domains", body).await.ok();
    assert_eq!((&domain["inbound_enabled"], &domain["reason"]), (&json!(false), &json!("not_started")));
    let kinds = text_fields(&domain, "records", "type");
    assert!(!kinds.contains(&"MX"), "{domain:#}");
    assert_eq!(verify_domain(&agent, &domain).await["reason"], "dns_records_missing");
    dns.publish_all(&domain);
    let verified = verify_domain(&agent, &domain).await;
    assert_eq!((&verified["status"], verified.get("reason")), (&json!("VERIFIED"), None), "{verified:#}");

    agent.post("/v0/inboxes", json!({"username": "agent", "domain": "example.com"})).await.ok();
    assert_eq!(deliver(&server, "agent@example.com").await, 550);
    agent
        .post("/v0/inboxes/agent@example.com/messages/send", json!({"to": "bob@outside.example", "text": "hi"}))
        .await
        .ok();

    let opened = agent.patch(&domain_path(&domain, ""), json!({"inbound_enabled": true})).await.ok();
    assert_eq!((&opened["status"], &opened["reason"]), (&json!("PENDING"), &json!("dns_records_missing")));
    assert_eq!(text_fields(&opened, "records", "type").iter().filter(|kind| **kind == "MX").count(), 2, "{opened:#}");
    assert_eq!(deliver(&server, "agent@example.com").await, 250);
    for record in opened["records"].as_array().unwrap().iter().filter(|record| record["type"] == "MX") {
        dns.publish(record);
    }
    assert_eq!(verify_domain(&agent, &opened).await["status"], "VERIFIED");
    // The recipient was in the cache and is invalidated immediately.
    assert_eq!(deliver(&server, "agent@example.com").await, 250);
    let closed = agent.patch(&domain_path(&domain, ""), json!({"inbound_enabled": false})).await.ok();
    assert_eq!((&closed["status"], &closed["inbound_enabled"]), (&json!("VERIFIED"), &json!(false)));
    assert_eq!(deliver(&server, "agent@example.com").await, 550);
}

#[tokio::test]
async fn mail_to_domain_without_inbound_goes_to_its_servers() {
    let (dns, relay, server, agent) = relay_with_dns().await;
    lift_caps(&server, &agent).await;
    let domain = add_verified(&dns, &agent, "example.com").await;
    agent.post("/v0/inboxes", json!({"username": "agent", "domain": "example.com"})).await.ok();
    agent.patch(&domain_path(&domain, ""), json!({"inbound_enabled": false})).await.ok();
    agent.send(json!({"to": "agent@example.com", "subject": "around", "text": "Hello."})).await;
    assert_eq!(relay.mail_about("around").await.to, ["agent@example.com"]);
    let list = agent.get("/v0/inboxes/agent@example.com/messages").await.ok();
    assert_eq!(list["count"], 0);
    let ours = agent
        .post(
            "/v0/inboxes/agent@example.com/messages/send",
            json!({"to": "bob@outside.example", "subject": "out", "text": "hi"}),
        )
        .await;
    ours.ok();
    let returns = relay.mail_about("out").await.from;
    assert!(!returns.ends_with("@example.com"), "reports cannot reach {returns}");
}

#[tokio::test]
async fn catch_all_receives_mail_for_unused_names() {
    let (dns, server, agent) = server_with_dns().await;
    lift_caps(&server, &agent).await;
    let domain = add_verified(&dns, &agent, "example.com").await;
    for username in ["agent", "gone"] {
        agent.post("/v0/inboxes", json!({"username": username, "domain": "example.com"})).await.ok();
    }
    agent.delete("/v0/inboxes/gone@example.com").await.require_no_content();
    assert_eq!(deliver(&server, "any@example.com").await, 550);
    let refused = agent.patch(&domain_path(&domain, ""), json!({"catch_all_inbox_id": "nobody@example.com"})).await;
    assert_eq!(refused.bad_fields(), ["catch_all_inbox_id"]);
    let foreign = server.verified("other@example.net", "other").await;
    let refused = agent.patch(&domain_path(&domain, ""), json!({"catch_all_inbox_id": foreign.inbox_id})).await;
    assert_eq!(refused.bad_fields(), ["catch_all_inbox_id"]);

    let set = agent.patch(&domain_path(&domain, ""), json!({"catch_all_inbox_id": agent.inbox_id})).await.ok();
    assert_eq!(set["catch_all_inbox_id"], agent.inbox_id.as_str());
    assert_eq!(deliver(&server, "Any+News@Example.com").await, 250);
    assert_eq!(deliver(&server, "agent+own@example.com").await, 250);
    assert_eq!(deliver(&server, "gone@example.com").await, 550);
    assert_eq!(deliver(&server, "any@sub.example.com").await, 550);
    let caught = agent.message_about("to Any+News@Example.com").await;
    assert_eq!((&caught["delivered_to"], &caught["tag"]), (&json!("any+news@example.com"), &json!("news")));
    let own = agent.get("/v0/inboxes/agent@example.com/messages").await.ok();
    assert_eq!(own["messages"][0]["delivered_to"], "agent+own@example.com");

    // Local mail is delivered to it too, without leaving the server.
    agent.send(json!({"to": "inside@example.com", "subject": "inside", "text": "Hello."})).await;
    eventually("the catch-all inbox receives it", async || {
        let found = agent.get(&agent.inbox("/messages?delivered_to=inside@example.com")).await.ok();
        (found["count"] == 1).then_some(())
    })
    .await;
    agent.patch(&domain_path(&domain, ""), json!({"catch_all_inbox_id": null})).await.ok();
    assert_eq!(deliver(&server, "any@example.com").await, 550);

    let extra = agent.post("/v0/inboxes", json!({"username": "catcher"})).await.ok();
    agent.patch(&domain_path(&domain, ""), json!({"catch_all_inbox_id": extra["inbox_id"]})).await.ok();
    assert_eq!(deliver(&server, "any@example.com").await, 250);
    agent.delete(&format!("/v0/inboxes/{}", extra["inbox_id"].as_str().unwrap())).await.require_no_content();
    assert_eq!(deliver(&server, "any@example.com").await, 550);
    assert!(agent.get(&domain_path(&domain, "")).await.ok().get("catch_all_inbox_id").is_none());
}

#[tokio::test]
async fn messages_are_filtered_by_recipient_and_tag() {
    let (_dns, server, agent) = server_with_dns().await;
    let (name, host) = agent.inbox_id.split_once('@').unwrap();
    for to in [agent.inbox_id.clone(), format!("{name}+One@{host}"), format!("{name}+two@{host}")] {
        assert_eq!(deliver(&server, &to).await, 250);
    }
    let found = async |rest: &str| {
        let list = agent.get(&agent.inbox(&format!("/messages?{rest}"))).await;
        assert_eq!(list.header("inboxd-ignored-fields"), None);
        let list = list.ok();
        list["messages"].as_array().unwrap().iter().map(|item| item["delivered_to"].clone()).collect::<Vec<Value>>()
    };
    let one = json!(format!("{name}+one@{host}"));
    assert_eq!(found("tag=ONE").await, std::slice::from_ref(&one));
    assert_eq!(found(&format!("delivered_to={name}%2Bone@{host}&labels=unread")).await, std::slice::from_ref(&one));
    assert_eq!(found(&format!("delivered_to={}", agent.inbox_id)).await, [json!(agent.inbox_id)]);
    assert_eq!(found("tag=one&subject=two").await, [] as [Value; 0]);
    assert_eq!(found("tag=one&subject=ONE").await, std::slice::from_ref(&one));
    let searched = agent.get(&agent.inbox("/messages/search?q=hello&tag=two")).await.ok();
    assert_eq!(searched["count"], 1);
    let events = agent.get("/v0/events?limit=10").await.ok();
    let told = |event: &&Value| event["message"]["tag"] == "one" && event["message"]["delivered_to"] == one;
    assert_eq!(events["events"].as_array().unwrap().iter().filter(told).count(), 1, "{events:#}");
    let item = &agent.get(&agent.inbox("/messages?tag=one")).await.ok()["messages"][0];
    assert_eq!(item["headers"]["Subject"], item["subject"]);
    assert_eq!(item["headers"]["Message-ID"], item["message_id"]);
    agent.send(json!({"to": "bob@outside.example", "subject": "out", "text": "hi"})).await;
    assert!(agent.message_about("out").await.get("delivered_to").is_none());
}
