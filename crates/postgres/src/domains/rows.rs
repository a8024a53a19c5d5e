//! Rows of `domains`.

use diesel::{Insertable, Queryable, QueryableByName, Selectable};
use inboxd_core::model::{Domain, DomainName, DomainStatus, InboxId, PodId};
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::json::{StoredJson, from_json, to_json};
use crate::schema::domains;
use crate::text::stored;

/// The columns of [`DomainRow`].
pub(super) const DOMAIN: &str = "organization_id, domain_id, pod_id, client_id, name, status, feedback_enabled, \
    subdomains_enabled, inbound_enabled, catch_all_inbox_id, records, verified_at, created_at, updated_at";

/// Condition that domain `d` serves its own name: all records are valid, except possibly the wildcard record.
pub(crate) const SERVES_NAME: &str = "(d.status = 'VERIFIED' OR NOT EXISTS (
    SELECT FROM jsonb_array_elements(d.records) AS r
    WHERE r->>'purpose' NOT IN ('wildcard_mx', 'next_dkim', 'retired_dkim') AND r->>'status' <> 'VALID'))";

/// A row of `domains`, without its key and deletion.
#[derive(Queryable, QueryableByName, Selectable, Insertable)]
#[diesel(table_name = domains, check_for_backend(diesel::pg::Pg))]
pub(super) struct DomainRow {
    organization_id: Uuid,
    domain_id: Uuid,
    pod_id: Option<Uuid>,
    client_id: Option<String>,
    name: String,
    status: String,
    feedback_enabled: bool,
    subdomains_enabled: bool,
    inbound_enabled: bool,
    catch_all_inbox_id: Option<String>,
    records: StoredJson,
    verified_at: Option<OffsetDateTime>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

impl DomainRow {
    /// Creates the row of a domain.
    pub(super) fn of(domain: &Domain) -> Result<Self, StoreError> {
        Ok(Self {
            organization_id: domain.organization_id.0,
            domain_id: domain.domain_id.0,
            pod_id: domain.pod_id.map(|pod_id| pod_id.0),
            client_id: domain.client_id.as_deref().map(stored),
            name: stored(domain.name.as_str()),
            status: domain.status.as_str().to_owned(),
            feedback_enabled: domain.feedback_enabled,
            subdomains_enabled: domain.subdomains_enabled,
            inbound_enabled: domain.inbound_enabled,
            catch_all_inbox_id: domain.catch_all_inbox_id.as_ref().map(|inbox_id| inbox_id.as_str().to_owned()),
            records: to_json(&domain.records)?,
            verified_at: domain.verified_at,
            created_at: domain.created_at,
            updated_at: domain.updated_at,
        })
    }

    /// Returns the domain of the row.
    pub(super) fn entity(self) -> Result<Domain, StoreError> {
        Ok(Domain {
            organization_id: self.organization_id.into(),
            domain_id: self.domain_id.into(),
            pod_id: self.pod_id.map(PodId::from),
            client_id: self.client_id,
            name: DomainName::stored(self.name),
            status: status(&self.status)?,
            feedback_enabled: self.feedback_enabled,
            subdomains_enabled: self.subdomains_enabled,
            inbound_enabled: self.inbound_enabled,
            catch_all_inbox_id: self.catch_all_inbox_id.map(InboxId::stored),
            records: from_json(self.records)?,
            verified_at: self.verified_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// Parses a stored status.
pub(super) fn status(word: &str) -> Result<DomainStatus, StoreError> {
    DomainStatus::named(word).ok_or_else(|| StoreError::Failed(format!("unknown status of a domain {word:?}")))
}
