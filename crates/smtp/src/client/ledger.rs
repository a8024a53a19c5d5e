//! What became of each recipient.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use inboxd_core::model::Outcome;
use inboxd_core::ports::RecipientOutcome;
use inboxd_mail::EmailAddress;

use super::reply::Reply;
use super::trouble::Trouble;

/// Whether a server has the whole of a mail, and only its answer is missing. Whoever breaks off then has it sent twice.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sent(Arc<AtomicBool>);

impl Sent {
    pub(crate) fn is_true(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// What is known so far, by the place of the recipient in the mail.
#[derive(Debug)]
pub(crate) struct Ledger {
    server: String,
    outcomes: BTreeMap<usize, Option<Outcome>>,
    mail_was_answered: bool,
    is_out: Sent,
}

impl Ledger {
    /// Nothing is known yet of the recipients at these places. The server is called by this name in the reasons of what it
    /// defers.
    pub(crate) fn of(places: impl IntoIterator<Item = usize>, server: impl Into<String>) -> Self {
        let outcomes = places.into_iter().map(|place| (place, None)).collect();
        Self { server: server.into(), outcomes, mail_was_answered: false, is_out: Sent::default() }
    }

    /// Forgets what was noted: the mail is handed to another server, called by this name.
    pub(crate) fn begin_again(&mut self, server: impl Into<String>) {
        let is_out = std::mem::take(&mut self.is_out);
        *self = Self { is_out, ..Self::of(std::mem::take(&mut self.outcomes).into_keys(), server) };
    }

    /// Whether the server has answered MAIL: from then on, trying again at once could send the mail twice.
    pub(crate) fn mail_was_answered(&self) -> bool {
        self.mail_was_answered
    }

    pub(crate) fn note_mail_answered(&mut self) {
        self.mail_was_answered = true;
    }

    /// Tells whether a server has the whole of the mail, while somebody else holds the ledger.
    pub(crate) fn sent(&self) -> Sent {
        self.is_out.clone()
    }

    pub(crate) fn note_sent(&mut self) {
        self.is_out.0.store(true, Ordering::SeqCst);
    }

    /// What went wrong with the server, in words.
    pub(crate) fn words(&self, trouble: &Trouble) -> String {
        trouble.with(&self.server)
    }

    /// Notes what became of a recipient.
    pub(crate) fn note(&mut self, place: usize, outcome: Outcome) {
        if let Some(entry) = self.outcomes.get_mut(&place) {
            *entry = Some(outcome);
        }
    }

    /// Notes it for everyone of whom nothing is known yet.
    pub(crate) fn note_rest(&mut self, outcome: &Outcome) {
        for entry in self.outcomes.values_mut().filter(|entry| entry.is_none()) {
            *entry = Some(outcome.clone());
        }
    }

    /// The recipients of whom nothing is known yet.
    pub(crate) fn open(&self) -> Vec<usize> {
        self.outcomes.iter().filter(|(_, outcome)| outcome.is_none()).map(|(place, _)| *place).collect()
    }

    /// One outcome for each recipient, in the order of their places; those of whom nothing is known can be tried again.
    pub(crate) fn outcomes(self, recipients: &[EmailAddress], reason: &str) -> Vec<(usize, RecipientOutcome)> {
        let deferred = || Outcome::Deferred { reason: reason.to_owned() };
        let told = |(place, outcome): (usize, Option<Outcome>)| {
            let recipient = recipients.get(place)?.clone();
            Some((place, RecipientOutcome { recipient, outcome: outcome.unwrap_or_else(deferred) }))
        };
        self.outcomes.into_iter().filter_map(told).collect()
    }
}

/// A refusal in the server's words. `fallback` is the status of a server that gives none.
pub(crate) fn refused(reply: &Reply, fallback: &str) -> Outcome {
    Outcome::Refused { status: reply.status().unwrap_or(fallback).to_owned(), reply: reply.words() }
}

/// A refusal of our own, where it is clear that the server cannot take the mail.
pub(crate) fn impossible(status: &str, why: &str) -> Outcome {
    Outcome::Refused { status: status.to_owned(), reply: why.to_owned() }
}
