//! Stripe stub: records calls, returns test-defined responses and signs events.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use hmac::{Hmac, KeyInit, Mac};
use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest, Persona, ServerOptions, TestServer};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::support::options;

/// API key in the configuration of the server.
pub(super) const KEY: &str = "sk_test_keepthistoyourself";
/// Secret that signs events.
pub(super) const SECRET: &str = "whsec_keepthistoo";

/// A call received by the stub.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    /// Decoded form fields in order.
    pub(super) form: Vec<(String, String)>,
}

impl Call {
    /// Returns a header field; its name is in lower case.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }

    /// Returns a form field.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.form.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// A stub that stops when this value is dropped.
pub(crate) struct Stripe {
    url: String,
    calls: Arc<Mutex<Vec<Call>>>,
    answer: Arc<Mutex<(u16, String)>>,
    listening: JoinHandle<()>,
}

impl Stripe {
    /// Starts a stub that creates sessions.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        let answer = Arc::new(Mutex::new((200, json!({"url": "https://pay.example/session"}).to_string())));
        let (kept, said) = (Arc::clone(&calls), Arc::clone(&answer));
        let listening = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(call) = read_call(&mut stream).await else { continue };
                kept.lock().unwrap().push(call);
                let (status, body) = said.lock().unwrap().clone();
                let head = format!("HTTP/1.1 {status} Said\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = stream.write_all((head + &body).as_bytes()).await;
            }
        });
        Self { url, calls, answer, listening }
    }

    /// Sets the response to later calls.
    pub(crate) fn answers(&self, status: u16, body: &Value) {
        *self.answer.lock().unwrap() = (status, body.to_string());
    }

    /// Returns all calls so far.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// Configures a server with this stub.
    pub(crate) fn options(&self) -> ServerOptions {
        options()
            .set("INBOXD_STRIPE_API_URL", self.url.clone())
            .set("INBOXD_STRIPE_SECRET_KEY", KEY)
            .set("INBOXD_STRIPE_WEBHOOK_SECRET", SECRET)
            .set("INBOXD_STRIPE_PRICES", "startup=price_startup,business=price_business")
    }

    /// A running server with this stub, and a verified agent.
    pub(super) async fn server_and_agent(&self) -> (TestServer, Persona) {
        let server = self.options().start().await;
        let agent = server.verified("owner@example.org", "scout").await;
        (server, agent)
    }
}

impl Drop for Stripe {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn read_call(stream: &mut TcpStream) -> Option<Call> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ');
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let form = url::form_urlencoded::parse(&body).into_owned().collect();
    Some(Call { method: words.next()?.to_owned(), path: words.next()?.to_owned(), headers, form })
}

/// Returns the seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the server that is tested has the machine's clock")]
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

/// Returns the signature header of Stripe for a body.
pub(super) fn signature(secret: &str, signed_at: u64, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{signed_at}.{body}").as_bytes());
    let hex = mac.finalize().into_bytes().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    format!("t={signed_at},v1={hex}")
}

/// Posts a body with or without a signature.
pub(super) async fn post_event(http: &HttpClient, body: &str, signature: Option<&str>) -> ApiResponse {
    let request =
        HttpRequest::new("POST", "/v0/billing/webhook").header("Content-Type", "application/json; charset=utf-8");
    let request = match signature {
        Some(signature) => request.header("Stripe-Signature", signature),
        None => request,
    };
    http.call(request.body(body)).await
}

/// Posts an event signed now and returns the response.
pub(crate) async fn deliver_event(server: &TestServer, event: &Value) -> String {
    let body = event.to_string();
    let answer = post_event(&server.http(), &body, Some(&signature(SECRET, now(), &body))).await.ok();
    assert_eq!(answer["received"], true);
    answer["outcome"].as_str().unwrap().to_owned()
}

/// Base time of test events, independent of the signature time.
const END: u64 = 1_795_000_000;

/// Creates an event that many seconds before the base time.
pub(crate) fn event(id: &str, kind: &str, age: u64, object: &Value) -> Value {
    json!({"id": id, "object": "event", "type": kind, "created": END - age, "livemode": false, "data": {"object": object}})
}

/// Creates a subscription of an organization.
pub(crate) fn subscription(organization_id: &str, status: &str, price: &str) -> Value {
    json!({
        "id": "sub_1", "object": "subscription", "customer": "cus_1", "status": status,
        "items": {"object": "list", "data": [{"id": "si_1", "price": {"id": price}}]},
        "metadata": {"organization_id": organization_id},
    })
}
