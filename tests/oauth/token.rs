//! `POST /oauth/token` with codes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inboxd_testkit::{HttpRequest, encoded};
use serde_json::json;

use super::flow::{Client, VERIFIER, register, require_oauth_error};
use crate::people::{invite, member_path};
use crate::support::{count, run_concurrently, server_and_agent};

const OWNER: &str = "owner@example.org";

#[tokio::test]
async fn code_is_bound_to_client_redirect_uri_verifier_and_resource() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let other = Client::register(&server).await;
    let short = "x".repeat(42);
    for (parameters, error) in [
        (&[("client_id", &*other.client_id)][..], "invalid_grant"),
        (&[("redirect_uri", "https://app.example/other")], "invalid_grant"),
        (&[("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXX")], "invalid_grant"),
        (&[("code_verifier", &*short)], "invalid_grant"),
        (&[("resource", "https://other.example/")], "invalid_target"),
    ] {
        let code = client.authorize(&server, OWNER, &[], &[]).await;
        require_oauth_error(&client.exchange(&code, parameters).await, 400, error);
        // The first use ended the code in spite of its outcome.
        require_oauth_error(&client.exchange(&code, &[]).await, 400, "invalid_grant");
    }
    require_oauth_error(&client.exchange("ac_unknown", &[]).await, 400, "invalid_grant");
    let code = client.authorize(&server, OWNER, &[("resource", &format!("{}/mcp", server.base_url()))], &[]).await;
    let resource = format!("{}/", server.base_url());
    client.connected(&client.exchange(&code, &[("resource", &resource)]).await);
}

#[tokio::test]
async fn malformed_requests_are_refused() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let code = client.authorize(&server, OWNER, &[], &[]).await;
    for (parameters, status, error) in [
        (&[("grant_type", "")][..], 400, "invalid_request"),
        (&[("grant_type", "password")], 400, "unsupported_grant_type"),
        (&[("grant_type", "client_credentials")], 400, "unsupported_grant_type"),
        (&[("code", "")], 400, "invalid_request"),
        (&[("code_verifier", "")], 400, "invalid_request"),
        (&[("code", "a"), ("code", "b")], 400, "invalid_request"),
        (&[("client_id", "")], 401, "invalid_client"),
        (&[("client_id", "client_unknown")], 401, "invalid_client"),
        // A public client has no secret.
        (&[("client_secret", "cs_x")], 401, "invalid_client"),
        (&[("grant_type", "refresh_token")], 400, "invalid_request"),
    ] {
        let response = client.exchange(&code, parameters).await;
        require_oauth_error(&response, status, error);
        // A challenge would hide the error of the body from strict clients.
        assert_eq!(response.header("WWW-Authenticate"), None);
    }
    let json = server.http().post("/oauth/token", json!({"grant_type": "authorization_code"})).await;
    require_oauth_error(&json, 400, "invalid_request");
    require_oauth_error(&server.http().call(HttpRequest::new("POST", "/oauth/token")).await, 400, "invalid_request");
    // None of them used the code.
    client.connected(&client.exchange(&code, &[]).await);
}

#[tokio::test]
async fn second_use_of_code_revokes_what_it_issued() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let code = client.authorize(&server, OWNER, &[], &[]).await;
    let connected = client.connected(&client.exchange(&code, &[]).await);
    connected.http.get("/v0/inboxes").await.ok();
    require_oauth_error(&client.exchange(&code, &[]).await, 400, "invalid_grant");
    connected.http.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    require_oauth_error(&client.refresh(&connected.refresh_token, &[]).await, 400, "invalid_grant");
    assert_eq!(agent.get("/v0/connections").await.ok()["count"], 0);
    let ended = agent.get("/v0/audit?action=connection.deleted").await.ok();
    assert_eq!((&ended["count"], &ended["entries"][0]["actor"]["type"]), (&json!(1), &json!("oauth_client")));
}

