//! What those who handed the mail on say of it (RFC 8617).

use std::time::Duration;

use inboxd_core::model::AuthResult;
use mail_auth::{AuthenticatedMessage, DkimResult, MessageAuthenticator};

use super::SILENCE;

/// Whether the chain holds; `None` without one.
pub(super) async fn ask(
    verifier: &MessageAuthenticator,
    message: &AuthenticatedMessage<'_>,
    patience: Duration,
) -> Option<AuthResult> {
    let has_chain = !message.as_headers.is_empty() || !message.ams_headers.is_empty() || message.has_arc_errors;
    if !has_chain {
        return None;
    }
    let Ok(output) = tokio::time::timeout(patience, verifier.verify_arc(message)).await else {
        return Some(SILENCE);
    };
    Some(match output.result() {
        DkimResult::Pass => AuthResult::Pass,
        DkimResult::TempError(_) => AuthResult::TempError,
        DkimResult::None => AuthResult::None,
        DkimResult::Neutral(_) | DkimResult::Fail(_) | DkimResult::PermError(_) => AuthResult::Fail,
    })
}
