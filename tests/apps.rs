//! `/v0/apps`, `/v0/providers`, `…/accounts` and `…/authorize`: features that this service lacks.

use serde_json::json;

use crate::support::server_and_agent;

const NOBODY: &str = "d5e9c84f-c2b2-4bf4-b4b0-7ffd7a9ffc32";

#[tokio::test]
async fn apps_providers_and_accounts_are_empty_lists() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    for (path, plural) in [
        ("/v0/apps?category=ai&limit=3".to_owned(), "apps"),
        ("/v0/apps/search?q=fire&limit=3".to_owned(), "apps"),
        ("/v0/apps/firecrawl/accounts?limit=3".to_owned(), "accounts"),
        ("/v0/providers?limit=3".to_owned(), "providers"),
        ("/v0/providers/search?q=fire&limit=3".to_owned(), "providers"),
        ("/v0/providers/firecrawl/accounts?limit=3".to_owned(), "accounts"),
        ("/v0/accounts?ascending=true&limit=3".to_owned(), "accounts"),
        (agent.inbox("/accounts?limit=3"), "accounts"),
        (format!("/v0/pods/{pod}/accounts?limit=3"), "accounts"),
    ] {
        assert_eq!(agent.get(&path).await.ok(), json!({"count": 0, "limit": 3, plural: []}), "{path}");
    }
    assert_eq!(agent.get("/v0/apps?category=games").await.bad_fields(), ["category"]);
    assert_eq!(agent.get("/v0/accounts?page_token=x").await.bad_fields(), ["page_token"]);
    agent.get("/v0/inboxes/nobody@inboxd.localhost/accounts").await.require_error(404, "not_found");
}

#[tokio::test]
async fn sign_in_at_an_app_is_refused_with_the_way_that_works() {
    let (_server, agent) = server_and_agent().await;
    for path in ["/v0/apps/firecrawl/connect", "/v0/providers/firecrawl/connect"] {
        let refused = agent.post(path, json!({"inbox_id": agent.inbox_id})).await.require_error(403, "not_offered");
        assert!(refused["fix"].as_str().unwrap().contains("mails to the inbox"), "{refused:#}");
    }
    let authorize = agent.inbox("/authorize");
    agent.post(&authorize, json!({"auth_token": "token"})).await.require_error(403, "not_offered");
    assert_eq!(agent.post(&authorize, json!({})).await.bad_fields(), ["auth_token"]);
    for path in
        ["/v0/apps/firecrawl".to_owned(), format!("/v0/accounts/{NOBODY}"), agent.inbox(&format!("/accounts/{NOBODY}"))]
    {
        agent.get(&path).await.require_error(404, "not_found");
    }
    let update = format!("/v0/accounts/{NOBODY}/update");
    agent.patch(&update, json!({"status": "disabled"})).await.require_error(404, "not_found");
    assert_eq!(agent.patch(&update, json!({"status": "gone"})).await.bad_fields(), ["status"]);
}

#[tokio::test]
async fn labs_are_not_available_and_cannot_be_joined() {
    let (_server, agent) = server_and_agent().await;
    let labs = agent.get("/v0/organizations/labs").await.ok();
    assert_eq!(labs, json!({"enabled": false, "available": false}));
    agent.post("/v0/organizations/labs", json!({})).await.require_error(403, "not_offered");
}
