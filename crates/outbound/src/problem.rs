//! What can go wrong, in words for the caller of the API.

use inboxd_core::ports::FetchError;

/// Why a URL was not read. Each text names the cause and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    #[error("the URL cannot be read as one; give an absolute http or https URL")]
    NoUrl,
    #[error("the URL is longer than {most} octets; give a shorter one")]
    UrlTooLong { most: usize },
    #[error("a header field cannot be written; set its name and value again")]
    BadField,
    #[error("only http and https URLs are fetched; give one of these")]
    Scheme,
    #[error("the URL carries a user name or password; leave them out, or use a pre-signed URL")]
    Credentials,
    #[error(
        "the host of the URL cannot be reached: its name is unknown, it takes no connection, or its address is not \
         public; check the URL, or send the file in `content` (the operator can allow private addresses with \
         INBOXD_OUTBOUND_ALLOW_CIDRS)"
    )]
    Unreachable,
    #[error("no secure connection to the host: {0}; give a URL with a valid certificate")]
    Tls(String),
    #[error("the URL did not answer in time; try again, or send the file in `content`")]
    TooSlow,
    #[error("the URL answered {0} instead of 2xx; check that it can be read without signing in and has not expired")]
    Status(u16),
    #[error("the URL answered {0} instead of 200")]
    Not200(u16),
    #[error("the URL redirects more than {most} times; give the final address")]
    TooManyRedirects { most: usize },
    #[error("the URL redirects to an address that cannot be read; give the final address")]
    BadRedirect,
    #[error("the answer is larger than {limit} octets; give a smaller file")]
    TooLarge { limit: usize },
    #[error("{0}")]
    NoRoom(String),
    #[error("the answer is compressed ({0}) although this was not asked for; have it served as it is")]
    Encoded(String),
    #[error("the URL did not answer in proper HTTP, or broke off; try again, or send the file in `content`")]
    Broken,
}

impl From<Problem> for FetchError {
    fn from(problem: Problem) -> Self {
        Self(problem.to_string())
    }
}
