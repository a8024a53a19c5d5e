//! Delivery outcomes of the recipients of one message.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use inboxd_core::model::{DeliveryOutcome, DeliveryReport, ServerSession, SessionTls};
use inboxd_core::ports::RecipientOutcome;
use inboxd_mail::EmailAddress;

use super::reply::ServerReply;
use super::session_error::SessionError;

/// Shared flag: the server has the whole message and only its reply is missing. A caller that gives up now causes a
/// duplicate.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContentSent(Arc<AtomicBool>);

impl ContentSent {
    pub(crate) fn is_true(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Outcomes so far, by the position of the recipient in the message.
#[derive(Debug)]
pub(crate) struct RecipientOutcomes {
    server: String,
    outcomes: BTreeMap<usize, Option<DeliveryOutcome>>,
    is_mail_answered: bool,
    /// TLS of the session, once it sends the message.
    tls: Option<SessionTls>,
    /// Reply of the server that accepted the message.
    acceptance: Option<String>,
    content_sent: ContentSent,
}

impl RecipientOutcomes {
    /// Returns undecided outcomes for these positions. Reasons of deferrals contain the server name.
    pub(crate) fn new(positions: impl IntoIterator<Item = usize>, server: impl Into<String>) -> Self {
        let outcomes = positions.into_iter().map(|position| (position, None)).collect();
        Self {
            server: server.into(),
            outcomes,
            is_mail_answered: false,
            tls: None,
            acceptance: None,
            content_sent: ContentSent::default(),
        }
    }

    /// Discards all outcomes before the message is sent to another server.
    pub(crate) fn restart(&mut self, server: impl Into<String>) {
        let content_sent = std::mem::take(&mut self.content_sent);
        *self = Self { content_sent, ..Self::new(std::mem::take(&mut self.outcomes).into_keys(), server) };
    }

    /// Returns whether the server has replied to MAIL. From then on, an immediate retry could duplicate the message.
    pub(crate) fn is_mail_answered(&self) -> bool {
        self.is_mail_answered
    }

    pub(crate) fn mark_mail_answered(&mut self) {
        self.is_mail_answered = true;
    }

    /// Marks the start of the transaction in a session with this TLS.
    pub(crate) fn mark_started(&mut self, tls: SessionTls) {
        self.tls = Some(tls);
    }

    /// Records that the server accepted the message for all undecided recipients.
    pub(crate) fn record_accepted(&mut self, reply: &ServerReply) {
        self.acceptance = Some(reply.to_text());
        self.record_remaining(&DeliveryOutcome::Delivered);
    }

    /// Returns the flag of the sent content, for use while the outcomes are borrowed.
    pub(crate) fn content_sent(&self) -> ContentSent {
        self.content_sent.clone()
    }

    pub(crate) fn mark_content_sent(&mut self) {
        self.content_sent.0.store(true, Ordering::SeqCst);
    }

    /// Returns the text of an error with the server name.
    pub(crate) fn describe(&self, error: &SessionError) -> String {
        error.describe(&self.server)
    }

    /// Records the outcome of a recipient.
    pub(crate) fn record(&mut self, position: usize, outcome: DeliveryOutcome) {
        if let Some(entry) = self.outcomes.get_mut(&position) {
            *entry = Some(outcome);
        }
    }

    /// Records the outcome of all undecided recipients.
    pub(crate) fn record_remaining(&mut self, outcome: &DeliveryOutcome) {
        for entry in self.outcomes.values_mut().filter(|entry| entry.is_none()) {
            *entry = Some(outcome.clone());
        }
    }

    /// Returns the positions of undecided recipients.
    pub(crate) fn undecided(&self) -> Vec<usize> {
        self.outcomes.iter().filter(|(_, outcome)| outcome.is_none()).map(|(position, _)| *position).collect()
    }

    /// Returns one report about each recipient, in the order of their positions. Undecided recipients are deferred.
    pub(crate) fn into_outcomes(self, recipients: &[EmailAddress], reason: &str) -> Vec<(usize, RecipientOutcome)> {
        let deferred = || DeliveryOutcome::Deferred { reason: reason.to_owned() };
        let session = (!self.server.is_empty()).then(|| ServerSession {
            server: self.server.clone(),
            tls: self.tls,
            reply: self.acceptance.clone(),
        });
        let outcome_at = |(position, outcome): (usize, Option<DeliveryOutcome>)| {
            let recipient = recipients.get(position)?.clone();
            let report = DeliveryReport { outcome: outcome.unwrap_or_else(deferred), session: session.clone() };
            Some((position, RecipientOutcome { recipient, report }))
        };
        self.outcomes.into_iter().filter_map(outcome_at).collect()
    }
}

/// Returns a refusal with the reply of the server. `fallback` is the status for a reply without one.
pub(crate) fn refused_by_server(reply: &ServerReply, fallback: &str) -> DeliveryOutcome {
    DeliveryOutcome::Refused { status: reply.status().unwrap_or(fallback).to_owned(), reply: reply.to_text() }
}

/// Returns a refusal without contacting the server, because it cannot accept the message.
pub(crate) fn refused_locally(status: &str, why: &str) -> DeliveryOutcome {
    DeliveryOutcome::Refused { status: status.to_owned(), reply: why.to_owned() }
}
