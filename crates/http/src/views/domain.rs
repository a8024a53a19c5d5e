//! Custom domains.

use inboxd_core::model;
use inboxd_core::model::domain::RecordPurpose;
use inboxd_core::rules::domains::status::reason;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// Custom domain of an organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Domain)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the wire")]
pub(crate) struct DomainView {
    /// Pod that the domain belongs to; absent if it belongs to the whole organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pod_id: Option<String>,
    /// Id of the domain.
    domain_id: String,
    /// Domain name.
    #[schema(example = "example.org")]
    domain: String,
    /// `NOT_STARTED`, `PENDING`, `VERIFYING`, `VERIFIED`, `INVALID` or `FAILED`.
    status: &'static str,
    /// Reason why the domain is not verified: `not_started`, `dns_records_missing`, `dns_records_invalid` or
    /// `no_answer`. `records` has the details.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// Stored preference for reports of bounces and complaints about mail of the domain.
    feedback_enabled: bool,
    /// Whether inboxes can be created on subdomains.
    subdomains_enabled: bool,
    /// Whether this server receives mail for the domain.
    inbound_enabled: bool,
    /// Inbox that receives mail for addresses of the domain without an inbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    catch_all_inbox_id: Option<String>,
    /// Always false: opens and clicks are not tracked.
    tracking_enabled: bool,
    /// DNS records to publish.
    records: Vec<DomainRecordView>,
    /// Idempotency key of the creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_at: String,
}

/// DNS record that a domain needs.
#[derive(Serialize, ToSchema)]
#[schema(as = DomainRecord)]
pub(crate) struct DomainRecordView {
    /// `TXT` or `MX`.
    r#type: &'static str,
    /// Full name of the record.
    name: String,
    /// Value of the record.
    value: String,
    /// Result of the last verification: `MISSING`, `INVALID` or `VALID`.
    status: &'static str,
    /// Preference of an MX record.
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<u16>,
    /// Reason why the record is not valid: a code such as `value_mismatch`, a colon, and the next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Records that DNS returned instead, one per line.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
}

impl From<model::Domain> for DomainView {
    fn from(domain: model::Domain) -> Self {
        Self {
            pod_id: domain.pod_id.map(|pod_id| pod_id.to_string()),
            domain_id: domain.domain_id.to_string(),
            domain: domain.name.to_string(),
            status: domain.status.as_str(),
            reason: reason(&domain),
            feedback_enabled: domain.feedback_enabled,
            subdomains_enabled: domain.subdomains_enabled,
            inbound_enabled: domain.inbound_enabled,
            catch_all_inbox_id: domain.catch_all_inbox_id.map(|inbox_id| inbox_id.to_string()),
            tracking_enabled: false,
            records: domain.records.into_iter().map(DomainRecordView::from).collect(),
            client_id: domain.client_id,
            created_at: format_time(domain.created_at),
            updated_at: format_time(domain.updated_at),
        }
    }
}

impl From<model::DomainRecord> for DomainRecordView {
    fn from(record: model::DomainRecord) -> Self {
        Self {
            r#type: match record.purpose {
                RecordPurpose::Mx | RecordPurpose::WildcardMx => "MX",
                RecordPurpose::Spf
                | RecordPurpose::Dkim
                | RecordPurpose::NextDkim
                | RecordPurpose::RetiredDkim
                | RecordPurpose::Dmarc => "TXT",
            },
            name: record.name,
            value: record.value,
            status: record.status.as_str(),
            priority: record.priority,
            reason: record.reason,
            found: record.found,
        }
    }
}
