//! Plans, which all have the whole API and differ only in volume.

use std::collections::BTreeMap;

use super::document::operations;
use crate::support::{mail_to, receive, server, set_plan};

#[tokio::test]
async fn plans_have_the_whole_api() {
    let server = server().await;
    let operations = operations(&server).await;
    let mut answers: BTreeMap<String, Vec<(&str, u16, String)>> = BTreeMap::new();
    for plan in ["free", "startup", "business", "enterprise"] {
        let agent = server.verified(&format!("{plan}@example.org"), plan).await;
        set_plan(&server, &agent, plan).await;
        receive(&server, &agent, &mail_to(&agent, "hello").attach("plan.txt", "text/plain", b"a plan")).await;
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
        // Deletions run last, and those of containers at the very end.
        let mut ordered: Vec<_> = operations.iter().filter(|operation| !operation.is_open()).collect();
        ordered.sort_by_key(|operation| {
            let is_delete = operation.method == "DELETE";
            (is_delete, std::cmp::Reverse(if is_delete { operation.things().len() } else { 0 }))
        });
        for operation in ordered {
            let answer = agent.call(operation.request(&values)).await;
            let code = if answer.status < 300 { String::new() } else { answer.envelope()["code"].to_string() };
            if operation.method == "POST" && operation.path.ends_with("/webhooks") {
                // The webhook limit is lower than the number of paths that create webhooks.
                let made = answer.ok()["webhook_id"].as_str().unwrap().to_owned();
                agent.delete(&format!("/v0/webhooks/{made}")).await.require_no_content();
            }
            let what = format!("{} {}", operation.method, operation.path);
            answers.entry(what).or_default().push((plan, answer.status, code));
        }
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
