//! What Stripe answers, and what its errors mean.

use inboxd_core::ports::PaymentsError;
use serde::Deserialize;

/// The longest URL that customers are sent to, in octets.
const LONGEST_URL: usize = 8_192;

#[derive(Deserialize)]
struct Session {
    url: Option<String>,
}

#[derive(Deserialize, Default)]
struct Refusal {
    #[serde(default)]
    error: Reason,
}

#[derive(Deserialize, Default)]
struct Reason {
    r#type: Option<String>,
    code: Option<String>,
    param: Option<String>,
}

/// The URL of the session that was made.
pub(crate) fn url_of(status: u16, body: &[u8]) -> Result<String, PaymentsError> {
    if !(200..300).contains(&status) {
        return Err(refusal(status, body));
    }
    let session: Option<Session> = serde_json::from_slice(body).ok();
    let url = session
        .and_then(|session| session.url)
        .filter(|url| url.len() <= LONGEST_URL && (url.starts_with("https://") || url.starts_with("http://")));
    url.ok_or_else(|| PaymentsError::Refused(format!("it answered {status} without a URL")))
}

/// What an error means. Its own message stays out: it may repeat what it was sent.
fn refusal(status: u16, body: &[u8]) -> PaymentsError {
    let Reason { r#type, code, param } = serde_json::from_slice::<Refusal>(body).unwrap_or_default().error;
    if code.as_deref() == Some("resource_missing") && param.as_deref() == Some("customer") {
        return PaymentsError::UnknownCustomer;
    }
    let is_the_form = (400..429).contains(&status);
    let of_customer = ["success_url", "cancel_url"].into_iter().find(|field| param.as_deref() == Some(*field));
    if let Some(field) = of_customer.filter(|_| is_the_form) {
        return PaymentsError::UnusableUrl(field);
    }
    let mut words = format!("it answered {status}");
    for (label, word) in [("", r#type), ("code ", code), ("param ", param)] {
        if let Some(word) = word.filter(|word| is_word(word)) {
            words = format!("{words}, {label}{word}");
        }
    }
    match status {
        401 | 403 => PaymentsError::Refused(format!("{words}: check INBOXD_STRIPE_SECRET_KEY")),
        // 409 is the same idempotency key at work at the same moment.
        409 | 429 | 500.. => PaymentsError::Unavailable(words),
        _ => PaymentsError::Refused(format!("{words}: see the logs of the Stripe dashboard")),
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.len() <= 100 && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"_-.[]".contains(&c))
}
