//! Log entries of delivery attempts: recipients with the same outcome share one result.

use inboxd_mail::EmailAddress;

use crate::model::{DeliveryOutcome, DeliveryReport, DeliveryResult, RecipientResult, SessionTls};

/// Maximum characters of a stored reply or reason.
pub const MAX_REPLY_CHARS: usize = 500;

/// Returns the results of an attempt. Replies come from other servers: each becomes one line of bounded length.
#[must_use]
pub fn results(recipients: &[EmailAddress], reports: &[DeliveryReport]) -> Vec<RecipientResult> {
    let mut results: Vec<RecipientResult> = Vec::new();
    for (recipient, report) in recipients.iter().zip(reports) {
        let new = result(report);
        let is_same =
            |known: &&mut RecipientResult| new == RecipientResult { recipients: Vec::new(), ..(**known).clone() };
        match results.iter_mut().find(is_same) {
            Some(known) => known.recipients.push(recipient.to_string()),
            None => results.push(RecipientResult { recipients: vec![recipient.to_string()], ..new }),
        }
    }
    results
}

/// Returns the reason of the first deferral.
#[must_use]
pub fn deferral(results: &[RecipientResult]) -> Option<&str> {
    results.iter().find(|result| result.result == DeliveryResult::Deferred)?.reply.as_deref()
}

fn result(report: &DeliveryReport) -> RecipientResult {
    let session = report.session.as_ref();
    let tls = session.and_then(|session| session.tls);
    let (result, status, reply) = match &report.outcome {
        DeliveryOutcome::Delivered => (DeliveryResult::Delivered, None, session.and_then(|held| held.reply.as_deref())),
        DeliveryOutcome::Refused { status, reply } => (DeliveryResult::Refused, Some(status), Some(reply.as_str())),
        DeliveryOutcome::Deferred { reason } => (DeliveryResult::Deferred, None, Some(reason.as_str())),
    };
    RecipientResult {
        recipients: Vec::new(),
        result,
        status: status.map(|status| one_line(status)),
        reply: reply.map(one_line),
        server: session.map(|session| one_line(&session.server)),
        is_encrypted: tls.map(|tls| tls != SessionTls::None),
        tls,
    }
}

/// Returns a text on one line without control characters, of bounded length.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REPLY_CHARS).collect()
}
