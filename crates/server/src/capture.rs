//! Delivery for development: mail is stored instead of sent.

use std::sync::Arc;

use async_trait::async_trait;
use inboxd_core::app::CAPTURED_MAIL;
use inboxd_core::model::DeliveryOutcome;
use inboxd_core::ports::{CapturedMail, Clock, OutgoingMail, RecipientOutcome, Store, StoreError, Transport, Vault};

/// Transport that stores mail.
pub(crate) struct Capture {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) vault: Arc<dyn Vault>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Whether the log shows verification codes; allowed only if the API is reachable from this machine alone.
    pub(crate) shows_codes: bool,
}

#[async_trait]
impl Transport for Capture {
    async fn deliver(&self, mail: &OutgoingMail) -> Vec<RecipientOutcome> {
        let kept =
            if mail.recall.is_recalled() { Err("the message was recalled".to_owned()) } else { self.keep(mail).await };
        let outcome = match kept {
            Ok(()) => DeliveryOutcome::Delivered,
            Err(reason) => DeliveryOutcome::Deferred { reason },
        };
        let outcome_for = |recipient: &inboxd_mail::EmailAddress| RecipientOutcome {
            recipient: recipient.clone(),
            report: outcome.clone().into(),
        };
        mail.recipients.iter().map(outcome_for).collect()
    }
}

impl Capture {
    async fn keep(&self, mail: &OutgoingMail) -> Result<(), String> {
        let sealed = self.vault.seal(CAPTURED_MAIL, &mail.raw).map_err(|error| error.to_string())?;
        let captured = CapturedMail {
            message: mail.message.clone(),
            envelope_from: mail.envelope_from.clone(),
            recipients: mail.recipients.clone(),
            sealed,
            captured_at: self.clock.now(),
        };
        self.store_one(&captured).await.map_err(|error| error.to_string())?;
        let parsed = inboxd_mail::parse(&mail.raw);
        let recipients: Vec<_> = mail.recipients.iter().map(ToString::to_string).collect();
        let subject = parsed.subject.unwrap_or_default();
        let first_line = parsed.text.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
        if self.shows_codes {
            tracing::info!(to = recipients.join(", "), subject, text = first_line, "message captured");
        } else {
            tracing::info!(
                to = recipients.join(", "),
                subject,
                hint = "`inboxd admin captured` shows it",
                "message captured"
            );
        }
        Ok(())
    }

    async fn store_one(&self, captured: &CapturedMail) -> Result<(), StoreError> {
        let mut tx = self.store.begin().await?;
        tx.outgoing().capture(captured).await?;
        tx.commit().await
    }
}
