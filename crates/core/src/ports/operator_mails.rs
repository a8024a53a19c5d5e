//! Messages for the operator.

use super::StoreError;
use crate::model::OperatorMail;
use inboxd_port_macros::port;

/// Writes of messages for the operator.
#[port]
pub trait OperatorMailWrites: Send {
    /// Stores a message and evicts the oldest ones above the limit of their network or the total limit. Returns whether
    /// the message is new.
    async fn hold(&mut self, mail: &OperatorMail) -> Result<bool, StoreError>;
}
