//! Fetch of attachment and policy URLs through the address guard.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Body, Incoming};
use hyper::header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, LOCATION, USER_AGENT};
use hyper::{HeaderMap, Request, Response, StatusCode};
use inboxd_core::ports::{ByteMeter, Fetch, FetchError, Fetched, UnlimitedMeter};
use rustls::ClientConfig;
use tokio::time::{Instant, timeout, timeout_at};

use crate::client::{self, ClientTimeouts, GuardedClient, IdleLimits, build_client, classify_error};
use crate::media_type::media_type;
use crate::request_error::RequestError;
use crate::target_url::TargetUrl;
use crate::{AddressGuard, Authorities};

/// Number of redirects that are followed. Each target passes the same checks as the first URL.
const MAX_REDIRECTS: usize = 3;

/// Number of URLs of one message that are fetched concurrently.
const MAX_CONCURRENT_FETCHES: usize = 4;

/// Default timeouts: 5 s to connect, 20 s in total, redirects included.
const FETCH_TIMEOUTS: ClientTimeouts =
    ClientTimeouts { connect: Duration::from_secs(5), total: Duration::from_secs(20) };

/// Client that fetches http and https URLs of callers through an [`AddressGuard`]. Clones are cheap.
///
/// No connection stays open between two fetches, so a connection opened for one caller never serves another.
#[derive(Debug, Clone)]
pub struct GuardedFetcher {
    client: GuardedClient<Empty<Bytes>>,
    timeouts: ClientTimeouts,
    redirects: usize,
    requires_200: bool,
}

impl GuardedFetcher {
    /// Returns a fetcher with the default timeouts: 5 s to connect, 20 s in total.
    ///
    /// # Errors
    /// [`rustls::Error`] when the TLS library cannot be set up.
    pub fn new(guard: AddressGuard, authorities: &Authorities) -> Result<Self, rustls::Error> {
        Self::with_timeouts(guard, authorities, FETCH_TIMEOUTS)
    }

    /// Returns a fetcher with these timeouts.
    ///
    /// # Errors
    /// [`rustls::Error`] when the TLS library cannot be set up.
    pub fn with_timeouts(
        guard: AddressGuard,
        authorities: &Authorities,
        timeouts: ClientTimeouts,
    ) -> Result<Self, rustls::Error> {
        Ok(Self::with_tls(guard, timeouts, authorities.tls_config()?))
    }

    /// Returns a fetcher with this TLS configuration.
    pub(crate) fn with_tls(guard: AddressGuard, timeouts: ClientTimeouts, tls: ClientConfig) -> Self {
        Self {
            client: build_client(guard, timeouts.connect, tls, IdleLimits::NONE),
            timeouts,
            redirects: MAX_REDIRECTS,
            requires_200: false,
        }
    }

    /// Returns a fetcher that follows no redirects.
    #[must_use]
    pub fn without_redirects(self) -> Self {
        Self { redirects: 0, ..self }
    }

    /// Returns a fetcher that accepts status 200 only, and no other status of the 2xx class.
    #[must_use]
    pub fn requiring_200(self) -> Self {
        Self { requires_200: true, ..self }
    }

    /// Fetches at most `limit` bytes from an http or https URL.
    ///
    /// # Errors
    /// [`FetchError`] when the URL is not permitted, does not return 2xx in time, or has more than `limit` bytes.
    pub async fn get(&self, url: &str, limit: usize) -> Result<Fetched, FetchError> {
        self.metered(url, limit, &UnlimitedMeter).await
    }

    async fn metered(&self, url: &str, limit: usize, meter: &dyn ByteMeter) -> Result<Fetched, FetchError> {
        let read = timeout(self.timeouts.total, self.read(url, limit, meter)).await;
        Ok(read.unwrap_or(Err(RequestError::TimedOut))?)
    }

