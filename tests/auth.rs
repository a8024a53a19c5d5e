//! `/v0/auth`: who a key is.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use crate::support::server_and_agent;

#[tokio::test]
async fn the_key_of_a_sign_up_is_the_organization() {
    let (_server, agent) = server_and_agent().await;
    let me = agent.get("/v0/auth/me").await.ok();
    assert_snapshot!(redacted(&me), @r#"
    {
      "api_key_id": "[key_…]",
      "organization_id": "[org_…]",
      "organizations": [
        {
          "organization_id": "[org_…]",
          "role": "owner"
        }
      ],
      "scope_id": "[org_…]",
      "scope_type": "organization"
    }
    "#);
    assert_eq!(me["scope_id"], agent.organization_id);
}

#[tokio::test]
async fn the_key_of_an_inbox_is_that_inbox() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"name": "reader", "permissions": {"message_read": true}});
    let key = agent.key_with(&agent.inbox("/api-keys"), body).await;
    assert_snapshot!(redacted(&key.get("/v0/auth/me").await.ok()), @r#"
    {
      "api_key_id": "[key_…]",
      "inbox_id": "scout@signup.inboxd.localhost",
      "organization_id": "[org_…]",
      "organizations": [
        {
          "organization_id": "[org_…]",
          "role": "owner"
        }
      ],
      "permissions": {
        "message_read": true
      },
      "pod_id": "[pod_…]",
      "scope_id": "scout@signup.inboxd.localhost",
      "scope_type": "inbox"
    }
    "#);
}
