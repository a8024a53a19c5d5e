//! External scanner of received messages.

use async_trait::async_trait;

use super::SuspectMail;
use crate::model::OrganizationId;
use crate::rules::trust::ScannerFinding;

/// Searches received messages for threats.
#[async_trait]
pub trait ContentScanner: Send + Sync {
    /// Returns the findings in a message that an organization receives, within a bounded time. A scanner that fails
    /// finds nothing.
    async fn scan(&self, organization_id: OrganizationId, mail: SuspectMail<'_>) -> Vec<ScannerFinding>;
}
