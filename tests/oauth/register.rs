//! `POST /oauth/register`.

use inboxd_testkit::HttpRequest;
use serde_json::{Value, json};

use super::flow::{register, require_oauth_error};
use crate::support::{count, options, run_concurrently, server};

#[tokio::test]
async fn registered_metadata_is_returned() {
    let server = server().await;
    let public = register(
        &server,
        json!({
            "client_name": "  Exa\u{202e}mple\n ", "redirect_uris": ["http://localhost/callback", "cursor://app/callback"],
            "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"],
            "application_type": "native", "scope": "mail:read", "contacts": null, "x": {"y": []},
        }),
    )
    .await;
    assert_eq!(public.status, 201, "{}", public.text());
    assert_eq!(public.header("Cache-Control"), Some("no-store"));
    let mut public = public.json();
    let client_id = public["client_id"].take();
    assert!(client_id.as_str().unwrap().bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_'), "{client_id}");
    assert!(public["client_id_issued_at"].take().as_i64().unwrap() > 1_700_000_000);
    assert_eq!(
        public,
        json!({
            "client_id": null, "client_id_issued_at": null, "client_name": "Exa mple",
            "redirect_uris": ["http://localhost/callback", "cursor://app/callback"],
            "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
        })
    );
    // Without a method the client gets a secret.
    let secret = register(&server, json!({"redirect_uris": ["https://app.example/callback"]})).await.json();
    assert_eq!(secret["token_endpoint_auth_method"], "client_secret_basic");
    assert_eq!((&secret["client_secret_expires_at"], &secret["client_name"]), (&json!(0), &json!("app.example")));
    assert!(secret["client_secret"].as_str().unwrap().len() > 40);
    assert!(!secret.as_object().unwrap().values().any(Value::is_null), "{secret:#}");
}

#[tokio::test]
async fn bad_metadata_is_refused() {
    let server = server().await;
    let with = |name: &str, value: Value| {
        let mut body = json!({"redirect_uris": ["https://app.example/callback"]});
        body[name] = value;
        body
    };
    let uri = |uri: &str| (with("redirect_uris", json!([uri])), "invalid_redirect_uri");
    let many: Vec<String> = (0..11).map(|number| format!("https://app.example/{number}")).collect();
    let long = format!("https://app.example/{}", "x".repeat(2048));
    for (body, error) in [
        (json!({}), "invalid_redirect_uri"),
        (with("redirect_uris", json!([])), "invalid_redirect_uri"),
        (with("redirect_uris", json!("https://app.example")), "invalid_redirect_uri"),
        (with("redirect_uris", json!([1])), "invalid_redirect_uri"),
        (with("redirect_uris", json!(many)), "invalid_redirect_uri"),
        // All or none.
        (with("redirect_uris", json!(["https://app.example/", "javascript:alert(1)"])), "invalid_redirect_uri"),
        uri(&long),
        uri("http://app.example/callback"),
        uri("http://127.0.0.1.evil.example/callback"),
        uri("https://user@app.example/callback"),
        uri("https://*.app.example/callback"),
        uri("https://app.example/callback#fragment"),
        uri("/callback"),
        uri("https:"),
        uri("javascript:alert(1)"),
        uri("DATA:text/html,x"),
        uri("file:///etc/passwd"),
        uri("blob:https://app.example/x"),
        uri("about:blank"),
        uri("vbscript:x"),
        uri("https://app.example/a b"),
        uri("https://app.example/\r\nX: y"),
        (with("token_endpoint_auth_method", json!("private_key_jwt")), "invalid_client_metadata"),
        (with("token_endpoint_auth_method", json!(7)), "invalid_client_metadata"),
        (with("grant_types", json!(["password"])), "invalid_client_metadata"),
        (with("response_types", json!(["token"])), "invalid_client_metadata"),
        (with("client_name", json!([])), "invalid_client_metadata"),
        (json!([]), "invalid_client_metadata"),
    ] {
        require_oauth_error(&register(&server, body.clone()).await, 400, error);
    }
    let request = HttpRequest::new("POST", "/oauth/register").header("Content-Type", "application/json");
    require_oauth_error(&server.http().call(request.body("{")).await, 400, "invalid_client_metadata");
}

#[tokio::test]
async fn strangers_are_limited() {
    let server = options().set("INBOXD_UNAUTHENTICATED_RATE", "5").start().await;
    let answers = run_concurrently((0..8).map(|_| {
        let http = server.http();
        async move { http.post("/oauth/register", json!({"redirect_uris": ["https://app.example/"]})).await }
    }))
    .await;
    assert_eq!((count(&answers, 201), count(&answers, 429)), (5, 3));
    // The same limit covers the pages. Tokens have a wider limit of their own: hosted clients share few addresses.
    let token = server.http().call(HttpRequest::new("POST", "/oauth/token").form(&[])).await;
    assert_ne!(token.status, 429);
    let page = server.http().get("/oauth/authorize").await;
    assert_eq!((page.status, page.header("Content-Type")), (429, Some("text/html; charset=utf-8")));
    assert!(page.header("Retry-After").is_some());
    // The metadata has no limit: a client gives up after a 429 there.
    for _ in 0..10 {
        server.http().get("/.well-known/oauth-authorization-server").await.ok();
    }
}

#[tokio::test]
async fn number_of_unused_clients_is_bounded() {
    let server = options().set("INBOXD_MAX_UNUSED_CLIENTS", "2").start().await;
    let body = json!({"redirect_uris": ["https://app.example/"], "token_endpoint_auth_method": "none"});
    let mut clients = Vec::new();
    for _ in 0..3 {
        let registered = register(&server, body.clone()).await;
        assert_eq!(registered.status, 201, "{}", registered.text());
        clients.push(registered.json()["client_id"].as_str().unwrap().to_owned());
    }
    // The oldest one made way: no stranger blocks the registration of others.
    for (client_id, error) in clients.iter().zip(["invalid_client", "invalid_grant", "invalid_grant"]) {
        let fields = [("grant_type", "refresh_token"), ("client_id", client_id), ("refresh_token", "rt_x")];
        let answer = server.http().call(HttpRequest::new("POST", "/oauth/token").form(&fields)).await;
        assert_eq!(answer.envelope()["error"], error, "{client_id}");
    }
}
