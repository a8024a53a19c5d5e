//! Bad input to every endpoint and page: refused as a page or envelope, never a 5xx, never a redirect.

use inboxd_testkit::HttpRequest;

use super::flow::Client;
use crate::browser::Browser;
use crate::support::server_and_agent;

#[tokio::test]
async fn bad_input_is_refused_in_order() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let (mut browser, page) = client.consent_page(&server, "owner@example.org", &[]).await;
    let long = "x".repeat(10_000);
    let form = "application/x-www-form-urlencoded";
    let bodies: [(&str, Vec<u8>); 13] = [
        (form, Vec::new()),
        (form, b"&&&===&=&%".to_vec()),
        (form, b"%00=%00&%ff=%ff&client_id=%00".to_vec()),
        (form, b"\xff\xfe\x00\x01".to_vec()),
        (form, format!("request={long}&csrf_token={long}&client_id={long}&token={long}").into_bytes()),
        (form, b"grant_type=refresh_token&client_id=x&refresh_token=%F0%9F%92%A9".to_vec()),
        (form, b"request[]=x&csrf_token[]=y".to_vec()),
        (form, b"request=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&csrf_token=x&decision=allow".to_vec()),
        ("application/json", b"{}".to_vec()),
        ("application/json", b"[[[[[[[[".to_vec()),
        ("multipart/form-data; boundary=x", b"--x--".to_vec()),
        ("text/plain", b"request=x".to_vec()),
        ("", b"request=x".to_vec()),
    ];
    let paths = [
        "/oauth/authorize",
        "/oauth/sign-in",
        "/oauth/verify",
        "/oauth/organization",
        "/oauth/consent",
        "/oauth/sign-out",
        "/oauth/token",
        "/oauth/register",
        "/oauth/revoke",
    ];
    for path in paths {
        for (kind, body) in &bodies {
            let mut request = HttpRequest::new("POST", path).body(body.clone());
            if !kind.is_empty() {
                request = request.header("Content-Type", kind);
            }
            let answer = browser.call(request).await.response;
            let shown = String::from_utf8_lossy(body);
            assert!((400..500).contains(&answer.status), "{path} {shown:.80}: {} {}", answer.status, answer.text());
            assert_eq!(answer.header("Location"), None, "{path} {shown:.80}");
            let is_page = answer.header("Content-Type") == Some("text/html; charset=utf-8");
            let is_endpoint = matches!(path, "/oauth/token" | "/oauth/register" | "/oauth/revoke");
            assert_ne!(is_page, is_endpoint, "{path} {shown:.80}");
        }
    }
    // A body beyond the limit.
    let large = HttpRequest::new("POST", "/oauth/token").header("Content-Type", form).body(vec![b'x'; 70_000]);
    assert_eq!(browser.call(large).await.response.status, 413);
    // Hostile choices at the consent.
    for (name, value) in [
        ("access", "everything"),
        ("lifetime", "-1"),
        ("lifetime", "99999999999999999999"),
        ("inbox_ids", "not an address"),
        ("inbox_ids", "nobody@nowhere.example"),
        ("decision", "maybe"),
    ] {
        let fields: &[(&str, &str)] =
            if name == "decision" { &[("decision", value)] } else { &[("decision", "allow"), (name, value)] };
        let answer = browser.submit(&page, "/oauth/consent", fields).await.response;
        assert!(answer.status < 500 && answer.header("Location").is_none(), "{name}={value}: {}", answer.text());
    }
    let foreign = server.verified("victim@example.org", "victim").await;
    let fields = [("decision", "allow"), ("inbox_ids", &*foreign.inbox_id)];
    let answer = browser.submit(&page, "/oauth/consent", &fields).await.response;
    assert!(answer.status < 500 && answer.header("Location").is_none(), "{}", answer.text());
    assert_eq!(agent.get("/v0/connections").await.ok()["count"], 0);
    client.allow(&mut browser, &page, &[]).await;
}

#[tokio::test]
async fn page_without_cookies_can_still_be_used_from_the_start() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let page = Browser::new(&server).get(&client.target(&[])).await;
    // Cookies are off: the form is refused with the next step.
    let mut bare = Browser::new(&server);
    let refused = bare.submit(&page, "/oauth/sign-in", &[("email", "owner@example.org")]).await;
    assert!(refused.require(403, "This did not work").text().contains("llow cookies"));
}
