//! A custom domain.

use inboxd_core::model;
use inboxd_core::model::domain::RecordPurpose;
use inboxd_core::rules::domains::status::reason;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// A domain that an organization brings.
#[derive(Serialize, ToSchema)]
#[schema(as = Domain)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the wire")]
pub(crate) struct DomainView {
    /// The one pod that it belongs to; absent where it belongs to the whole organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pod_id: Option<String>,
    /// Its id.
    domain_id: String,
    /// Its name.
    #[schema(example = "example.org")]
    domain: String,
    /// `NOT_STARTED`, `PENDING`, `VERIFYING`, `VERIFIED`, `INVALID` or `FAILED`.
    status: &'static str,
    /// Why it is not verified, as a word: `not_started`, `dns_records_missing`, `dns_records_invalid` or `no_answer`. Its
    /// records say more.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// Whether bounces and complaints about its mail are wanted.
    feedback_enabled: bool,
    /// Whether inboxes may be made on its subdomains.
    subdomains_enabled: bool,
    /// Whether mail for it is taken here.
    inbound_enabled: bool,
    /// The inbox that takes mail for names at the domain that are no inbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    catch_all_inbox_id: Option<String>,
    /// Always false: mail is sent as it was written.
    tracking_enabled: bool,
    /// What must stand in DNS.
    records: Vec<DomainRecordView>,
    /// The idempotency key of its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    /// When it was added.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

/// A DNS record that a domain needs.
#[derive(Serialize, ToSchema)]
#[schema(as = DomainRecord)]
pub(crate) struct DomainRecordView {
    /// `TXT` or `MX`.
    r#type: &'static str,
    /// Its full name.
    name: String,
    /// Its value.
    value: String,
    /// `MISSING`, `INVALID` or `VALID`, as of the last verification.
    status: &'static str,
    /// The preference of an MX record.
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<u16>,
    /// Why it is not valid: a word such as `value_mismatch`, a colon, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What DNS answered instead, a line each.
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
