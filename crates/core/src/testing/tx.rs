//! Mock of the unit of work.

use async_trait::async_trait;
use futures_channel::oneshot::Receiver;
use mockall::mock;

use super::{Happened, Journal};
use crate::model::NewMail;
use crate::ports::{StoreError, Tx, write_ports};

mock! {
    /// The mail that [`Tx::commit_with`] stores.
    pub NewMails {
        /// Stores mail.
        pub fn insert(&mut self, mail: &NewMail) -> Result<(), StoreError>;
    }
}

macro_rules! mock_tx {
    ($($(#[$about:meta])* $group:ident {
        $($(#[$doc:meta])* $field:ident: $module:ident::{$port:ident, $mock:ident},)+
    })+) => {
        /// A unit of work with one mock for each port that writes. A [`Journal`] records its commit.
        pub struct MockTx {
            $($($(#[$doc])* pub $field: crate::ports::$module::$mock,)+)+
            /// The mail of its commit.
            pub mail: MockNewMails,
            /// Signal that its commit waits for.
            pub commit_awaits: Option<Receiver<()>>,
            /// Error of its commit.
            pub commit_fails: Option<StoreError>,
            journal: Journal,
        }

        impl MockTx {
            /// Returns a unit of work that expects at most its commit, and audit entries.
            #[must_use]
            pub fn new(journal: Journal) -> Self {
                let mut tx = Self {
                    $($($field: crate::ports::$module::$mock::new(),)+)+
                    mail: MockNewMails::new(),
                    commit_awaits: None,
                    commit_fails: None,
                    journal,
                };
                tx.audit.expect_append().returning(|_, _| Ok(true));
                tx
            }
        }

        $(impl crate::ports::$group for MockTx {
            $(fn $field(&mut self) -> &mut dyn crate::ports::$port { &mut self.$field })+
        })+
    };
}
write_ports!(mock_tx);

#[async_trait]
impl Tx for MockTx {
    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        if let Some(end) = self.commit_awaits {
            // A sender that is gone ends the wait as well.
            let _ = end.await;
        }
        if let Some(error) = self.commit_fails {
            return Err(error);
        }
        self.journal.note(Happened::Committed);
        Ok(())
    }

    async fn commit_with(mut self: Box<Self>, mail: &NewMail) -> Result<(), StoreError> {
        self.mail.insert(mail)?;
        self.commit().await
    }
}
