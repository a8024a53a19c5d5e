//! `GET` and `POST /oauth/authorize`: clients, redirect URIs and parameters.

use inboxd_testkit::{HttpRequest, encoded};

use super::flow::{Client, require_redirect_error, sign_in};
use crate::browser::Browser;
use crate::support::server;

#[tokio::test]
async fn bad_client_or_redirect_uri_gets_page_and_no_redirect() {
    let server = server().await;
    let client = Client::register(&server).await;
    let mut browser = Browser::new(&server);
    let twice = |name: &str| format!("{}&{name}=x", client.target(&[]));
    for target in [
        client.target(&[("client_id", "client_00000000000000000000000000000000")]),
        client.target(&[("client_id", "")]),
        client.target(&[("client_id", "a' OR '1'='1")]),
        client.target(&[("client_id", "http://app.example/client.json")]),
        client.target(&[("redirect_uri", "")]),
        client.target(&[("redirect_uri", "https://evil.example/callback")]),
        client.target(&[("redirect_uri", "https://app.example/callback/")]),
        client.target(&[("redirect_uri", "https://app.example/callback?x=1")]),
        client.target(&[("redirect_uri", "https://APP.example/callback")]),
        client.target(&[("redirect_uri", "https://app.example:443/callback")]),
        client.target(&[("redirect_uri", "https://app.example/callback#x")]),
        client.target(&[("redirect_uri", "javascript:alert(1)")]),
        // Not even the errors of other parameters go to a foreign URI.
        client.target(&[("redirect_uri", "https://evil.example/"), ("response_type", "token")]),
        twice("client_id"),
        twice("redirect_uri"),
        "/oauth/authorize".to_owned(),
    ] {
        let page = browser.get(&target).await.require(400, "This did not work");
        assert_eq!(page.response.header("Location"), None, "{target}");
    }
}

#[tokio::test]
async fn other_errors_are_redirected_with_state_and_issuer() {
    let server = server().await;
    let client = Client::register(&server).await;
    let mut browser = Browser::new(&server);
    let with = |name: &str, value: &str| client.target(&[(name, value)]);
    for (target, error) in [
        (with("response_type", ""), "invalid_request"),
        (with("response_type", "token"), "unsupported_response_type"),
        (with("response_type", "code token"), "unsupported_response_type"),
        (with("response_mode", "fragment"), "invalid_request"),
        (with("code_challenge", ""), "invalid_request"),
        (with("code_challenge", "short"), "invalid_request"),
        (with("code_challenge_method", ""), "invalid_request"),
        (with("code_challenge_method", "plain"), "invalid_request"),
        (with("scope", "everything"), "invalid_scope"),
        (with("resource", "https://other.example/mcp"), "invalid_target"),
        (with("resource", &format!("{}/other", server.base_url())), "invalid_target"),
        (with("resource", &format!("{}.evil.example/mcp", server.base_url())), "invalid_target"),
        (format!("{}&scope=mail:read&scope=admin", client.target(&[])), "invalid_request"),
        (format!("{}&code_challenge=x", client.target(&[])), "invalid_request"),
    ] {
        let parameters = browser.get(&target).await.redirect(&client.redirect_uri);
        require_redirect_error(&server, &parameters, error);
        assert_eq!(parameters["state"], "a b&c", "{target}");
    }
    // One that is too long to be carried is not returned either.
    let long = client.target(&[("state", &"x".repeat(2_049))]);
    let parameters = browser.get(&long).await.redirect(&client.redirect_uri);
    require_redirect_error(&server, &parameters, "invalid_request");
    assert!(!parameters.contains_key("state") && parameters["error_description"].contains("2048"), "{parameters:?}");
    browser.get(&client.target(&[("state", &"x".repeat(2_048))])).await.require(200, "Sign in");
    // Without a state there is none in the answer.
    let parameters = browser.get(&client.target(&[("state", ""), ("response_type", "token")])).await;
    assert!(!parameters.redirect(&client.redirect_uri).contains_key("state"));
}

