//! What dry runs and the audit log show of policies.

use serde_json::{Value, json};

use super::{draft_path, for_everyone, held, hold_first_contacts, owner, put};
use crate::send_methods::{every_send_method, receive_question};
use crate::support::server_and_agent;

#[tokio::test]
async fn dry_run_shows_the_verdict_of_each_rule_and_the_decision() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    let methods = every_send_method(&agent, &question).await;
    let contact = agent.inbox("/contacts/bob%40outside.example");
    person.patch(&contact, json!({"decision": "trusted"})).await.ok();
    put(&person, &agent.inbox("/policy"), &json!({"recipients": {"known": "allow"}})).await.ok();
    for (action, result) in [("hold", "hold"), ("refuse", "refuse")] {
        put(&person, "/v0/policy", &for_everyone(action)).await.ok();
        for method in &methods {
            let shown = method.dry_run(&agent).await.ok();
            assert_eq!(shown["result"], result, "{}: {shown:#}", method.name);
            let rule = |scope: &str, verdict: &str, reason: &str| json!({"rule": "recipients.known", "scope": scope, "verdict": verdict, "reason": reason});
            let does = if action == "hold" { "holds for approval" } else { "refuses" };
            let of_organization =
                format!("the policy of the organization {does} messages to bob@outside.example, a known correspondent");
            let of_inbox = format!(
                "the policy of the inbox {} allows messages to bob@outside.example, a known correspondent",
                agent.inbox_id
            );
            let expected = json!([rule("organization", action, &of_organization), rule("inbox", "allow", &of_inbox)]);
            assert_eq!(shown["rules"], expected, "{}", method.name);
            let refusal = if action == "refuse" { json!("policy_refused") } else { Value::Null };
            assert_eq!(shown["refusal"]["code"], refusal, "{}", method.name);
        }
    }
    assert_eq!(agent.get("/v0/drafts?labels=awaiting_approval").await.ok()["count"], 0, "nothing was held");
    let events = agent.get("/v0/events?event_types=message.held&event_types=message.rejected").await.ok();
    assert_eq!(events["events"], json!([]));
}

#[tokio::test]
async fn changes_of_policies_and_decisions_are_in_the_audit_log() {
    let (server, agent) = server_and_agent().await;
    let person = owner(&server).await;
    let entries = async |query: &str| agent.get(&format!("/v0/audit?{query}")).await.ok()["entries"].clone();
    hold_first_contacts(&person).await;
    let changed = entries("action=policy.updated").await[0].clone();
    assert_eq!((&changed["resource_type"], &changed["resource_id"]), (&json!("policy"), &json!("organization")));
    assert_eq!(
        (&changed["actor"]["email"], &changed["client_address"]),
        (&json!("owner@example.org"), &json!("127.0.0.1"))
    );
    assert_eq!(changed["before"]["recipients"]["first_contact"], "allow");
    assert_eq!(changed["after"]["recipients"]["first_contact"], "hold");
    assert_eq!(
        (&changed["before"]["content"]["secrets"], &changed["after"]["content"]["secrets"]),
        (&json!("hold"), &json!("allow"))
    );
    assert_eq!(changed["after"].get("amount"), None, "only facts that differ");

    let key = agent.post("/v0/api-keys", json!({"name": "brief"})).await.ok();
    let key_id = key["api_key_id"].as_str().unwrap();
    let hours = json!({"hours": {"zone": "UTC", "days": ["mon"], "from": "09:00", "until": "17:30"}});
    put(&person, &format!("/v0/api-keys/{key_id}/policy"), &hours).await.ok();
    agent.delete(&format!("/v0/api-keys/{key_id}")).await.require_no_content();
    let of_key = entries(&format!("resource_type=policy&resource_id={key_id}")).await;
    let actions: Vec<&Value> = of_key.as_array().unwrap().iter().map(|entry| &entry["action"]).collect();
    assert_eq!(actions, ["policy.deleted", "policy.created"], "a policy ends with its key");
    assert_eq!(of_key[1]["after"]["hours"]["until"], "17:30");
    assert_eq!(of_key[0]["actor"]["type"], "api_key");

    for (act, action) in [("approve", "draft.approved"), ("reject", "draft.rejected")] {
        let waiting = held(&agent, &format!("{act}@outside.example"), "hello").await;
        let body = json!({"message_id": waiting["message_id"]});
        person.post(&draft_path(&agent, &waiting["draft_id"], &format!("/{act}")), body).await.ok();
        let entry = entries(&format!("action={action}")).await[0].clone();
        assert_eq!((&entry["resource_id"], &entry["actor"]["type"]), (&waiting["draft_id"], &json!("member")));
        let after = &entry["after"];
        assert_eq!((&after["message_id"], &after["inbox_id"]), (&waiting["message_id"], &json!(agent.inbox_id)));
        assert_eq!((&after["rule"], &after["author"]["type"]), (&json!("recipients.first_contact"), &json!("api_key")));
    }
}
