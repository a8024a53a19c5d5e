//! Request id, recorded in the log.

use actix_web::HttpRequest;
use actix_web::http::header::HeaderName;
use inboxd_core::app::App;

pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Length of a request id accepted from a client.
const MAX_REQUEST_ID_BYTES: usize = 128;

/// Returns the id sent by the client or its proxy if it is well-formed, else a new one.
pub(crate) fn of(request: &HttpRequest, app: &App) -> String {
    let given = request.headers().get(X_REQUEST_ID).and_then(|value| value.to_str().ok());
    match given.filter(|id| is_sane(id)) {
        Some(id) => id.to_owned(),
        None => app.random.uuid_at(app.clock.now()).simple().to_string(),
    }
}

fn is_sane(id: &str) -> bool {
    let allowed = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.' | b':' | b'/');
    (1..=MAX_REQUEST_ID_BYTES).contains(&id.len()) && id.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_sane_ids_only() {
        for id in ["a", "0192-af_b.c:d/e", &"x".repeat(128)] {
            assert!(is_sane(id), "{id}");
        }
        for id in ["", "a b", "a\"b", "é", &"x".repeat(129)] {
            assert!(!is_sane(id), "{id}");
        }
    }
}
