//! What became of each recipient.

use inboxd_core::model::Outcome;
use inboxd_core::ports::RecipientOutcome;
use inboxd_mail::EmailAddress;

use super::reply::Reply;
use super::trouble::Trouble;

/// What is known so far, by the place of the recipient in the mail.
#[derive(Debug)]
pub(crate) struct Ledger {
    server: String,
    outcomes: Vec<Option<Outcome>>,
    mail_was_answered: bool,
}

impl Ledger {
    /// Nothing is known yet of so many recipients. The server is called by this name in the reasons of what it defers.
    pub(crate) fn new(recipients: usize, server: impl Into<String>) -> Self {
        Self { server: server.into(), outcomes: vec![None; recipients], mail_was_answered: false }
    }

    /// Whether the server has answered MAIL: from then on, trying again at once could send the mail twice.
    pub(crate) fn mail_was_answered(&self) -> bool {
        self.mail_was_answered
    }

    pub(crate) fn note_mail_answered(&mut self) {
        self.mail_was_answered = true;
    }

    /// What went wrong with the server, in words.
    pub(crate) fn words(&self, trouble: &Trouble) -> String {
        trouble.with(&self.server)
    }

    /// Notes what became of a recipient.
    pub(crate) fn note(&mut self, place: usize, outcome: Outcome) {
        if let Some(entry) = self.outcomes.get_mut(place) {
            *entry = Some(outcome);
        }
    }

    /// Notes it for everyone of whom nothing is known yet.
    pub(crate) fn note_rest(&mut self, outcome: &Outcome) {
        for entry in self.outcomes.iter_mut().filter(|entry| entry.is_none()) {
            *entry = Some(outcome.clone());
        }
    }

    /// The recipients of whom nothing is known yet.
    pub(crate) fn open(&self) -> Vec<usize> {
        (0..self.outcomes.len()).filter(|&place| self.outcomes[place].is_none()).collect()
    }

    /// One outcome for each recipient; those of whom nothing is known can be tried again.
    pub(crate) fn outcomes(self, recipients: &[EmailAddress], reason: &str) -> Vec<RecipientOutcome> {
        let deferred = || Outcome::Deferred { reason: reason.to_owned() };
        let known = self.outcomes.into_iter();
        recipients
            .iter()
            .zip(known)
            .map(|(recipient, outcome)| RecipientOutcome {
                recipient: recipient.clone(),
                outcome: outcome.unwrap_or_else(deferred),
            })
            .collect()
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
