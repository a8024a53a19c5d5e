//! Store of ACME accounts, certificates and challenges, shared by all processes.

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use crate::model::certificate::{AcmeChallenge, CertificateScope, CertificateState, IssuedCertificate, RenewalPlan};

/// Stored certificates (RFC 8555). One process orders at a time; all of them serve.
#[async_trait]
pub trait CertificateStore: Send + Sync {
    /// Returns the sealed credentials of the account at a directory.
    async fn load_acme_account(&self, directory: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Stores or replaces the sealed credentials of the account at a directory.
    async fn save_acme_account(&self, directory: &str, sealed: &[u8], now: OffsetDateTime) -> Result<(), StoreError>;

    /// Returns the state of a certificate; empty before the first order.
    async fn load_certificate(&self, scope: &CertificateScope) -> Result<CertificateState, StoreError>;

    /// Claims the orders of a certificate for a process until a time. Returns whether no other process has a claim.
    async fn claim_certificate(
        &self,
        scope: &CertificateScope,
        process_id: Uuid,
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Stores a new certificate and ends the claim of the process. Returns `false`, without a change, if the claim ended
    /// before.
    async fn save_certificate(
        &self,
        scope: &CertificateScope,
        process_id: Uuid,
        certificate: &IssuedCertificate,
        plan: RenewalPlan,
    ) -> Result<bool, StoreError>;

    /// Stores other times for a certificate, and ends the claim of the process.
    async fn save_renewal_plan(
        &self,
        scope: &CertificateScope,
        process_id: Uuid,
        plan: RenewalPlan,
    ) -> Result<(), StoreError>;

    /// Counts a failed order, and ends the claim of the process.
    async fn save_certificate_failure(
        &self,
        scope: &CertificateScope,
        process_id: Uuid,
        reason: &str,
        retry_at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Stores a challenge, and deletes expired ones.
    async fn save_acme_challenge(&self, challenge: &AcmeChallenge, now: OffsetDateTime) -> Result<(), StoreError>;

    /// Returns at most 200 challenges that have not expired.
    async fn load_acme_challenges(&self, now: OffsetDateTime) -> Result<Vec<AcmeChallenge>, StoreError>;
}
