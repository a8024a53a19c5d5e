//! Interface of the server to the application.

use async_trait::async_trait;
use inboxd_core::app::{self, App, Arrived, IncomingMail, NotReceived, Recipient, refusals};
use inboxd_core::model::RefusedMail;
use inboxd_mail::EmailAddress;

/// Receiver of messages for local addresses: the use cases of [`App`], or a stub in tests.
#[async_trait]
pub trait MailHandler: Send + Sync {
    /// Looks up a recipient.
    async fn recipient(&self, address: &EmailAddress) -> Result<Recipient, NotReceived>;

    /// Stores a message for all recipients in one transaction. On success it is durable and visible; after an error nothing
    /// is stored.
    ///
    /// The call runs in a task of its own, so a disconnected client does not cancel it.
    async fn receive(&self, mail: IncomingMail) -> Result<Arrived, NotReceived>;

    /// Notes a refusal of a mail for one recipient. It does not wait.
    fn note_refusal(&self, mail: RefusedMail);
}

#[async_trait]
impl MailHandler for App {
    async fn recipient(&self, address: &EmailAddress) -> Result<Recipient, NotReceived> {
        app::recipient(self, address).await
    }

    async fn receive(&self, mail: IncomingMail) -> Result<Arrived, NotReceived> {
        app::receive(self, mail).await
    }

    fn note_refusal(&self, mail: RefusedMail) {
        refusals::note(self, mail);
    }
}
