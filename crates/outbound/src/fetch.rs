//! Reading a URL.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Body, Incoming};
use hyper::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, LOCATION, USER_AGENT};
use hyper::{HeaderMap, Request, Response, StatusCode};
use inboxd_core::ports::{ByteMeter, Fetch, FetchError, Fetched};
use rustls::ClientConfig;
use tokio::time::{Instant, timeout, timeout_at};

use crate::Guard;
use crate::client::{self, GuardedClient, Idle, Patience, client, tls_of_the_web, why};
use crate::media_type::media_type;
use crate::problem::Problem;
use crate::target::Target;

/// How many redirects are followed; each is checked as the first URL was.
const MOST_REDIRECTS: usize = 3;

/// How many URLs of one message are read at a time.
const SIDE_BY_SIDE: usize = 4;

/// The usual patience: 5 s to connect, 20 s for the whole, redirects included.
const PATIENCE: Patience = Patience { connect: Duration::from_secs(5), whole: Duration::from_secs(20) };

/// Reads http and https URLs that callers name, through a [`Guard`]. Cheap to clone; keeps no connection open between
/// two reads, because what was permitted for one caller's host is no host of the next.
#[derive(Debug, Clone)]
pub struct Fetcher {
    client: GuardedClient<Empty<Bytes>>,
    patience: Patience,
    redirects: usize,
    takes_200_alone: bool,
}

impl Fetcher {
    /// A fetcher with the usual patience: 5 s to connect, 20 s for the whole.
    ///
    /// # Errors
    /// When the TLS library cannot be set up.
    pub fn new(guard: Guard) -> Result<Self, rustls::Error> {
        Self::with_patience(guard, PATIENCE)
    }

    /// A fetcher that waits as long as said.
    ///
    /// # Errors
    /// When the TLS library cannot be set up.
    pub fn with_patience(guard: Guard, patience: Patience) -> Result<Self, rustls::Error> {
        Ok(Self::with_tls(guard, patience, tls_of_the_web()?))
    }

    /// A fetcher that trusts what this configuration trusts.
    pub(crate) fn with_tls(guard: Guard, patience: Patience, tls: ClientConfig) -> Self {
        Self {
            client: client(guard, patience.connect, tls, Idle::NONE),
            patience,
            redirects: MOST_REDIRECTS,
            takes_200_alone: false,
        }
    }

    /// A fetcher that reads what the URL itself names, and nothing that it would be sent on to.
    #[must_use]
    pub fn without_redirects(self) -> Self {
        Self { redirects: 0, ..self }
    }

    /// A fetcher that takes status 200 alone for an answer, and no other that says success.
    #[must_use]
    pub fn taking_200_alone(self) -> Self {
        Self { takes_200_alone: true, ..self }
    }

    /// Reads at most `limit` bytes from an http or https URL.
    ///
    /// # Errors
    /// When the URL is not allowed, does not answer 2xx in time, or holds more.
    pub async fn get(&self, url: &str, limit: usize) -> Result<Fetched, FetchError> {
        self.metered(url, limit, &Unmetered).await
    }

    async fn metered(&self, url: &str, limit: usize, meter: &dyn ByteMeter) -> Result<Fetched, FetchError> {
        let read = timeout(self.patience.whole, self.read(url, limit, meter)).await;
        Ok(read.unwrap_or(Err(Problem::TooSlow))?)
    }

    async fn read(&self, url: &str, limit: usize, meter: &dyn ByteMeter) -> Result<Fetched, Problem> {
        let mut target = Target::parse(url)?;
        for _ in 0..=self.redirects {
            let response = self.ask(&target).await?;
            let status = response.status();
            if self.takes_200_alone && status.is_success() && status != StatusCode::OK {
                return Err(Problem::Not200(status.as_u16()));
            }
            if status.is_success() {
                return accept(response, limit, meter).await;
            }
            let location = response.headers().get(LOCATION);
            match location {
                Some(location) if matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) => {
                    target = target.redirected(location.as_bytes())?;
                }
                _ => return Err(Problem::Status(status.as_u16())),
            }
        }
        Err(Problem::TooManyRedirects { most: self.redirects })
    }

    async fn ask(&self, target: &Target) -> Result<Response<Incoming>, Problem> {
        let request = Request::get(target.uri())
            .header(ACCEPT, "*/*")
            .header(ACCEPT_ENCODING, "identity")
            .header(USER_AGENT, client::USER_AGENT)
            .body(Empty::new())
            .map_err(|_| Problem::NoUrl)?;
        self.client.request(request).await.map_err(|error| why(&error))
    }
}

#[async_trait]
impl Fetch for Fetcher {
    async fn get_all(&self, urls: &[String], limit: usize, meter: &dyn ByteMeter) -> Vec<Result<Fetched, FetchError>> {
        let end = Instant::now() + self.patience.whole.saturating_mul(3) / 2;
        let read = |(place, url): (usize, &String)| {
            let url = url.clone();
            async move {
                let read = timeout_at(end, self.metered(&url, limit, meter)).await;
                (place, read.unwrap_or_else(|_| Err(Problem::TooSlow.into())))
            }
        };
        let mut fetched: Vec<_> =
            stream::iter(urls.iter().enumerate().map(read)).buffer_unordered(SIDE_BY_SIDE).collect().await;
        fetched.sort_unstable_by_key(|(place, _)| *place);
        fetched.into_iter().map(|(_, fetched)| fetched).collect()
    }
}

/// Counts nothing.
struct Unmetered;

impl ByteMeter for Unmetered {
    fn count(&self, _: usize) -> Result<(), FetchError> {
        Ok(())
    }
}

async fn accept(response: Response<Incoming>, limit: usize, meter: &dyn ByteMeter) -> Result<Fetched, Problem> {
    let (head, body) = response.into_parts();
    if let Some(encoding) = unasked_encoding(&head.headers) {
        return Err(Problem::Encoded(encoding));
    }
    let content_type = head.headers.get(CONTENT_TYPE).and_then(|field| media_type(field.as_bytes()));
    Ok(Fetched { content: collect(body, limit, meter).await?, content_type })
}

/// What the server did to the content although it was asked to leave it as it is.
fn unasked_encoding(headers: &HeaderMap) -> Option<String> {
    let field = headers.get(CONTENT_ENCODING)?;
    let encoding: String = field.to_str().unwrap_or("unreadable").trim().chars().take(32).collect();
    (!encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity")).then_some(encoding)
}

async fn collect(mut body: Incoming, limit: usize, meter: &dyn ByteMeter) -> Result<Vec<u8>, Problem> {
    let announced = body.size_hint().lower();
    if usize::try_from(announced).map_or(true, |announced| announced > limit) {
        return Err(Problem::TooLarge { limit });
    }
    let mut content = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::Broken)?;
        // What is no data is trailer fields, and nobody asked for those.
        let Some(data) = frame.data_ref() else { continue };
        if data.len() > limit - content.len() {
            return Err(Problem::TooLarge { limit });
        }
        meter.count(data.len()).map_err(|FetchError(reason)| Problem::NoRoom(reason))?;
        content.extend_from_slice(data);
    }
    Ok(content)
}