    async fn read(&self, url: &str, limit: usize, meter: &dyn ByteMeter) -> Result<Fetched, RequestError> {
        let mut target = TargetUrl::parse(url)?;
        for _ in 0..=self.redirects {
            let response = self.request(&target).await?;
            let status = response.status();
            if self.requires_200 && status.is_success() && status != StatusCode::OK {
                return Err(RequestError::StatusNot200(status.as_u16()));
            }
            if status.is_success() {
                return accept(response, limit, meter).await;
            }
            let location = response.headers().get(LOCATION);
            match location {
                Some(location) if matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) => {
                    target = target.resolve_redirect(location.as_bytes())?;
                }
                _ => return Err(RequestError::Status(status.as_u16())),
            }
        }
        Err(RequestError::TooManyRedirects { max: self.redirects })
    }

    async fn request(&self, target: &TargetUrl) -> Result<Response<Incoming>, RequestError> {
        let request = Request::get(target.uri())
            .header(ACCEPT, "*/*")
            .header(ACCEPT_ENCODING, "identity")
            .header(USER_AGENT, client::USER_AGENT)
            .body(Empty::new())
            .map_err(|_| RequestError::InvalidUrl)?;
        self.client.request(request).await.map_err(|error| classify_error(&error))
    }
}

#[async_trait]
impl Fetch for GuardedFetcher {
    async fn get_all(&self, urls: &[String], limit: usize, meter: &dyn ByteMeter) -> Vec<Result<Fetched, FetchError>> {
        // One deadline for all URLs: those that wait for others may get less than their own timeout.
        let end = Instant::now() + self.timeouts.total.saturating_mul(3) / 2;
        let read = |(position, url): (usize, &String)| {
            let url = url.clone();
            async move {
                let read = timeout_at(end, self.metered(&url, limit, meter)).await;
                (position, read.unwrap_or_else(|_| Err(RequestError::TimedOut.into())))
            }
        };
        let mut fetched: Vec<_> =
            stream::iter(urls.iter().enumerate().map(read)).buffer_unordered(MAX_CONCURRENT_FETCHES).collect().await;
        fetched.sort_unstable_by_key(|(position, _)| *position);
        fetched.into_iter().map(|(_, fetched)| fetched).collect()
    }
}

async fn accept(response: Response<Incoming>, limit: usize, meter: &dyn ByteMeter) -> Result<Fetched, RequestError> {
    let (head, body) = response.into_parts();
    if let Some(encoding) = content_encoding(&head.headers) {
        return Err(RequestError::Encoded(encoding));
    }
    let content_type = head.headers.get(CONTENT_TYPE).and_then(|field| media_type(field.as_bytes()));
    let cache_control = head.headers.get(CACHE_CONTROL).and_then(|field| field.to_str().ok()).map(str::to_owned);
    Ok(Fetched { content: collect(body, limit, meter).await?, content_type, cache_control })
}

/// Returns the content encoding of a response, if it is not `identity`. The request permits `identity` only.
fn content_encoding(headers: &HeaderMap) -> Option<String> {
    let field = headers.get(CONTENT_ENCODING)?;
    let encoding: String = field.to_str().unwrap_or("unreadable").trim().chars().take(32).collect();
    (!encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity")).then_some(encoding)
}

async fn collect(mut body: Incoming, limit: usize, meter: &dyn ByteMeter) -> Result<Vec<u8>, RequestError> {
    let announced = body.size_hint().lower();
    if usize::try_from(announced).map_or(true, |announced| announced > limit) {
        return Err(RequestError::TooLarge { limit });
    }
    let mut content = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| RequestError::Broken)?;
        // A frame without data holds trailer fields, which are ignored.
        let Some(data) = frame.data_ref() else { continue };
        if data.len() > limit - content.len() {
            return Err(RequestError::TooLarge { limit });
        }
        meter.count(data.len()).map_err(|FetchError(reason)| RequestError::MeterExceeded(reason))?;
        content.extend_from_slice(data);
    }
    Ok(content)
}
