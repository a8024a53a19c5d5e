//! Plans, which all have the whole API and differ only in volume.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use futures_util::future::join_all;
use inboxd_testkit::TestServer;

use super::document::{Operation, operations};
use crate::support::{mail_to, receive, server, set_plan};

/// Plan, status and code of a response.
type PlanResponse<'a> = (&'a str, u16, String);

/// Calls every operation in an organization with a plan, and returns the responses by operation.
async fn call_all<'a>(server: &TestServer, operations: &[Operation], plan: &'a str) -> Vec<(String, PlanResponse<'a>)> {
    let agent = server.verified(&format!("{plan}@example.org"), plan).await;
    set_plan(server, &agent, plan).await;
    receive(server, &agent, &mail_to(&agent, "hello").attach("plan.txt", "text/plain", b"a plan")).await;
    let message = agent.message_about("hello").await;
    let id = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let key = agent.post(&agent.inbox("/api-keys"), serde_json::json!({"name": "spare"})).await.ok();
    let values = [
        ("inbox_id", agent.inbox_id.clone()),
        ("message_id", inboxd_testkit::encoded(&id(&message["message_id"]))),
        ("thread_id", id(&message["thread_id"])),
        ("attachment_id", id(&message["attachments"][0]["attachment_id"])),
        ("pod_id", id(&key["pod_id"])),
        ("api_key_id", id(&key["api_key_id"])),
    ];
    let values: Vec<_> = values.iter().map(|(name, id)| (*name, id.as_str())).collect();
    let mut responses = Vec::new();
    for operation in operations {
        let answer = agent.call(operation.request(&values)).await;
        let code = if answer.status < 300 { String::new() } else { answer.envelope()["code"].to_string() };
        if operation.method == "POST" && operation.path.ends_with("/webhooks") {
            // The webhook limit is lower than the number of paths that create webhooks.
            let made = answer.ok()["webhook_id"].as_str().unwrap().to_owned();
            agent.delete(&format!("/v0/webhooks/{made}")).await.require_no_content();
        }
        let what = format!("{} {}", operation.method, operation.path);
        responses.push((what, (plan, answer.status, code)));
    }
    responses
}

#[tokio::test]
async fn plans_have_the_whole_api() {
    let server = server().await;
    let mut operations = operations(&server).await;
    operations.retain(|operation| !operation.is_open());
    // Deletions run last, and those of containers at the very end.
    operations.sort_by_key(|operation| {
        let is_delete = operation.method == "DELETE";
        (is_delete, Reverse(if is_delete { operation.things().len() } else { 0 }))
    });
    let plans = ["free", "startup", "business", "enterprise"];
    let responses = join_all(plans.map(|plan| call_all(&server, &operations, plan))).await;
    let mut answers: BTreeMap<String, Vec<PlanResponse<'_>>> = BTreeMap::new();
    for (what, response) in responses.into_iter().flatten() {
        answers.entry(what).or_default().push(response);
    }
    assert!(answers.len() > 90, "only {} operations were tried", answers.len());
    let mut succeeded = 0;
    for (what, answers) in &answers {
        let (_, status, code) = &answers[0];
        assert_eq!(answers.len(), 4, "{what}");
        assert!(answers.iter().all(|(_, other, why)| (other, why) == (status, code)), "{what}: {answers:#?}");
        assert!(![402, 429].contains(status), "{what}: {answers:#?}");
        succeeded += usize::from(*status < 300);
    }
    assert!(succeeded > 40, "only {succeeded} operations succeeded");
}
