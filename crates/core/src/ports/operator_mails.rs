//! Messages for the operator.

use super::StoreError;
use crate::model::{OperatorMail, OperatorMailItem};
use inboxd_port_macros::port;
use uuid::Uuid;

/// Reads of messages for the operator. Only operators use them.
#[port]
pub trait OperatorMailReads {
    /// Returns the newest `limit` messages for the operator, newest first.
    async fn operator_mails(&self, limit: u32) -> Result<Vec<OperatorMailItem>, StoreError>;

    /// Returns a message for the operator with its stored content; `None` for one that was never held, or was evicted.
    async fn operator_mail(&self, mail_id: Uuid) -> Result<Option<(OperatorMailItem, Vec<u8>)>, StoreError>;
}

/// Writes of messages for the operator.
#[port]
pub trait OperatorMailWrites: Send {
    /// Stores a message and evicts the oldest ones above the limit of their network or the total limit. Returns whether
    /// the message is new.
    async fn hold(&mut self, mail: &OperatorMail) -> Result<bool, StoreError>;
}
