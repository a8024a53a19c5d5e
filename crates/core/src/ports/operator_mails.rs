//! Mail for the operator.

use super::StoreError;
use crate::model::OperatorMail;
use inboxd_port_macros::port;

/// Changes of the mail that is held for the operator.
#[port]
pub trait OperatorMailWrites: Send {
    /// Stores a message, and evicts the oldest ones that are beyond the share of their network or beyond all room. Returns
    /// whether it is new.
    async fn hold(&mut self, mail: &OperatorMail) -> Result<bool, StoreError>;
}