#[tokio::test]
async fn resource_and_scope_are_taken_as_clients_send_them() {
    let server = server().await;
    let client = Client::register(&server).await;
    let base = server.base_url();
    let mut browser = Browser::new(&server);
    for (name, value) in [
        ("resource", base.clone()),
        ("resource", format!("{base}/")),
        ("resource", format!("{base}/mcp")),
        ("resource", format!("{base}/mcp/")),
        ("resource", format!("{base}/v0")),
        ("resource", base.to_uppercase().replace("HTTP", "Http")),
        ("scope", " ".to_owned()),
        ("scope", "offline_access".to_owned()),
        ("scope", "openid mail:read unknown".to_owned()),
        ("scope", "message_read".to_owned()),
        ("prompt", "consent".to_owned()),
        ("response_mode", "query".to_owned()),
    ] {
        browser.get(&client.target(&[(name, &value)])).await.require(200, "Sign in");
    }
    // Parameters in a form are the same.
    let target = client.target(&[]);
    let body = target.split_once('?').unwrap().1.as_bytes().to_vec();
    let request =
        HttpRequest::new("POST", "/oauth/authorize").header("Content-Type", "application/x-www-form-urlencoded");
    browser.call(request.body(body)).await.require(200, "Sign in");
}

#[tokio::test]
async fn loopback_redirect_uri_may_have_any_port() {
    let server = server().await;
    for (registered, requested, is_good) in [
        ("http://localhost/callback", "http://localhost:51234/callback", true),
        ("http://127.0.0.1:1/callback", "http://127.0.0.1:65000/callback", true),
        ("http://[::1]/callback", "http://[::1]:51234/callback", true),
        ("http://127.0.0.1/callback", "http://localhost:51234/callback", false),
        ("http://localhost/callback", "http://localhost:51234/other", false),
        ("http://localhost/callback", "https://localhost:51234/callback", false),
        ("https://localhost/callback", "https://localhost:51234/callback", false),
        ("cursor://app/callback", "cursor://app/callback", true),
        ("cursor://app/callback", "cursor://other/callback", false),
    ] {
        let client = Client::with(&server, registered, "Native").await;
        let page = Browser::new(&server).get(&client.target(&[("redirect_uri", requested)])).await;
        assert_eq!(page.response.status, if is_good { 200 } else { 400 }, "{registered} {requested}");
    }
    let client = Client::with(&server, "http://localhost/callback?x=%2f", "Native").await;
    let client = Client { redirect_uri: "http://localhost:51234/callback?x=%2f".to_owned(), ..client };
    let (mut browser, page) = client.consent_page(&server, "owner@example.org", &[]).await;
    assert!(page.text().contains("<dd>localhost</dd>") && page.text().contains("on the device"), "{}", page.text());
    let answer = browser.submit(&page, "/oauth/consent", &[("decision", "allow")]).await;
    // The registered text stays as it is.
    let location = answer.response.header("Location").unwrap().to_owned();
    assert!(location.starts_with("http://localhost:51234/callback?x=%2f&code="), "{location}");
    assert!(location.ends_with(&format!("&state=a+b%26c&iss={}", encoded(&server.base_url()))), "{location}");
}

#[tokio::test]
async fn metadata_document_is_fetched_after_sign_in_only() {
    let server = server().await;
    let client = Client::register(&server).await;
    let mut browser = Browser::new(&server);
    // Errors wait, too: the redirect URI is not known to be one of the client.
    let parameters = [("client_id", "https://127.0.0.1:9/client.json"), ("response_type", "token")];
    let page = browser.get(&client.target(&parameters)).await.require(200, "Sign in");
    assert!(page.text().contains("<b>127.0.0.1</b>"), "{}", page.text());
    let page = sign_in(&server, &mut browser, &page, "owner@example.org").await.require(400, "This did not work");
    assert!(page.text().contains("cannot be fetched"), "{}", page.text());
    assert_eq!(page.response.header("Location"), None);
}
