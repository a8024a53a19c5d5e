//! Clients that connect without a trusted proxy.

use std::net::{Ipv4Addr, SocketAddr};

use inboxd_testkit::{ClientTunnel, HttpClient, HttpRequest, SmtpClient, TestServer};
use serde_json::{Value, json};

use super::{ALICE, BOB, RATE, behind_proxy, limited, sign_up_status, upstream};
use crate::support::options;

/// PROXY protocol v2 header of a client at 203.0.113.9.
const FORGED_HEADER: &[u8] = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xcb\0\x71\x09\x7f\0\0\x01\x12\x67\0\x50";

async fn from(client: Ipv4Addr, server: &str) -> (ClientTunnel, HttpClient) {
    let tunnel = ClientTunnel::plain(client, server.parse::<SocketAddr>().unwrap()).await;
    let http = tunnel.http();
    (tunnel, http)
}

/// Requires that the log has no error when it has a further request.
async fn require_no_error(server: &TestServer, http: &HttpClient) {
    let response = http.get("/v0/inboxes").await;
    let id = response.header("X-Request-Id").unwrap().to_owned();
    server.log().entry("the request is logged", |entry| entry["id"] == id.as_str()).await;
    let errors: Vec<Value> = server.log().entries().into_iter().filter(|entry| entry["level"] == "ERROR").collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[tokio::test]
async fn untrusted_client_cannot_choose_its_address() {
    let server = limited(behind_proxy()).start().await;
    let (_tunnel, alice) = from(ALICE, &upstream(&server)).await;
    let (_bob_tunnel, bob) = from(BOB, &upstream(&server)).await;
    for number in 0..RATE {
        let forged = format!("203.0.113.{number}");
        assert_eq!(sign_up_status(&alice, &[("X-Forwarded-For", &forged)]).await, 422);
    }
    for headers in [("X-Forwarded-For", "203.0.113.9"), ("Forwarded", "for=203.0.113.9"), ("X-Real-IP", "203.0.113.9")]
    {
        assert_eq!(sign_up_status(&alice, &[headers]).await, 429, "{headers:?}");
    }
    assert_eq!(sign_up_status(&bob, &[]).await, 422);
}

#[tokio::test]
async fn no_field_is_read_without_trusted_proxies() {
    let server = limited(options()).start().await;
    let client = server.http();
    for number in 0..RATE {
        assert_eq!(sign_up_status(&client, &[("X-Forwarded-For", &format!("203.0.113.{number}"))]).await, 422);
    }
    assert_eq!(sign_up_status(&client, &[("X-Forwarded-For", "203.0.113.9")]).await, 429);
}

#[tokio::test]
async fn listeners_for_proxies_close_other_connections() {
    let server = behind_proxy()
        .set("INBOXD_HTTP_ADDR", "127.0.0.1:0?proxy=required")
        .set("INBOXD_HTTP_REDIRECT_ADDR", "127.0.0.1:0?proxy=required")
        .set("INBOXD_SMTP_ADDR", "127.0.0.1:0?proxy=required")
        .start()
        .await;
    let health = || HttpRequest::new("GET", "/health");
    let trusted = HttpClient::new(upstream(&server));
    assert_eq!(trusted.with_preface(FORGED_HEADER).call(health()).await.status, 200);
    assert!(trusted.try_call(health()).await.is_none(), "a proxy must send its header");
    let redirect = HttpClient::new(server.redirect_address().to_owned());
    assert_eq!(redirect.with_preface(FORGED_HEADER).call(health()).await.status, 308);
    assert!(redirect.try_call(health()).await.is_none(), "so for redirects");
    // The second of two headers is no request.
    let twice = [FORGED_HEADER, FORGED_HEADER].concat();
    for http in [&trusted, &redirect] {
        assert_eq!(http.with_preface(&twice).call(health()).await.status, 400);
    }
    require_no_error(&server, &trusted.with_preface(FORGED_HEADER)).await;
    let (_tunnel, alice) = from(ALICE, &upstream(&server)).await;
    for http in [&alice, &alice.with_preface(FORGED_HEADER)] {
        assert!(http.try_call(health()).await.is_none());
    }
    let (_session, refused) = SmtpClient::connect_from(ALICE.octets(), server.smtp_address()).await;
    assert_eq!(refused.code, 0, "closed without a greeting");
}

#[tokio::test]
async fn both_fields_of_proxy_must_agree() {
    let server = limited(behind_proxy()).start().await;
    // The test connects from the address of the proxy.
    let status = async |headers: &[(&str, &str)]| sign_up_status(&server.http(), headers).await;
    for _ in 0..RATE {
        assert_eq!(status(&[("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=192.0.2.1")]).await, 422);
    }
    assert_eq!(status(&[("Forwarded", "for=\"192.0.2.1:4711\";proto=https")]).await, 429);
    assert_eq!(status(&[("X-Forwarded-For", "198.51.100.1, 192.0.2.1, 127.0.0.1")]).await, 429);
    for number in 0..RATE {
        let forged = format!("for=198.51.100.{number}");
        assert_eq!(status(&[("X-Forwarded-For", "192.0.2.1"), ("Forwarded", &forged)]).await, 422);
    }
    let forged = [("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=198.51.100.9")];
    assert_eq!(status(&forged).await, 429, "such requests share the address of the proxy");
    assert_eq!(status(&[("X-Forwarded-For", "192.0.2.2")]).await, 422);
    let body = server.http().post("/v0/agent/sign-up", json!({})).await;
    body.require_error(429, "too_many_requests");
}
