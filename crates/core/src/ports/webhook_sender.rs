//! Telling webhooks of events.

use async_trait::async_trait;

/// A request that tells a webhook of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Where it goes: an http or https URL.
    pub url: String,
    /// Names and values of its header fields, beside those that every request has. Of two with one name the later counts.
    pub headers: Vec<(String, String)>,
    /// The event, as JSON.
    pub body: Vec<u8>,
}

/// What a webhook answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookAnswer {
    /// The status, whatever it is: redirects are not followed.
    pub status: u16,
    /// The beginning of what it said, at most [`WebhookAnswer::LONGEST_BODY`] octets.
    pub body: String,
}

impl WebhookAnswer {
    /// How many octets of an answer are kept.
    pub const LONGEST_BODY: usize = 1024;
}

/// Why a webhook did not answer; the words are for its owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAnswered(pub String);

/// Called when a request is on its way, and dropped when it will not be.
pub type OnItsWay = Box<dyn FnOnce() + Send>;

/// Sends to the network, behind the guard against private addresses.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends a request and waits for its answer, 15 s in all.
    ///
    /// # Errors
    /// When there is no answer.
    async fn send(&self, notification: Notification, on_its_way: OnItsWay) -> Result<WebhookAnswer, NotAnswered>;
}
