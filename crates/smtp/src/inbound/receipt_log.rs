//! Log of received and refused messages.

use std::net::IpAddr;

use inboxd_core::app::{Arrived, Fate, NotReceived, Returned};
use inboxd_core::model::mail_report::{ReceivedReport, ReportOutcome};
use inboxd_core::model::outgoing::SentMessage;

/// Logs the result of storing a message of `size` bytes.
pub(super) fn log_result(result: &Result<Arrived, NotReceived>, client: IpAddr, size: usize, recipients: usize) {
    match result {
        Ok(arrived) => log_arrived(arrived, client, size),
        Err(NotReceived::Store(error)) => {
            tracing::error!(%client, %error, size, recipients, "message not stored");
        }
        Err(refusal) => tracing::info!(%client, %refusal, size, recipients, "message refused"),
    }
}

fn log_arrived(arrived: &Arrived, client: IpAddr, size: usize) {
    for (inbox_id, message_id) in &arrived.messages {
        tracing::info!(%client, %inbox_id, %message_id, size, "message received");
    }
    for returned in &arrived.returned {
        log_returned(returned, client, size);
    }
    for ReceivedReport { kind, outcome } in &arrived.aggregate {
        if *outcome == ReportOutcome::Stored {
            tracing::info!(%client, kind = kind.as_str(), size, "aggregate report stored");
        } else {
            let (kind, outcome) = (kind.as_str(), outcome.as_str());
            tracing::info!(%client, kind, outcome, size, "aggregate report not stored");
        }
    }
    if arrived.is_held {
        tracing::info!(%client, size, "message held for operator");
    } else if arrived.messages.is_empty() && arrived.returned.is_empty() && arrived.aggregate.is_empty() {
        tracing::info!(%client, size, "message received again");
    }
}

/// Logs a message to a return path. One that is not understood may be a bounce of an unknown format, so its line names the
/// message that it belongs to.
fn log_returned(returned: &Returned, client: IpAddr, size: usize) {
    let Returned { outgoing_id, of, fate } = returned;
    match of {
        Some((organization_id, message)) if *fate == Fate::NotUnderstood => {
            let SentMessage { inbox_id, message_id, .. } = message;
            tracing::warn!(
                %client, %outgoing_id, %organization_id, %inbox_id, %message_id, size,
                "unreadable bounce report dropped"
            );
        }
        _ => tracing::info!(%client, %outgoing_id, ?fate, size, "message to return path received"),
    }
}
