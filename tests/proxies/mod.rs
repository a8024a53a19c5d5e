//! The service behind nginx, `HAProxy` and Caddy with the files of `packaging/proxies`.

mod caddy;
mod direct;
mod haproxy;
mod nginx;

use std::net::{Ipv4Addr, SocketAddr};

use inboxd_testkit::{
    ClientTunnel, HostCertificate, HttpClient, HttpRequest, Persona, ReverseProxy, ServerOptions, SmtpClient,
    TestServer, encoded,
};
use serde_json::{Value, json};

use crate::mcp::client::stateless;
use crate::support::{mail_to, options};

/// Host of the files.
const HOST: &str = "mail.example.org";
/// Sign-ups and sign-ins of a client address a minute.
const RATE: usize = 3;
/// Size of a request, as with an attachment of the maximum size in base64.
const BODY_BYTES: usize = 33_500_000;
/// Size of an attachment, above the buffers of a proxy.
const ATTACHMENT_BYTES: usize = 1_200_000;
const ALICE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const BOB: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 3);

/// A server behind a proxy, and a verified agent.
struct ProxiedServer {
    server: TestServer,
    agent: Persona,
    /// Address at which the proxy serves the API.
    api: SocketAddr,
    /// Address from which mail reaches the server.
    smtp: String,
    certificate: HostCertificate,
    _proxy: ReverseProxy,
}

/// Options of a server that trusts proxies on this machine.
fn behind_proxy() -> ServerOptions {
    options().set("INBOXD_TRUSTED_PROXIES", "127.0.0.1").set("INBOXD_BASE_URL", format!("https://{HOST}"))
}

/// Options with a limit of sign-ups.
fn limited(options: ServerOptions) -> ServerOptions {
    options.set("INBOXD_UNAUTHENTICATED_RATE", RATE.to_string())
}

/// Replaces each text of a file, which must be there.
fn adapt(file: &str, changes: &[(&str, String)]) -> String {
    changes.iter().fold(file.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "the file has no {from:?}");
        text.replace(from, to)
    })
}

/// Returns the address of the API without the proxy.
fn upstream(server: &TestServer) -> String {
    server.base_url().replace("http://", "")
}

impl ProxiedServer {
    /// Returns a client of this address.
    async fn client(&self, address: Ipv4Addr) -> (ClientTunnel, HttpClient) {
        let tunnel = ClientTunnel::tls(address, self.api, &self.certificate).await;
        let http = tunnel.http();
        (tunnel, http)
    }

    /// Delivers a mail to the inbox of the agent.
    async fn receive(&self, subject: &str) {
        let (mut client, greeting) = SmtpClient::connect_from(ALICE.octets(), &self.smtp).await;
        greeting.require_code(220, "");
        client.ehlo().await;
        let mail = mail_to(&self.agent, subject).raw();
        client.deliver("alice@outside.example", &[&self.agent.inbox_id], &mail).await.require_code(250, "2");
    }
}

/// Counts a sign-up call that would fail; returns its status.
async fn sign_up_status(http: &HttpClient, headers: &[(&str, &str)]) -> u16 {
    let request = HttpRequest::new("POST", "/v0/agent/sign-up").json(&json!({}));
    let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
    http.call(request).await.status
}

/// Requires that limits, audit log and server log have the address of the client, which the client cannot choose.
async fn assert_client_addresses(world: &ProxiedServer) {
    let (_alice_tunnel, alice) = world.client(ALICE).await;
    let (_bob_tunnel, bob) = world.client(BOB).await;
    for _ in 0..RATE {
        assert_eq!(sign_up_status(&alice, &[]).await, 422);
    }
    assert_eq!(sign_up_status(&alice, &[]).await, 429, "the client used its rate up");
    let forged = [("X-Forwarded-For", "203.0.113.9"), ("Forwarded", "for=203.0.113.9")];
    for headers in [&forged[..1], &forged[1..], &forged[..]] {
        assert_eq!(sign_up_status(&alice, headers).await, 429, "{headers:?}");
    }
    assert_eq!(sign_up_status(&bob, &[]).await, 422, "another client has its own rate");

    let created = bob.with_key(&world.agent.key).post("/v0/api-keys", json!({"name": "from bob"})).await.ok();
    assert_eq!(created["name"], "from bob");
    let audit = world.agent.get("/v0/audit?action=api_key.created&limit=1").await.ok();
    assert_eq!(audit["entries"][0]["client_address"], BOB.to_string(), "{audit:#}");
    let client = BOB.to_string();
    let is_of_bob = |entry: &Value| entry["message"] == "request completed" && entry["client"] == client.as_str();
    world.server.log().entry("the log names the client of a request", is_of_bob).await;
}

/// Requires that sockets and event streams deliver events at once.
async fn assert_streams(world: &ProxiedServer) {
    let (_tunnel, http) = world.client(ALICE).await;
    let http = http.with_key(&world.agent.key);
    let (mut socket, _) = http.open_subscribed_socket(json!({})).await;
    let mut events = http.open_stream(HttpRequest::new("GET", "/v0/events")).await.unwrap();
    let uri = format!("inboxd://inboxes/{}", encoded(&world.agent.inbox_id));
    let wanted = json!({"notifications": {"resourceSubscriptions": [uri]}});
    let listen = stateless("subscriptions/listen", wanted).header("Host", HOST);
    let mut updates = http.open_stream(listen).await.unwrap();
    let acknowledged = next_message(&mut updates).await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    for subject in ["first", "second"] {
        world.receive(subject).await;
        assert_eq!(socket.next_event().await["message"]["subject"], subject);
        assert_eq!(events.next_event().await["message"]["subject"], subject);
        assert_eq!(next_message(&mut updates).await["method"], "notifications/resources/updated");
    }
}

/// Returns the next JSON-RPC message of a stream.
async fn next_message(stream: &mut inboxd_testkit::EventStream) -> Value {
    loop {
        let event = stream.next().await.unwrap();
        if !event.data.is_empty() {
            return event.json();
        }
    }
}

/// Requires that a large request arrives, and its attachment with links of the base URL.
async fn assert_uploads(world: &ProxiedServer) {
    let (_tunnel, http) = world.client(ALICE).await;
    let http = http.with_key(&world.agent.key);
    // Base64 of zero bytes.
    let content = "A".repeat(ATTACHMENT_BYTES / 3 * 4);
    let mut body = json!({
        "to": world.agent.owner, "subject": "large", "text": "see attachment",
        "attachments": [{"filename": "large.bin", "content_type": "application/octet-stream", "content": content}],
    })
    .to_string();
    // A proxy passes spaces like any bytes, and the server skips them.
    body.push_str(&" ".repeat(BODY_BYTES - body.len()));
    let request = HttpRequest::new("POST", &world.agent.inbox("/messages/send"));
    let sent = http.call(request.header("Content-Type", "application/json").body(body)).await.ok();
    let message = http.get(&world.agent.message(&sent["message_id"], "")).await.ok();
    let attachment = &message["attachments"][0];
    assert_eq!(attachment["size"], ATTACHMENT_BYTES, "{attachment:#}");
    let id = attachment["attachment_id"].as_str().unwrap();
    let target = world.agent.message(&sent["message_id"], &format!("/attachments/{id}"));
    let url = http.get(&target).await.ok()["download_url"].as_str().unwrap_or_default().to_owned();
    assert!(url.starts_with(&format!("https://{HOST}/")), "links have the base URL: {url}");
    let downloaded = http.get(url.trim_start_matches(&format!("https://{HOST}"))).await;
    assert_eq!((downloaded.status, downloaded.body.len()), (200, ATTACHMENT_BYTES));
}
