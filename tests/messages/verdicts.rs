//! Mail with verdict labels, which lists omit unless the parameter of the label includes it.

use serde_json::json;

use super::hide;
use crate::support::{receive_all, server_and_agent, subjects};

/// Verdict labels of received mail.
const VERDICTS: [&str; 3] = ["spam", "blocked", "unauthenticated"];

#[tokio::test]
async fn verdict_label_is_included_by_its_parameter() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["clean", "spam", "blocked", "unauthenticated"]).await;
    for label in VERDICTS {
        hide(&server, &agent, &agent.message_about(label).await["message_id"], label).await;
    }
    for listed in ["/messages", "/threads"] {
        assert_eq!(subjects(&agent, listed).await, ["clean"]);
        for label in VERDICTS {
            let included = subjects(&agent, &format!("{listed}?include_{label}=true")).await;
            assert_eq!(included, [label, "clean"], "{listed}");
        }
        let all = format!("{listed}?include_spam=true&include_blocked=true&include_unauthenticated=true");
        assert_eq!(subjects(&agent, &all).await, ["unauthenticated", "blocked", "spam", "clean"]);
    }
    assert_eq!(subjects(&agent, "/messages?labels=spam&include_spam=true").await, ["spam"]);
    assert_eq!(subjects(&agent, "/messages/search?q=about").await, ["clean"]);

    // A key without the permission does not see it with any parameter.
    let body = json!({"name": "reader", "permissions": {"message_read": true, "label_spam_read": true}});
    let reader = agent.create_key("/v0/api-keys", body).await;
    let all = agent.inbox("/messages?include_spam=true&include_blocked=true");
    assert_eq!(reader.get(&all).await.ok()["count"], 2);
}
