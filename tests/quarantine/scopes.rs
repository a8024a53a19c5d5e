//! Own quarantines of pods and inboxes: the strictest scope decides.

use inboxd_testkit::{HttpClient, MailBuilder, TestServer};
use serde_json::{Value, json};

use super::{ATTACK, OWNER, events, set_quarantine, types};
use crate::people::sign_in_client;
use crate::support::{server_and_agent, text_fields};

/// Receives one mail with signs of an attack in all of these inboxes.
async fn attack_on(server: &TestServer, inbox_ids: &[&str], subject: &str) {
    let mail = MailBuilder::new("eve@outside.example", inbox_ids[0], subject, ATTACK);
    let reply = server.deliver("alice@outside.example", inbox_ids, mail.raw()).await;
    assert_eq!(reply.code, 250, "{reply:?}");
}

/// Returns the subjects that a client sees in an inbox.
async fn shown(client: &HttpClient, inbox_id: &str) -> Vec<String> {
    let list = client.get(&format!("/v0/inboxes/{inbox_id}/messages")).await.ok();
    text_fields(&list, "messages", "subject").into_iter().map(str::to_owned).collect()
}

/// Sets the own quarantine of a pod or inbox.
async fn set_own(client: &HttpClient, path: &str, mode: &str) {
    let changed = client.patch(path, json!({"quarantine": mode})).await.ok();
    assert_eq!(changed["quarantine"], mode, "{path}");
    assert_eq!(client.get(path).await.ok(), changed);
}

/// Refuses each less strict mode than `hold` to an agent, clears it as a person, and returns the audit entries.
async fn loosen(agent: &HttpClient, owner: &HttpClient, path: &str, action: &str) -> Value {
    for mode in [json!("monitor"), json!("off"), Value::Null] {
        let refusal = agent.patch(path, json!({"quarantine": mode})).await.require_error(403, "missing_permission");
        assert!(refusal["fix"].as_str().unwrap().contains("sign in"), "{refusal:#}");
    }
    assert_eq!(agent.patch(path, json!({"quarantine": "x"})).await.bad_fields(), ["quarantine"]);
    assert_eq!(agent.patch(path, json!({})).await.ok()["quarantine"], "hold");
    let cleared = owner.patch(path, json!({"quarantine": null})).await.ok();
    assert_eq!(cleared.get("quarantine"), None, "{path}");
    owner.get(&format!("/v0/audit?action={action}")).await.ok()["entries"].clone()
}

#[tokio::test]
async fn pod_holds_mail_of_its_inboxes_alone() {
    let (server, agent) = server_and_agent().await;
    let pod_id = agent.post("/v0/pods", json!({"name": "Customer"})).await.ok()["pod_id"].clone();
    let pod = format!("/v0/pods/{}", pod_id.as_str().unwrap());
    let made = agent.post(&format!("{pod}/inboxes"), json!({"username": "desk"})).await.ok();
    let (desk, own) = (made["inbox_id"].as_str().unwrap(), agent.inbox_id.as_str());
    set_own(&agent, &pod, "hold").await;
    attack_on(&server, &[desk, own], "invoice").await;
    assert_eq!((shown(&agent, desk).await, shown(&agent, own).await), (vec![], vec!["invoice".to_owned()]));
    let told = events(&agent).await;
    let of_desk = told.iter().find(|event| event["event_type"] == "message.security.review");
    assert_eq!(of_desk.unwrap()["message"]["inbox_id"], desk, "{told:#?}");
    let owner = sign_in_client(&server, OWNER).await;
    let entries = loosen(&agent, &owner, &pod, "pod.quarantine_updated").await;
    assert_eq!((&entries[0]["resource_id"], &entries[0]["before"]), (&pod_id, &json!({"quarantine": "hold"})));
    assert_eq!((&entries[1]["after"], entries.as_array().unwrap().len()), (&json!({"quarantine": "hold"}), 2));
    attack_on(&server, &[desk], "later").await;
    assert_eq!(shown(&agent, desk).await, ["later"]);
}

#[tokio::test]
async fn inbox_monitors_or_holds_its_own_mail() {
    let (server, agent) = server_and_agent().await;
    let made = agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let (desk, own) = (made["inbox_id"].as_str().unwrap(), agent.inbox_id.as_str());
    assert_eq!(made.get("quarantine"), None, "an inbox has no quarantine of its own at first");
    let path = format!("/v0/inboxes/{desk}");
    set_own(&agent, &path, "monitor").await;
    attack_on(&server, &[desk, own], "seen").await;
    let told = events(&agent).await;
    let completed: Vec<&Value> =
        told.iter().filter(|event| event["event_type"] == "message.security.completed").collect();
    assert_eq!(completed.len(), 1, "{told:#?}");
    assert_eq!(completed[0]["message"]["inbox_id"], desk);
    set_own(&agent, &path, "hold").await;
    attack_on(&server, &[desk, own], "held").await;
    assert_eq!(shown(&agent, desk).await, ["seen"]);
    assert_eq!(shown(&agent, own).await, ["held", "seen"]);
    let owner = sign_in_client(&server, OWNER).await;
    let entries = loosen(&agent, &owner, &path, "inbox.quarantine_updated").await;
    let (before, after) = (&entries[1]["before"], &entries[1]["after"]);
    assert_eq!((before, after), (&json!({"quarantine": "monitor"}), &json!({"quarantine": "hold"})));
    assert_eq!((&entries[0]["resource_id"], entries.as_array().unwrap().len()), (&json!(desk), 3));
}

#[tokio::test]
async fn looser_inbox_widens_no_quarantine_of_its_organization_or_pod() {
    let (server, agent) = server_and_agent().await;
    let (inbox, own) = (agent.inbox(""), agent.inbox_id.as_str());
    let pod = format!("/v0/pods/{}", agent.get(&inbox).await.ok()["pod_id"].as_str().unwrap());
    set_quarantine(&agent, "hold").await;
    set_own(&agent, &pod, "off").await;
    set_own(&agent, &inbox, "off").await;
    attack_on(&server, &[own], "held by the organization").await;
    let owner = sign_in_client(&server, OWNER).await;
    set_quarantine(&owner, "off").await;
    set_own(&agent, &pod, "hold").await;
    set_own(&agent, &inbox, "monitor").await;
    attack_on(&server, &[own], "held by the pod").await;
    assert_eq!(shown(&agent, own).await, [""; 0]);
    assert_eq!(types(&events(&agent).await), ["message.security.review"; 2]);
}
