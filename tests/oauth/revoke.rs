//! `POST /oauth/revoke`.

use inboxd_testkit::{ApiResponse, HttpRequest, TestServer};

use super::flow::{Client, require_oauth_error};
use crate::support::server_and_agent;

const OWNER: &str = "owner@example.org";

async fn revoke(server: &TestServer, client_id: &str, token: &str) -> ApiResponse {
    let fields = [("client_id", client_id), ("token", token), ("token_type_hint", "refresh_token")];
    server.http().call(HttpRequest::new("POST", "/oauth/revoke").form(&fields)).await
}

#[tokio::test]
async fn client_revokes_its_tokens() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let first = client.connect(&server, OWNER, &[], &[]).await;
    // An access token ends alone.
    assert_eq!(revoke(&server, &client.client_id, &first.access_token).await.status, 200);
    first.http.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    let second = client.connected(&client.refresh(&first.refresh_token, &[]).await);
    second.http.get("/v0/inboxes").await.ok();
    // A refresh token ends its connection.
    assert_eq!(revoke(&server, &client.client_id, &second.refresh_token).await.status, 200);
    second.http.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    require_oauth_error(&client.refresh(&second.refresh_token, &[]).await, 400, "invalid_grant");
    assert_eq!(agent.get("/v0/connections").await.ok()["count"], 0);
}

#[tokio::test]
async fn unknown_and_foreign_tokens_change_nothing() {
    let (server, agent) = server_and_agent().await;
    let (client, other) = (Client::register(&server).await, Client::register(&server).await);
    let connected = client.connect(&server, OWNER, &[], &[]).await;
    for token in ["x", &connected.access_token, &connected.refresh_token, &agent.key] {
        assert_eq!(revoke(&server, &other.client_id, token).await.status, 200);
    }
    assert_eq!(revoke(&server, &client.client_id, &agent.key).await.status, 200);
    connected.http.get("/v0/inboxes").await.ok();
    agent.get("/v0/inboxes").await.ok();
    client.connected(&client.refresh(&connected.refresh_token, &[]).await);
    require_oauth_error(&revoke(&server, "client_unknown", "x").await, 401, "invalid_client");
    require_oauth_error(&revoke(&server, &client.client_id, "").await, 400, "invalid_request");
}
