//! Telling a webhook of an event.

mod body;

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use hyper::{HeaderMap, Request, Response};
use hyper_util::client::legacy::connect::capture_connection;
use inboxd_core::ports::{NotAnswered, Notification, OnItsWay, WebhookAnswer, WebhookSender};
use rustls::ClientConfig;
use tokio::time::{Instant, timeout_at};

use self::body::Told;
use crate::Guard;
use crate::client::{self, GuardedClient, Idle, Patience, client, tls_of_the_web, why};
use crate::problem::Problem;
use crate::stream::Line;
use crate::target::Target;

/// The patience of `wire.md`, section 6: 15 s for an attempt, of which connecting has 5.
const PATIENCE: Patience = Patience { connect: Duration::from_secs(5), whole: Duration::from_secs(15) };

/// Which connections are kept: as many as one webhook has attempts at a time. Many servers close theirs after 5 s.
const IDLE: Idle = Idle { most: 8, time: Duration::from_millis(4_500) };

/// How long the body of an answer is waited for. Its status says it all already.
const PATIENCE_FOR_BODY: Duration = Duration::from_secs(2);

/// Sends to the URLs that callers name, through a [`Guard`]. Connections are kept and used again; redirects are not
/// followed. Cheap to clone, and clones share their connections.
#[derive(Debug, Clone)]
pub struct Sender {
    client: GuardedClient<Told>,
    patience: Patience,
}

impl Sender {
    /// A sender with the usual patience: 5 s to connect, 15 s for the whole.
    ///
    /// # Errors
    /// When the TLS library cannot be set up.
    pub fn new(guard: Guard) -> Result<Self, rustls::Error> {
        Self::with_patience(guard, PATIENCE)
    }

    /// A sender that waits as long as said.
    ///
    /// # Errors
    /// When the TLS library cannot be set up.
    pub fn with_patience(guard: Guard, patience: Patience) -> Result<Self, rustls::Error> {
        Ok(Self::with_tls(guard, patience, tls_of_the_web()?))
    }

    /// A sender that trusts what this configuration trusts.
    pub(crate) fn with_tls(guard: Guard, patience: Patience, tls: ClientConfig) -> Self {
        Self { client: client(guard, patience.connect, tls, IDLE), patience }
    }

    /// Sends until there is an answer. A connection that was kept may have been closed by the other side in the same
    /// moment; that is no failure of the webhook, so the request goes out again on another one.
    async fn ask(&self, notification: Notification, on_its_way: OnItsWay) -> Result<Response<Incoming>, Problem> {
        let target = Target::parse(&notification.url)?;
        let headers = headers(&notification.headers)?;
        let content = Bytes::from(notification.body);
        let mut body = Told::new(content.clone(), on_its_way);
        loop {
            let chosen = body.connection();
            let mut request = Request::post(target.uri()).body(body).map_err(|_| Problem::NoUrl)?;
            *request.headers_mut() = headers.clone();
            let connection = capture_connection(&mut request);
            let _ = chosen.set(connection.clone());
            match self.client.request(request).await {
                Ok(response) => {
                    if let Some(line) = response.extensions().get::<Line>() {
                        line.prove();
                    }
                    return Ok(response);
                }
                Err(error) if !error.is_connect() && Line::of(&connection).is_some_and(|line| line.is_proven()) => {
                    body = Told::again(content.clone());
                }
                Err(error) => return Err(why(&error)),
            }
        }
    }

    async fn deliver(&self, notification: Notification, on_its_way: OnItsWay) -> Result<WebhookAnswer, Problem> {
        let deadline = Instant::now() + self.patience.whole;
        let asked = timeout_at(deadline, self.ask(notification, on_its_way)).await;
        let (head, body) = asked.map_err(|_| Problem::TooSlow)??.into_parts();
        let mut said = Vec::new();
        let enough = deadline.min(Instant::now() + PATIENCE_FOR_BODY);
        // Whether it is complete, breaks off or dribbles: what came is kept, and the status stands.
        let _ = timeout_at(enough, beginning(body, &mut said)).await;
        Ok(WebhookAnswer { status: head.status.as_u16(), body: legible(&said) })
    }
}

#[async_trait]
impl WebhookSender for Sender {
    async fn send(&self, notification: Notification, on_its_way: OnItsWay) -> Result<WebhookAnswer, NotAnswered> {
        let answer = self.deliver(notification, on_its_way).await;
        answer.map_err(|problem| NotAnswered(words(&problem, self.patience)))
    }
}

/// The fields of a request: those of the notification, and ours, which count more.
fn headers(fields: &[(String, String)]) -> Result<HeaderMap, Problem> {
    let mut headers = HeaderMap::with_capacity(fields.len() + 4);
    for (name, value) in fields {
        let name = HeaderName::try_from(name).map_err(|_| Problem::BadField)?;
        headers.insert(name, HeaderValue::try_from(value).map_err(|_| Problem::BadField)?);
    }
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(USER_AGENT, HeaderValue::from_static(client::USER_AGENT));
    Ok(headers)
}

/// Reads what is kept of an answer. A connection whose answer is longer is closed by being dropped.
async fn beginning(mut body: Incoming, said: &mut Vec<u8>) {
    while let Some(Ok(frame)) = body.frame().await {
        if let Some(data) = frame.data_ref() {
            let room = WebhookAnswer::LONGEST_BODY - said.len();
            said.extend_from_slice(data.get(..room).unwrap_or(data));
            if data.len() > room {
                return;
            }
        }
    }
}

/// The octets as text, no longer than they may be.
fn legible(said: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(said).into_owned();
    text.truncate(text.floor_char_boundary(WebhookAnswer::LONGEST_BODY));
    text
}

/// What the owner of the webhook is told.
fn words(problem: &Problem, patience: Patience) -> String {
    match problem {
        Problem::Unreachable => {
            "the host of the URL cannot be reached: its name is unknown, it takes no connection, or \
            its address is not public; check the URL (the operator can allow private addresses with \
            INBOXD_OUTBOUND_ALLOW_CIDRS)"
                .to_owned()
        }
        Problem::Tls(cause) => format!("no secure connection to the host: {cause}; give it a valid certificate"),
        Problem::TooSlow => format!("no answer within {} s; answer first, then work", patience.whole.as_secs()),
        Problem::Broken => "the connection broke off before there was an answer in proper HTTP".to_owned(),
        other => other.to_string(),
    }
}
