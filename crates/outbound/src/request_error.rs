//! Errors of outbound requests, worded for callers of the API.

use inboxd_core::ports::FetchError;

/// Reason for which a URL was not fetched. Each text states the cause and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RequestError {
    #[error("the URL is not valid; give an absolute http or https URL")]
    InvalidUrl,
    #[error("the URL exceeds {max} bytes; give a shorter one")]
    UrlTooLong { max: usize },
    #[error("a header field cannot be written; set its name and value again")]
    InvalidField,
    #[error("only http and https URLs are fetched; give one of these")]
    Scheme,
    #[error("the URL has a user name or password; leave them out, or use a pre-signed URL")]
    Credentials,
    #[error(
        "the host of the URL cannot be reached: its name is unknown, it accepts no connection, or its address is not \
         public; check the URL, or send the file in `content` (the operator can allow private addresses with \
         INBOXD_OUTBOUND_ALLOW_CIDRS)"
    )]
    Unreachable,
    #[error("no secure connection to the host: {0}; give a URL with a valid certificate")]
    Tls(String),
    #[error("the URL did not respond in time; try again, or send the file in `content`")]
    TimedOut,
    #[error("the URL returned {0} instead of 2xx; check that it can be read without signing in and has not expired")]
    Status(u16),
    #[error("the URL returned {0} instead of 200")]
    StatusNot200(u16),
    #[error("the URL redirects more than {max} times; give the final address")]
    TooManyRedirects { max: usize },
    #[error("the URL redirects to an invalid URL; give the final address")]
    InvalidRedirect,
    #[error("the response exceeds {limit} bytes; give a smaller file")]
    TooLarge { limit: usize },
    #[error("{0}")]
    MeterExceeded(String),
    #[error("the response is compressed ({0}) although the request forbids it; serve the file unmodified")]
    Encoded(String),
    #[error("the URL did not return valid HTTP, or closed the connection; try again, or send the file in `content`")]
    Broken,
}

impl From<RequestError> for FetchError {
    fn from(error: RequestError) -> Self {
        Self(error.to_string())
    }
}
