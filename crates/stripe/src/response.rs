//! Responses and errors of the Stripe API.

use inboxd_core::ports::PaymentsError;
use serde::Deserialize;

/// Limit of a URL to which customers are sent.
const MAX_URL_BYTES: usize = 8_192;

#[derive(Deserialize)]
struct CreatedSession {
    url: Option<String>,
}

#[derive(Deserialize, Default)]
struct ErrorBody {
    #[serde(default)]
    error: ErrorDetail,
}

#[derive(Deserialize, Default)]
struct ErrorDetail {
    r#type: Option<String>,
    code: Option<String>,
    param: Option<String>,
}

/// Returns the URL of a created session, the page where the customer pays or manages a subscription.
pub(crate) fn session_url(status: u16, body: &[u8]) -> Result<String, PaymentsError> {
    if !(200..300).contains(&status) {
        return Err(parse_error(status, body));
    }
    let session: Option<CreatedSession> = serde_json::from_slice(body).ok();
    let url = session
        .and_then(|session| session.url)
        .filter(|url| url.len() <= MAX_URL_BYTES && (url.starts_with("https://") || url.starts_with("http://")));
    url.ok_or_else(|| PaymentsError::Refused(format!("it returned {status} without a URL")))
}

/// Maps an error response to a payments error. The message of Stripe is left out, because it may repeat sent data.
fn parse_error(status: u16, body: &[u8]) -> PaymentsError {
    let ErrorDetail { r#type, code, param } = serde_json::from_slice::<ErrorBody>(body).unwrap_or_default().error;
    if code.as_deref() == Some("resource_missing") && param.as_deref() == Some("customer") {
        return PaymentsError::UnknownCustomer;
    }
    let is_form_error = (400..429).contains(&status);
    let customer_field = ["success_url", "cancel_url"].into_iter().find(|field| param.as_deref() == Some(*field));
    if let Some(field) = customer_field.filter(|_| is_form_error) {
        return PaymentsError::UnusableUrl(field);
    }
    let mut reason = format!("it returned {status}");
    for (label, word) in [("", r#type), ("code ", code), ("param ", param)] {
        if let Some(word) = word.filter(|word| is_safe_word(word)) {
            reason = format!("{reason}, {label}{word}");
        }
    }
    match status {
        401 | 403 => PaymentsError::Refused(format!("{reason}: check INBOXD_STRIPE_SECRET_KEY")),
        // 409 means that a request with the same idempotency key is in progress.
        409 | 429 | 500.. => PaymentsError::Unavailable(reason),
        _ => PaymentsError::Refused(format!("{reason}: see the logs of the Stripe dashboard")),
    }
}

fn is_safe_word(text: &str) -> bool {
    !text.is_empty() && text.len() <= 100 && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"_-.[]".contains(&c))
}
