//! HTTP client for webhook deliveries.

use async_trait::async_trait;

/// A webhook request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// The target, an http or https URL.
    pub url: String,
    /// The custom header fields. The last of two fields with the same name applies.
    pub headers: Vec<(String, String)>,
    /// The event as JSON.
    pub body: Vec<u8>,
}

/// The response of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookAnswer {
    /// The status; redirects are not followed.
    pub status: u16,
    /// The start of the body, at most [`WebhookAnswer::MAX_ANSWER_BYTES`] bytes.
    pub body: String,
}

impl WebhookAnswer {
    /// Maximum number of stored response bytes.
    pub const MAX_ANSWER_BYTES: usize = 1024;
}

/// Reason for a missing response, for the owner of the webhook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAnswered(pub String);

/// Callback, called when the request is sent and dropped when it will not be.
pub type OnItsWay = Box<dyn FnOnce() + Send>;

/// Sends webhook requests. Refuses private addresses.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends a request and waits for the response, at most 15 s in total.
    ///
    /// # Errors
    ///
    /// When there is no response.
    async fn send(&self, notification: Notification, on_its_way: OnItsWay) -> Result<WebhookAnswer, NotAnswered>;
}
