//! Mail for the operator.

use async_trait::async_trait;

use super::StoreError;
use crate::model::OperatorMail;

/// Changes of the mail that is held for the operator.
#[async_trait]
pub trait OperatorMailWrites: Send {
    /// Stores a message, and evicts the oldest ones that are beyond the share of their network or beyond all room. Returns
    /// whether it is new.
    async fn hold(&mut self, mail: &OperatorMail) -> Result<bool, StoreError>;
}
