//! Discovery: well-known documents and challenges.

use inboxd_testkit::{ApiResponse, HttpRequest};
use serde_json::{Value, json};

use super::flow::register;
use crate::support::{options, server};

#[tokio::test]
async fn documents_describe_resources_and_server() {
    let server = server().await;
    let base = server.base_url();
    let scopes = json!(["mail:read", "mail:draft", "mail:send", "mail:manage", "inboxes:manage", "admin"]);
    for suffix in ["", "/mcp", "/v0"] {
        let answer = server.http().get(&format!("/.well-known/oauth-protected-resource{suffix}")).await;
        assert_eq!(answer.header("Content-Type"), Some("application/json"));
        assert_eq!(
            answer.ok(),
            json!({
                "resource": format!("{base}{suffix}"), "authorization_servers": [base], "scopes_supported": scopes,
                "bearer_methods_supported": ["header"], "resource_name": "inboxd",
            })
        );
    }
    let methods = json!(["none", "client_secret_basic", "client_secret_post"]);
    let expected = json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/oauth/authorize"),
        "token_endpoint": format!("{base}/oauth/token"),
        "revocation_endpoint": format!("{base}/oauth/revoke"),
        "registration_endpoint": format!("{base}/oauth/register"),
        "scopes_supported": scopes,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "client_id_metadata_document_supported": true,
        "authorization_response_iss_parameter_supported": true,
    });
    for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
        assert_eq!(server.http().get(path).await.ok(), expected, "{path}");
    }
}

#[tokio::test]
async fn registration_can_be_turned_off() {
    let server = options().set("INBOXD_OAUTH_REGISTRATION", "off").start().await;
    let metadata = server.http().get("/.well-known/oauth-authorization-server").await.ok();
    assert_eq!(metadata.get("registration_endpoint"), None::<&Value>);
    let refused = register(&server, json!({"redirect_uris": ["https://app.example/callback"]})).await;
    super::flow::require_oauth_error(&refused, 400, "unauthorized_client");
}

#[tokio::test]
async fn base_url_with_path_turns_oauth_off() {
    let server = options().set("INBOXD_BASE_URL", "http://127.0.0.1:1/mail").start().await;
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/oauth/authorize"]
    {
        server.http().get(path).await.require_error(404, "route_not_found");
    }
    for path in ["/oauth/token", "/oauth/register", "/oauth/revoke", "/oauth/sign-in", "/oauth/consent"] {
        server.http().call(HttpRequest::new("POST", path).form(&[])).await.require_error(404, "route_not_found");
    }
    let refused = server.http().get("/v0/auth/me").await;
    assert_eq!(refused.header("WWW-Authenticate"), Some("Bearer"));
    server.log().entry("the log says so", |entry| entry["message"] == "OAuth is off: base URL has a path").await;
}

#[tokio::test]
async fn unauthenticated_request_is_challenged() {
    let server = server().await;
    let metadata = format!("{}/.well-known/oauth-protected-resource/v0", server.base_url());
    let challenge =
        format!("Bearer resource_metadata=\"{metadata}\", scope=\"mail:read mail:draft mail:send mail:manage\"");
    let missing = server.http().get("/v0/inboxes").await;
    missing.require_error(401, "missing_authorization");
    assert_eq!(missing.header("WWW-Authenticate"), Some(&*challenge));
    let unknown = server.http().with_key("am_unknown").get("/v0/inboxes").await;
    unknown.require_error(401, "unknown_api_key");
    assert_eq!(unknown.header("WWW-Authenticate"), Some(&*format!("{challenge}, error=\"invalid_token\"")));
}

#[tokio::test]
async fn stylesheet_is_served_and_other_methods_are_refused() {
    let server = server().await;
    let sheet = server.http().get("/assets/pages.css").await;
    assert_eq!((sheet.status, sheet.header("Content-Type")), (200, Some("text/css; charset=utf-8")));
    for (method, path) in [
        ("POST", "/.well-known/oauth-authorization-server"),
        ("GET", "/oauth/token"),
        ("GET", "/oauth/register"),
        ("GET", "/oauth/consent"),
        ("PUT", "/oauth/authorize"),
    ] {
        server.http().call(HttpRequest::new(method, path)).await.require_error(405, "method_not_allowed");
    }
}

#[tokio::test]
async fn browser_based_clients_reach_metadata_and_token_endpoints() {
    let server = server().await;
    let allowed = |answer: &ApiResponse| answer.header("Access-Control-Allow-Origin").map(str::to_owned);
    let anyone = Some("*".to_owned());
    let posts = ["/oauth/token", "/oauth/register", "/oauth/revoke"];
    let gets = ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"];
    for (path, methods) in
        posts.map(|path| (path, "POST, OPTIONS")).into_iter().chain(gets.map(|path| (path, "GET, HEAD, OPTIONS")))
    {
        let preflight = HttpRequest::new("OPTIONS", path)
            .header("Origin", "https://app.example")
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization,content-type");
        let answer = server.http().call(preflight).await;
        assert_eq!((answer.status, allowed(&answer)), (204, anyone.clone()), "{path}");
        assert_eq!(answer.header("Access-Control-Allow-Methods"), Some(methods), "{path}");
        let headers = answer.header("Access-Control-Allow-Headers").unwrap();
        for header in ["authorization", "content-type", "mcp-protocol-version"] {
            assert!(headers.contains(header), "{path} {headers}");
        }
        assert_eq!(answer.header("Access-Control-Allow-Credentials"), None);
    }
    // Responses carry it too, refusals included: a page reads neither without.
    let registered = register(&server, json!({"redirect_uris": ["https://app.example/callback"]})).await;
    assert_eq!((registered.status, allowed(&registered)), (201, anyone.clone()));
    for path in posts {
        let refused = server.http().call(HttpRequest::new("POST", path).form(&[])).await;
        assert_eq!(allowed(&refused), anyone, "{path}");
        assert!(refused.status >= 400 && refused.header("Access-Control-Allow-Methods").is_none(), "{path}");
    }
    // The pages and the API belong to no other origin.
    for path in ["/oauth/authorize", "/oauth/consent", "/v0/inboxes"] {
        for method in ["OPTIONS", "GET"] {
            assert_eq!(allowed(&server.http().call(HttpRequest::new(method, path)).await), None, "{method} {path}");
        }
    }
}
