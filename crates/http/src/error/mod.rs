//! Error responses: code, message and fix of a refusal.

mod caller;
mod challenge;
mod codes;
mod envelope;
mod fixes;
mod limits;
mod mapping;
mod reached_limit;
mod reference;
mod steps;

use std::fmt;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, ResponseError};
pub(crate) use challenge::{ConnectedCaller, is_oauth_endpoint};
pub(crate) use codes::ErrorCode;
pub(crate) use envelope::{ErrorEnvelope, body_envelope, body_json, json, render};
use inboxd_core::FieldError;
use inboxd_core::app::BudgetReached;
use inboxd_core::model::Permission;
pub(crate) use reached_limit::ReachedLimit;
pub(crate) use reference::page as reference_page;
use time::OffsetDateTime;

use crate::path;

/// Time at which the same request may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorRetry {
    /// Seconds from now.
    After(u64),
    /// Absolute time.
    At(OffsetDateTime),
}

/// Data of some refusals only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ErrorExtra {
    /// No data.
    Nothing,
    /// Bad fields.
    Fields(Vec<FieldError>),
    /// Methods of the path, for the `Allow` header.
    Allow(String),
    /// Internal cause; logged, never sent to the client.
    Cause(String),
    /// Missing permission, for the challenge to a connection.
    Permission(Permission),
    /// Bytes of the content, for the `Content-Range` header.
    Size(u64),
}

/// Refusal of a request. The middleware renders it in the error envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    pub(crate) fix: String,
    pub(crate) retry: Option<ErrorRetry>,
    pub(crate) extra: ErrorExtra,
    /// Value of `WWW-Authenticate`, where another than that of every 401 suits.
    challenge: Option<Box<str>>,
    /// Whether the response has the fields of OAuth.
    is_oauth: bool,
    /// Limit that the request reached, as a label of metrics, where the code does not tell.
    limit: Option<ReachedLimit>,
}

