//! `POST /oauth/token` with refresh tokens.

use super::flow::{Client, require_oauth_error};
use crate::support::{count, run_concurrently, server_and_agent};

const OWNER: &str = "owner@example.org";
/// Moves the retirement of all refresh tokens into the past.
const MINUTE_LATER: &str = "UPDATE oauth_refresh_tokens SET retired_at = retired_at - interval '61 seconds'";

#[tokio::test]
async fn refresh_tokens_rotate() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let first = client.connect(&server, OWNER, &[], &[]).await;
    let second = client.connected(&client.refresh(&first.refresh_token, &[]).await);
    assert!(first.refresh_token != second.refresh_token && first.access_token != second.access_token);
    assert_eq!(second.scope, first.scope);
    for connected in [&first, &second] {
        connected.http.get("/v0/inboxes").await.ok();
    }
    let third = client.connected(&client.refresh(&second.refresh_token, &[]).await);
    assert_eq!(agent.get("/v0/connections").await.ok()["count"], 1);
    // One that is older than the predecessor ends everything.
    require_oauth_error(&client.refresh(&first.refresh_token, &[]).await, 400, "invalid_grant");
    for connected in [&first, &second, &third] {
        connected.http.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    }
    require_oauth_error(&client.refresh(&third.refresh_token, &[]).await, 400, "invalid_grant");
    assert_eq!(agent.get("/v0/connections").await.ok()["count"], 0);
}

#[tokio::test]
async fn predecessor_works_for_a_minute() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let first = client.connect(&server, OWNER, &[], &[]).await;
    client.connected(&client.refresh(&first.refresh_token, &[]).await);
    let again = client.connected(&client.refresh(&first.refresh_token, &[]).await);
    again.http.get("/v0/inboxes").await.ok();
    server.database().execute(MINUTE_LATER).await;
    require_oauth_error(&client.refresh(&first.refresh_token, &[]).await, 400, "invalid_grant");
    again.http.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn concurrent_refreshes_all_succeed() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let mut tokens = vec![client.connect(&server, OWNER, &[], &[]).await.refresh_token];
    for _ in 0..3 {
        let token = tokens.pop().unwrap();
        let answers = run_concurrently((0..5).map(|_| {
            let (client, token) = (client.clone(), token.clone());
            async move { client.refresh(&token, &[]).await }
        }))
        .await;
        assert_eq!(
            count(&answers, 200),
            5,
            "{:?}",
            answers.iter().map(inboxd_testkit::ApiResponse::text).collect::<Vec<_>>()
        );
        for answer in &answers {
            let connected = client.connected(answer);
            connected.http.get("/v0/inboxes").await.ok();
            tokens.push(connected.refresh_token);
        }
        // Each process goes on with its own.
        for token in tokens.drain(1..) {
            client.connected(&client.refresh(&token, &[]).await);
        }
    }
    assert_eq!(agent.get("/v0/connections").await.ok()["count"], 1);
}

#[tokio::test]
async fn scope_narrows_and_never_widens() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let first = client.connect(&server, OWNER, &[("scope", "mail:read mail:draft")], &[]).await;
    assert_eq!(first.scope, "mail:read mail:draft");
    let wider = client.refresh(&first.refresh_token, &[("scope", "mail:read mail:send")]).await;
    require_oauth_error(&wider, 400, "invalid_scope");
    let narrow = client.connected(&client.refresh(&first.refresh_token, &[("scope", "mail:read")]).await);
    assert_eq!(narrow.scope, "mail:read");
    let draft = serde_json::json!({"subject": "x"});
    narrow.http.post(&agent.inbox("/drafts"), draft.clone()).await.require_error(403, "missing_permission");
    // The connection keeps the granted access.
    let wide = client.connected(&client.refresh(&narrow.refresh_token, &[]).await);
    assert_eq!(wide.scope, "mail:read mail:draft");
    let by_habit = &[("scope", "openid offline_access")];
    let wide = client.connected(&client.refresh(&wide.refresh_token, by_habit).await);
    assert_eq!(wide.scope, "mail:read mail:draft");
    wide.http.post(&agent.inbox("/drafts"), draft).await.ok();
}

#[tokio::test]
async fn refresh_token_belongs_to_client_resource_and_time() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let other = Client::register(&server).await;
    let first = client.connect(&server, OWNER, &[], &[]).await;
    require_oauth_error(&other.refresh(&first.refresh_token, &[]).await, 400, "invalid_grant");
    let elsewhere = client.refresh(&first.refresh_token, &[("resource", "https://other.example/")]).await;
    require_oauth_error(&elsewhere, 400, "invalid_target");
    for forged in ["x", &first.access_token, &first.refresh_token[1..], &format!("{}A", first.refresh_token)] {
        require_oauth_error(&client.refresh(forged, &[]).await, 400, "invalid_grant");
    }
    let second = client.connected(&client.refresh(&first.refresh_token, &[]).await);
    server.database().execute("UPDATE oauth_refresh_tokens SET expires_at = now()").await;
    require_oauth_error(&client.refresh(&second.refresh_token, &[]).await, 400, "invalid_grant");
}

#[tokio::test]
async fn access_token_works_for_an_hour() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let first = client.connect(&server, OWNER, &[], &[]).await;
    server.database().execute("UPDATE api_keys SET expires_at = now() WHERE connection_id IS NOT NULL").await;
    let second = client.connected(&client.refresh(&first.refresh_token, &[]).await);
    second.http.get("/v0/inboxes").await.ok();
    let expired = first.http.get("/v0/inboxes").await;
    expired.require_error(401, "api_key_expired");
    assert!(expired.header("WWW-Authenticate").unwrap().ends_with("error=\"invalid_token\""));
}
