//! Asking rspamd whether a mail is spam (its HTTP protocol, `POST /checkv2`).

mod answer;

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{HeaderName, HeaderValue, USER_AGENT};
use hyper::{HeaderMap, Request, Uri};
use inboxd_core::model::SpamReport;
use inboxd_core::ports::SuspectMail;
use inboxd_mail::EmailAddress;
use tokio::time::timeout;

use crate::client::{self, GuardedClient, Idle, Patience, client, tls_of_the_web};
use crate::problem::Problem;
use crate::target::Target;
use crate::{Cidr, Guard};

/// Mail waits for the judgement before it is stored: 2 s to connect, 5 s for the whole.
const PATIENCE: Patience = Patience { connect: Duration::from_secs(2), whole: Duration::from_secs(5) };
/// Connections that are kept for the next mails.
const IDLE: Idle = Idle { most: 32, time: Duration::from_secs(20) };
/// The most octets of an answer.
const LARGEST_ANSWER: usize = 1024 * 1024;
/// The most recipients that are named.
const MOST_RECIPIENTS: usize = 50;

/// Why rspamd did not judge a mail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotJudged {
    /// It cannot be reached: no other mail will fare better.
    #[error("rspamd cannot be reached: {0}")]
    Unreachable(String),
    /// It did not answer in time, which may be this mail's doing.
    #[error("rspamd did not answer in time")]
    TooSlow,
    /// It would not judge this very mail, or its answer cannot be understood.
    #[error("rspamd did not judge a mail: {0}")]
    Unwilling(String),
}

/// Why a URL cannot be that of rspamd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a URL such as http://127.0.0.1:11333, without a path, a query or a password")]
pub struct RspamdUrlError;

/// Where rspamd is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RspamdUrl(Uri);

impl std::str::FromStr for RspamdUrl {
    type Err = RspamdUrlError;

    fn from_str(text: &str) -> Result<Self, RspamdUrlError> {
        let base = Target::parse(text.trim()).map_err(|_| RspamdUrlError)?.uri();
        if base.path() != "/" || base.query().is_some() {
            return Err(RspamdUrlError);
        }
        let mut parts = base.into_parts();
        parts.path_and_query = Some(hyper::http::uri::PathAndQuery::from_static("/checkv2"));
        Uri::from_parts(parts).map(Self).map_err(|_| RspamdUrlError)
    }
}

/// rspamd, at the address that the operator named. Cheap to clone, and clones share their connections.
#[derive(Debug, Clone)]
pub struct Rspamd {
    url: RspamdUrl,
    client: GuardedClient<Full<Bytes>>,
}

impl Rspamd {
    /// The rspamd at a URL. The operator named it, so that it may be on a private network.
    ///
    /// # Errors
    /// When the TLS library cannot be set up.
    pub fn new(url: RspamdUrl) -> Result<Self, rustls::Error> {
        let guard = Guard::allowing(vec![Cidr::v4([0; 4], 0), Cidr::v6([0; 4], 0)]);
        Ok(Self { url, client: client(guard, PATIENCE.connect, tls_of_the_web()?, IDLE) })
    }

    /// Judges a mail.
    ///
    /// # Errors
    /// [`NotJudged`] when there is no answer in time, or none that can be read.
    pub async fn judge(&self, mail: &SuspectMail<'_>) -> Result<SpamReport, NotJudged> {
        match timeout(PATIENCE.whole, self.ask(mail)).await {
            Ok(judged) => judged,
            Err(_) => Err(NotJudged::TooSlow),
        }
    }

    async fn ask(&self, mail: &SuspectMail<'_>) -> Result<SpamReport, NotJudged> {
        let body = Full::new(Bytes::copy_from_slice(mail.raw));
        let unreadable = |_| NotJudged::Unwilling("the request cannot be written".to_owned());
        let mut request = Request::post(self.url.0.clone()).body(body).map_err(unreadable)?;
        *request.headers_mut() = fields(mail);
        let asked = self.client.request(request).await;
        let response = asked.map_err(|error| match client::why(&error) {
            Problem::Broken => NotJudged::Unwilling("its answer broke off".to_owned()),
            problem => NotJudged::Unreachable(problem.to_string()),
        })?;
        let status = response.status();
        if !status.is_success() {
            return Err(NotJudged::Unwilling(format!("it answered {status}")));
        }
        let read = Limited::new(response.into_body(), LARGEST_ANSWER).collect().await;
        let read = read.map_err(|_| NotJudged::Unwilling("its answer broke off, or was too large".to_owned()))?;
        answer::read(&read.to_bytes()).ok_or_else(|| NotJudged::Unwilling("its answer cannot be understood".to_owned()))
    }
}

/// What rspamd is told beside the mail.
fn fields(mail: &SuspectMail<'_>) -> HeaderMap {
    let mut fields = HeaderMap::new();
    let mut add = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            fields.append(HeaderName::from_static(name), value);
        }
    };
    add(USER_AGENT.as_str(), client::USER_AGENT);
    if let Some((ip, helo)) = mail.client {
        add("ip", &ip.to_string());
        add("helo", helo);
    }
    add("from", mail.envelope_from.map_or("<>", EmailAddress::as_str));
    for recipient in mail.recipients.iter().take(MOST_RECIPIENTS) {
        add("rcpt", recipient.as_str());
    }
    fields
}
