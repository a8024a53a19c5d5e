//! What every handler shares.

use inboxd_core::app::App;

use crate::limiter::Limiter;

/// What the operator decides about the HTTP API.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Where clients reach the service, in links that it hands out: `https://inboxd.example`.
    pub base_url: String,
    /// Largest mail, in octets; a request body may be 1.4 times as large.
    pub max_message_bytes: usize,
    /// Sign-up and sign-in calls a client address and minute; 0 turns the limit off.
    pub unauthenticated_rate: u32,
}

/// One for all workers of a server.
pub(crate) struct State {
    pub(crate) app: App,
    pub(crate) base_url: String,
    /// The most octets of a request body: those of the largest mail, which base64 makes a third larger.
    pub(crate) body_limit: usize,
    pub(crate) limiter: Limiter,
}

impl State {
    pub(crate) fn new(app: App, options: &HttpOptions) -> Self {
        Self {
            app,
            base_url: options.base_url.trim_end_matches('/').to_owned(),
            body_limit: options.max_message_bytes.saturating_mul(7) / 5,
            limiter: Limiter::new(options.unauthenticated_rate),
        }
    }
}
