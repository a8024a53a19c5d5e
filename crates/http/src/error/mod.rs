//! Refusals on their way to the client: what went wrong, and what clears it.

mod caller;
mod codes;
mod envelope;
mod limits;
mod mapping;
mod reference;
mod steps;

use std::fmt;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, ResponseError};
pub(crate) use codes::ErrorCode;
pub(crate) use envelope::{ErrorEnvelope, json, render};
use inboxd_core::FieldError;
use inboxd_core::app::BudgetReached;
pub(crate) use reference::page as reference_page;
use time::OffsetDateTime;

use crate::path;

/// When the same request may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorRetry {
    /// After so many seconds.
    After(u64),
    /// At this time.
    At(OffsetDateTime),
}

/// What belongs to some refusals only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ErrorExtra {
    /// Nothing.
    Nothing,
    /// Every bad field.
    Fields(Vec<FieldError>),
    /// The methods that the path has.
    Allow(String),
    /// What went wrong inside; logged, never shown.
    Cause(String),
}

/// A refusal, whatever its cause. The middleware shows it in the envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    pub(crate) fix: String,
    pub(crate) retry: Option<ErrorRetry>,
    pub(crate) extra: ErrorExtra,
}

impl ApiError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), fix: code.fix().to_owned(), retry: None, extra: ErrorExtra::Nothing }
    }

    /// The refusal with another next step.
    pub(crate) fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: fix.into(), ..self }
    }

    /// The refusal with what the path of the request names, in place of its names: the next step stands there in full.
    pub(crate) fn within(self, request: &HttpRequest) -> Self {
        let fill = |fix: String, name: &str| match path::harmless(&path::value(request, name)) {
            known if known.is_empty() => fix,
            known => fix.replace(&format!("{{{name}}}"), &known),
        };
        let fix = ["inbox_id", "pod_id"].into_iter().fold(self.fix, fill);
        Self { fix, ..self }
    }

    fn with(self, extra: ErrorExtra) -> Self {
        Self { extra, ..self }
    }

    fn retry(self, retry: ErrorRetry) -> Self {
        Self { retry: Some(retry), ..self }
    }

    /// The service itself is at fault. The cause is logged with the request id, and not shown.
    pub(crate) fn internal(cause: impl Into<String>) -> Self {
        Self::new(ErrorCode::InternalError, "the service failed to answer this request")
            .with(ErrorExtra::Cause(cause.into()))
    }

    /// Storage cannot be reached, or others came between too often. Nothing was changed.
    pub(crate) fn unavailable(cause: impl Into<String>) -> Self {
        let message = "the service cannot do this at the moment; nothing was changed";
        Self::new(ErrorCode::ServiceUnavailable, message)
            .retry(ErrorRetry::After(1))
            .with(ErrorExtra::Cause(cause.into()))
    }

    /// Disk space is low.
    pub(crate) fn no_space() -> Self {
        let message = "the service is short of disk space and takes nothing that grows; nothing was changed";
        Self::new(ErrorCode::ServiceUnavailable, message)
            .retry(ErrorRetry::After(30))
            .fix("send the same request again after `Retry-After`; reading and deleting work meanwhile")
    }

    /// Large responses of an organization, or to a client network, that were not read yet take all of its share.
    pub(crate) fn too_many_unread() -> Self {
        let message = "large responses to your organization or network are still being read, as many as may at a time";
        Self::new(ErrorCode::TooManyRequests, message)
            .fix(
                "read the responses that you asked for, or close them, and send this request again after `Retry-After`",
            )
            .retry(ErrorRetry::After(1))
    }

    /// Large responses that were not read yet take all of the memory for them.
    pub(crate) fn no_response_memory() -> Self {
        Self::new(ErrorCode::ServiceUnavailable, "large responses to many clients are being read; try again")
            .fix("send the same request again after `Retry-After`")
            .retry(ErrorRetry::After(2))
    }

    /// Storage went away before it said whether the change is stored.
    pub(crate) fn undecided(cause: impl Into<String>) -> Self {
        let message = "the service does not know whether this was done";
        Self::new(ErrorCode::ServiceUnavailable, message)
            .retry(ErrorRetry::After(1))
            .with(ErrorExtra::Cause(cause.into()))
            .fix("look whether it was done before you ask again; a request that carried an `Idempotency-Key` or a `client_id` can be sent again as it was, and is done once")
    }

    /// There is no key in the request.
    pub(crate) fn missing_authorization() -> Self {
        Self::new(ErrorCode::MissingAuthorization, "the request carries no header `Authorization: Bearer …`")
    }

    /// No endpoint has this path.
    pub(crate) fn route_not_found(method: &str, path: &str) -> Self {
        let path: String = path.chars().take(200).collect();
        Self::new(ErrorCode::RouteNotFound, format!("there is no {method} {path}"))
    }

    /// The path has other methods only.
    pub(crate) fn method_not_allowed(method: &str, allow: String) -> Self {
        Self::new(ErrorCode::MethodNotAllowed, format!("this path has no {method}; it has {allow}"))
            .fix(format!("use one of {allow}"))
            .with(ErrorExtra::Allow(allow))
    }

    /// The body is larger than the service takes.
    pub(crate) fn body_too_large(limit: usize) -> Self {
        Self::new(ErrorCode::PayloadTooLarge, format!("the body of the request has more than {limit} octets"))
            .fix(format!("send at most {limit} octets"))
    }

    /// Other bodies take all the memory that there is for them.
    pub(crate) fn too_many_bodies(reached: BudgetReached) -> Self {
        let refusal = match reached {
            BudgetReached::All => Self::new(
                ErrorCode::ServiceUnavailable,
                "too many large requests are being read at the moment; nothing was changed",
            ),
            BudgetReached::Holder => Self::new(
                ErrorCode::TooManyRequests,
                "too many large requests of this organization or client network are being read at the moment; nothing was changed",
            )
            .fix("send large bodies one after the other, and this one again after `Retry-After`"),
        };
        refusal.retry(ErrorRetry::After(1))
    }

    /// The body did not arrive in time.
    pub(crate) fn body_too_slow() -> Self {
        Self::new(ErrorCode::RequestTimeout, "the body of the request did not arrive in time, or too slowly")
    }

    /// The body did not arrive whole: its framing is broken, or the client went away.
    pub(crate) fn body_broken(cause: impl Into<String>) -> Self {
        let message = format!("the body of the request did not arrive whole: {}", cause.into());
        Self::new(ErrorCode::ValidationError, message.clone())
            .fix("send the body with a true Content-Length, or in whole chunks")
            .with(ErrorExtra::Fields(vec![FieldError::new("", message)]))
    }

    /// The body is compressed.
    pub(crate) fn unsupported_encoding(encoding: &str) -> Self {
        let encoding: String = encoding.chars().take(100).collect();
        Self::new(
            ErrorCode::UnsupportedMediaType,
            format!("the body is encoded as {encoding}, and only plain JSON is read"),
        )
        .fix("send the body without Content-Encoding")
    }

    /// The body is no JSON.
    pub(crate) fn unsupported_media_type(content_type: &str) -> Self {
        let content_type: String = content_type.chars().take(100).collect();
        Self::new(ErrorCode::UnsupportedMediaType, format!("the body is {content_type}, and only JSON is read"))
    }

    /// As many readers of the organization wait for events as may.
    pub(crate) fn too_many_readers(most: usize) -> Self {
        Self::new(ErrorCode::TooManyRequests, format!("{most} readers of this organization wait for events already"))
            .fix("close connections that are not needed, or follow several inboxes over one")
            .retry(ErrorRetry::After(1))
    }

    /// As many requests of the organization run and wait as may.
    pub(crate) fn too_many_running(running: usize) -> Self {
        let message = format!("{running} requests of this organization are running, and as many wait as may");
        Self::new(ErrorCode::TooManyRequests, message)
            .fix("wait for answers before you send more requests, and send this one again after `Retry-After`")
            .retry(ErrorRetry::After(1))
    }

    /// A key, or the keys of an organization, sent too many requests.
    pub(crate) fn rate_exceeded(sender: &str, wait: Duration) -> Self {
        let seconds = (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1);
        Self::new(ErrorCode::TooManyRequests, format!("{sender} sent too many requests"))
            .fix(format!(
                "wait {seconds} s, and send fewer requests a second: long polls, streams and webhooks replace polling"
            ))
            .retry(ErrorRetry::After(seconds))
    }

    /// The client address called too often.
    pub(crate) fn too_many_requests(wait: Duration) -> Self {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        Self::new(ErrorCode::TooManyRequests, "this client address called too often without a key")
            .fix(format!("wait {seconds} seconds"))
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