impl ApiError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            fix: code.fix().to_owned(),
            retry: None,
            extra: ErrorExtra::Nothing,
            challenge: None,
            is_oauth: false,
            limit: None,
        }
    }

    /// Returns the refusal with another fix.
    pub(crate) fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: fix.into(), ..self }
    }

    /// Completes the refusal for a request: the fix names complete paths, with the values of the request as their
    /// parameters, and OAuth has its challenge. `issuer` is `None` while OAuth is off.
    pub(crate) fn within(self, request: &HttpRequest, issuer: Option<&str>) -> Self {
        let fill = |fix: String, name: &str| match path::harmless(&path::value(request, name)) {
            known if known.is_empty() => fix,
            known => fix.replace(&format!("{{{name}}}"), &known),
        };
        let fix = ["inbox_id", "pod_id"].into_iter().fold(self.fix, fill);
        Self { fix, ..self }.challenged(request, issuer)
    }

    /// Returns the internal cause.
    pub(crate) fn cause(&self) -> Option<&str> {
        match &self.extra {
            ErrorExtra::Cause(cause) => Some(cause),
            _ => None,
        }
    }

    /// Returns the limit of a refusal with status 429 or 503 as a label of metrics.
    pub(crate) fn limit(&self) -> &'static str {
        self.limit.map_or(self.code.as_str(), ReachedLimit::as_str)
    }

    fn reaching(self, limit: ReachedLimit) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Returns the seconds until the request may be repeated.
    pub(crate) fn retry_seconds(&self, now: OffsetDateTime) -> Option<u64> {
        self.retry.map(|retry| envelope::seconds(retry, now))
    }

    /// Names the inbox of the request in the fix.
    pub(crate) fn within_inbox(self, inbox_id: &str) -> Self {
        let fix = self.fix.replace("{inbox_id}", &path::harmless(inbox_id));
        Self { fix, ..self }
    }

    fn with(self, extra: ErrorExtra) -> Self {
        Self { extra, ..self }
    }

    fn retry(self, retry: ErrorRetry) -> Self {
        Self { retry: Some(retry), ..self }
    }

    /// Returns an internal error. Its cause is logged with the request id and not sent.
    pub(crate) fn internal(cause: impl Into<String>) -> Self {
        Self::new(ErrorCode::InternalError, "the service failed to process the request")
            .with(ErrorExtra::Cause(cause.into()))
    }

    /// Returns the refusal for unavailable storage or repeated conflicts. Nothing was changed.
    pub(crate) fn unavailable(cause: impl Into<String>) -> Self {
        let message = "the service is temporarily unavailable; nothing was changed";
        Self::new(ErrorCode::ServiceUnavailable, message)
            .retry(ErrorRetry::After(1))
            .reaching(ReachedLimit::StorageUnavailable)
            .with(ErrorExtra::Cause(cause.into()))
    }

    /// Returns the refusal for a store of large contents that is away.
    pub(crate) fn content_unavailable(cause: impl Into<String>) -> Self {
        let message = "the store of large contents is temporarily unavailable; nothing was changed";
        Self::new(ErrorCode::ServiceUnavailable, message)
            .retry(ErrorRetry::After(5))
            .reaching(ReachedLimit::StorageUnavailable)
            .with(ErrorExtra::Cause(cause.into()))
            .fix("send the same request again after `Retry-After`; texts, lists and small contents are available meanwhile")
    }

    /// Returns the refusal for low disk space.
    pub(crate) fn no_space() -> Self {
        let message = "the service is low on disk space and stores no new data; nothing was changed";
        Self::new(ErrorCode::ServiceUnavailable, message)
            .reaching(ReachedLimit::DiskFull)
            .retry(ErrorRetry::After(30))
            .fix("send the same request again after `Retry-After`; reading and deleting still work")
    }

    /// Returns the refusal for an exhausted share: the organization or client network has too many unread large
    /// responses.
    pub(crate) fn too_many_unread() -> Self {
        let message = "too many large responses to this organization or client network are unread";
        Self::new(ErrorCode::TooManyRequests, message)
            .fix("read or close the open responses, and send this request again after `Retry-After`")
            .reaching(ReachedLimit::ResponseMemoryShare)
            .retry(ErrorRetry::After(1))
    }

    /// Returns the refusal for exhausted response memory: unread large responses occupy all of it.
    pub(crate) fn no_response_memory() -> Self {
        Self::new(ErrorCode::ServiceUnavailable, "too many large responses are unread; nothing was changed")
            .fix("send the same request again after `Retry-After`")
            .reaching(ReachedLimit::ResponseMemory)
            .retry(ErrorRetry::After(2))
    }

    /// Returns the refusal of a request beside too many running ones of its HTTP/2 connection.
    pub(crate) fn too_many_streams(limit: usize) -> Self {
        let message = format!("this HTTP/2 connection has {limit} running requests");
        Self::new(ErrorCode::ServiceUnavailable, message)
            .fix("send this request again after one of them ends, or on another connection")
            .retry(ErrorRetry::After(1))
    }

    /// Returns the error of an undecided commit: storage failed before it confirmed the change.
    pub(crate) fn undecided(cause: impl Into<String>) -> Self {
        let message = "the result of the request is unknown";
        Self::new(ErrorCode::ServiceUnavailable, message)
            .reaching(ReachedLimit::CommitUndecided)
            .retry(ErrorRetry::After(1))
            .with(ErrorExtra::Cause(cause.into()))
            .fix("check the result before you repeat the request; a request with an `Idempotency-Key` or a `client_id` can be repeated unchanged and takes effect once")
    }

    /// Returns the refusal for too many requests of MCP clients at a time, of an organization or of all.
    pub(crate) fn overloaded() -> Self {
        Self::new(ErrorCode::ServiceUnavailable, "too many requests of MCP clients are running; nothing was changed")
            .reaching(ReachedLimit::McpRequests)
            .retry(ErrorRetry::After(1))
            .fix("send the same request again after `Retry-After`")
    }

    /// Returns the refusal of a request without a key.
    pub(crate) fn missing_authorization() -> Self {
        Self::new(ErrorCode::MissingAuthorization, "the request has no header `Authorization: Bearer …`")
    }

    /// Returns the refusal of a form that no page of ours made for this browser.
    pub(crate) fn foreign_form() -> Self {
        Self::new(ErrorCode::InvalidFormToken, "this form was not made for this browser")
    }

    /// Returns the refusal of an unknown path.
    pub(crate) fn route_not_found(method: &str, path: &str) -> Self {
        let path: String = path.chars().take(200).collect();
        Self::new(ErrorCode::RouteNotFound, format!("no such endpoint: {method} {path}"))
    }

    /// Returns the refusal of a method that the path does not have.
    pub(crate) fn method_not_allowed(method: &str, allow: String) -> Self {
        Self::new(ErrorCode::MethodNotAllowed, format!("the path does not support {method}, only {allow}"))
            .fix(format!("use one of {allow}"))
            .with(ErrorExtra::Allow(allow))
    }

    /// Returns the refusal of a body above the size limit.
    pub(crate) fn body_too_large(limit: usize) -> Self {
        Self::new(ErrorCode::PayloadTooLarge, format!("the body of the request exceeds {limit} bytes"))
            .fix(format!("send at most {limit} bytes"))
    }

    /// Returns the refusal for exhausted body memory: other bodies occupy all of it.
    pub(crate) fn too_many_bodies(reached: BudgetReached) -> Self {
        let refusal = match reached {
            BudgetReached::All => {
                Self::new(ErrorCode::ServiceUnavailable, "too many large requests are in progress; nothing was changed")
                    .reaching(ReachedLimit::RequestMemory)
            }
            BudgetReached::Holder => Self::new(
                ErrorCode::TooManyRequests,
                "too many large requests of this organization or client network are in progress; nothing was changed",
            )
            .fix("send large bodies one at a time, and this one again after `Retry-After`")
            .reaching(ReachedLimit::RequestMemoryShare),
        };
        refusal.retry(ErrorRetry::After(1))
    }

    /// Returns the refusal of a body that did not arrive in time.
    pub(crate) fn body_too_slow() -> Self {
        Self::new(ErrorCode::RequestTimeout, "the body of the request arrived too slowly")
    }

    /// Returns the refusal of an incomplete body: its framing is broken, or the client disconnected.
    pub(crate) fn body_broken(cause: impl Into<String>) -> Self {
        let message = format!("the body of the request is incomplete: {}", cause.into());
        Self::new(ErrorCode::ValidationError, message.clone())
            .fix("send the body with its exact Content-Length, or in complete chunks")
            .with(ErrorExtra::Fields(vec![FieldError::new("", message)]))
    }

    /// Returns the refusal of a range behind the end of a content.
    pub(crate) fn range_not_satisfiable(size: u64) -> Self {
        Self::new(
            ErrorCode::RangeNotSatisfiable,
            format!("the content has {size} bytes, none of which is in the range"),
        )
        .with(ErrorExtra::Size(size))
    }

    /// Returns the refusal of a compressed body.
    pub(crate) fn unsupported_encoding(encoding: &str) -> Self {
        let encoding: String = encoding.chars().take(100).collect();
        Self::new(
            ErrorCode::UnsupportedMediaType,
            format!("the body is encoded as {encoding}; only unencoded JSON is accepted"),
        )
        .fix("send the body without Content-Encoding")
    }

    /// Returns the refusal of a body that is not JSON.
    pub(crate) fn unsupported_media_type(content_type: &str) -> Self {
        let content_type: String = content_type.chars().take(100).collect();
        Self::new(ErrorCode::UnsupportedMediaType, format!("the body is {content_type}; only JSON is accepted"))
    }

    /// Returns the refusal of a body that is no form.
    pub(crate) fn no_form() -> Self {
        Self::new(ErrorCode::InvalidRequest, "the body is no form")
            .fix("send the parameters in the body with `Content-Type: application/x-www-form-urlencoded`")
    }

    /// Returns the refusal of a further feed reader of an organization at its limit.
    pub(crate) fn too_many_readers(most: usize) -> Self {
        Self::new(
            ErrorCode::TooManyRequests,
            format!("the organization has {most} open event connections, the maximum"),
        )
        .fix("close connections that are not needed, or follow several inboxes over one connection")
        .reaching(ReachedLimit::FeedSubscribers)
        .retry(ErrorRetry::After(1))
    }

    /// Returns the refusal of a further live page of a browser session.
    pub(crate) fn too_many_pages(most: usize) -> Self {
        let message = format!("this browser session follows the events on {most} pages, the maximum");
        Self::new(ErrorCode::TooManyRequests, message)
            .fix("close pages that are not needed")
            .reaching(ReachedLimit::LivePages)
            .retry(ErrorRetry::After(1))
    }

    /// Returns the refusal of a further request of an organization with a full queue.
    pub(crate) fn too_many_running(running: usize) -> Self {
        let message = format!("{running} requests of this organization are running, and its queue is full");
        Self::new(ErrorCode::TooManyRequests, message)
            .fix("wait for responses before you send more requests, and send this one again after `Retry-After`")
            .reaching(ReachedLimit::OrganizationRequests)
            .retry(ErrorRetry::After(1))
    }

    /// Returns the refusal of a request above the rate of its key or organization.
    pub(crate) fn rate_exceeded(sender: &str, limit: ReachedLimit, wait: Duration) -> Self {
        let seconds = (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1);
        Self::new(ErrorCode::TooManyRequests, format!("{sender} sent too many requests"))
            .fix(format!(
                "wait {seconds} s, and send fewer requests per second: long polls, streams and webhooks replace polling"
            ))
            .reaching(limit)
            .retry(ErrorRetry::After(seconds))
    }

    /// Returns the refusal of a request through a proxy whose client address or network has too many running ones.
    pub(crate) fn too_many_concurrent() -> Self {
        Self::new(ErrorCode::TooManyRequests, "this client address or network has too many open requests and streams")
            .fix("close streams and sockets, and send this request again after `Retry-After`")
            .retry(ErrorRetry::After(1))
    }

    /// Returns the refusal of a request above the rate of its client address.
    pub(crate) fn too_many_requests(wait: Duration) -> Self {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        Self::new(ErrorCode::TooManyRequests, "this client address sent too many requests without a key")
            .fix(format!("wait {seconds} seconds"))
            .reaching(ReachedLimit::UnauthenticatedRate)
            .retry(ErrorRetry::After(seconds.max(1)))
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.code.status()
    }
}