#[tokio::test]
async fn concurrent_exchanges_of_one_code_succeed_once_and_revoke() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    for _ in 0..3 {
        let code = client.authorize(&server, OWNER, &[], &[]).await;
        let answers = run_concurrently((0..4).map(|_| {
            let (client, code) = (client.clone(), code.clone());
            async move { client.exchange(&code, &[]).await }
        }))
        .await;
        assert_eq!((count(&answers, 200), count(&answers, 400)), (1, 3));
        let issued = answers.iter().find(|answer| answer.status == 200).unwrap();
        let connected = client.connected(issued);
        connected.http.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
        assert_eq!(agent.get("/v0/connections").await.ok()["count"], 0);
    }
}

#[tokio::test]
async fn code_works_for_a_minute() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let code = client.authorize(&server, OWNER, &[], &[]).await;
    let left = "expires_at - now() BETWEEN interval '50 seconds' AND interval '60 seconds'";
    server.database().execute(&format!("DO $$ BEGIN ASSERT (SELECT {left} FROM oauth_codes); END $$")).await;
    server.database().execute("UPDATE oauth_codes SET expires_at = now()").await;
    require_oauth_error(&client.exchange(&code, &[]).await, 400, "invalid_grant");
}

#[tokio::test]
async fn client_with_secret_authenticates_by_header_or_body() {
    let (server, _agent) = server_and_agent().await;
    let body = json!({"client_name": "Secret", "redirect_uris": ["https://app.example/callback"]});
    let registered = register(&server, body).await.json();
    let (id, secret) = (registered["client_id"].as_str().unwrap(), registered["client_secret"].as_str().unwrap());
    let client = Client::register(&server).await;
    let client = Client { client_id: id.to_owned(), ..client };
    let basic = |pair: String| format!("Basic {}", STANDARD.encode(pair));
    let encoded_pair = format!("{}:{}", encoded(&id.replace('_', "%5F")).replace("%25", "%"), encoded(secret));
    for (header, with_id, with_secret, expected) in [
        (Some(basic(format!("{id}:{secret}"))), false, None, Ok(())),
        // Some libraries encode, and some send the id beside.
        (Some(basic(encoded_pair)), true, None, Ok(())),
        (None, true, Some(secret), Ok(())),
        (Some(basic(format!("{id}:{secret}"))), true, Some(secret), Err((400, "invalid_request"))),
        (Some(basic(format!("{id}:wrong"))), false, None, Err((401, "invalid_client"))),
        (Some("Basic x".to_owned()), true, None, Err((401, "invalid_client"))),
        (None, true, Some("wrong"), Err((401, "invalid_client"))),
        (None, true, None, Err((401, "invalid_client"))),
    ] {
        let code = client.authorize(&server, OWNER, &[], &[]).await;
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("redirect_uri", &*client.redirect_uri),
            ("code", &*code),
            ("code_verifier", VERIFIER),
        ];
        fields.extend(with_id.then_some(("client_id", id)));
        fields.extend(with_secret.map(|secret| ("client_secret", secret)));
        let mut request = HttpRequest::new("POST", "/oauth/token").form(&fields);
        if let Some(header) = &header {
            request = request.header("Authorization", header);
        }
        let response = server.http().call(request).await;
        match expected {
            Ok(()) => drop(client.connected(&response)),
            Err((status, error)) => {
                require_oauth_error(&response, status, error);
                let challenge = (status == 401 && header.is_some()).then_some("Basic realm=\"inboxd\"");
                assert_eq!(response.header("WWW-Authenticate"), challenge);
            }
        }
    }
}

#[tokio::test]
async fn member_removed_in_mid_flow_gets_no_tokens() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    invite(&agent, "tim@example.org", "member", json!([])).await;
    let code = client.authorize(&server, "tim@example.org", &[], &[]).await;
    agent.delete(&member_path(&agent, "tim@example.org").await).await.require_no_content();
    require_oauth_error(&client.exchange(&code, &[]).await, 400, "invalid_grant");
}
