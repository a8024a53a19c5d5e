//! Facts about audited resources, by the names of the API. None is a secret.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::model::{
    ApiKey, AuditFacts, AuditedResource, Connection, Contact, ContactDecision, Domain, DraftItem, EntryName, EventType,
    Inbox, ListEntry, ListLevel, Member, Organization, Pod, Policy, PolicyLevel, PolicyRules, PollingWebhook, Reach,
    SendingHours, Webhook, WebhookTargets,
};

/// Maximum number of ids, or of addresses, that an entry names of one list. The count beside them is complete.
pub(super) const MAX_NAMED: usize = 100;

/// A resource whose changes are recorded.
pub(in crate::app) trait Audited {
    /// Kind of the resource.
    const RESOURCE: AuditedResource;

    /// Returns the id of the resource.
    fn resource_id(&self) -> String;

    /// Returns the facts that people decide, without secrets.
    fn facts(&self) -> AuditFacts;
}

/// Returns facts without those that are null.
fn facts(value: Value) -> AuditFacts {
    match value {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => AuditFacts::new(),
    }
}

fn time(at: Option<OffsetDateTime>) -> Option<String> {
    at.and_then(|at| at.format(&Rfc3339).ok())
}

/// Returns pod and inbox of a scope; both are null for an organization.
fn place(reach: &Reach) -> (Option<String>, Option<String>) {
    match reach {
        Reach::Organization | Reach::Inboxes(_) => (None, None),
        Reach::Pod(pod_id) => (Some(pod_id.to_string()), None),
        Reach::Inbox { pod_id, inbox_id } => (Some(pod_id.to_string()), Some(inbox_id.to_string())),
    }
}

impl Audited for ApiKey {
    const RESOURCE: AuditedResource = AuditedResource::ApiKey;

    fn resource_id(&self) -> String {
        self.api_key_id.to_string()
    }

    fn facts(&self) -> AuditFacts {
        let (pod_id, inbox_id) = place(&self.reach);
        facts(json!({
            "name": self.name,
            "prefix": self.prefix,
            "pod_id": pod_id,
            "inbox_id": inbox_id,
            "member_id": self.member_id.map(|id| id.to_string()),
            "permissions": self.permissions,
            "expires_at": time(self.expires_at),
        }))
    }
}

impl Audited for Inbox {
    const RESOURCE: AuditedResource = AuditedResource::Inbox;

    fn resource_id(&self) -> String {
        self.inbox_id.to_string()
    }

    fn facts(&self) -> AuditFacts {
        facts(json!({ "retention_days": self.retention_days, "quarantine": self.quarantine }))
    }
}

impl Audited for Pod {
    const RESOURCE: AuditedResource = AuditedResource::Pod;

    fn resource_id(&self) -> String {
        self.pod_id.to_string()
    }

    fn facts(&self) -> AuditFacts {
        facts(json!({ "name": self.name, "quarantine": self.quarantine }))
    }
}

impl Audited for Member {
    const RESOURCE: AuditedResource = AuditedResource::Member;

    fn resource_id(&self) -> String {
        self.member_id.to_string()
    }

    fn facts(&self) -> AuditFacts {
        facts(json!({
            "email": self.email.to_string(),
            "name": self.name,
            "role": self.role.as_str(),
            "inbox_ids": self.inbox_ids,
        }))
    }
}

impl Audited for ListEntry {
    const RESOURCE: AuditedResource = AuditedResource::ListEntry;

    fn resource_id(&self) -> String {
        self.entry.as_str().to_owned()
    }

    fn facts(&self) -> AuditFacts {
        let (pod_id, inbox_id) = match &self.list.level {
            ListLevel::Organization => (None, None),
            ListLevel::Pod(pod_id) => (Some(pod_id.to_string()), None),
            ListLevel::Inbox { pod_id, inbox_id } => (Some(pod_id.to_string()), Some(inbox_id.to_string())),
        };
        facts(json!({
            "direction": self.list.direction.as_str(),
            "list_type": self.list.list_type.as_str(),
            "entry": self.entry.as_str(),
            "reason": self.reason,
            "require_authentication": self.require_authentication.then_some(true),
            "pod_id": pod_id,
            "inbox_id": inbox_id,
        }))
    }
}

impl Audited for Domain {
    const RESOURCE: AuditedResource = AuditedResource::Domain;

    fn resource_id(&self) -> String {
        self.domain_id.to_string()
    }

    fn facts(&self) -> AuditFacts {
        facts(json!({
            "domain": self.name.as_str(),
            "status": self.status.as_str(),
            "pod_id": self.pod_id.map(|id| id.to_string()),
            "feedback_enabled": self.feedback_enabled,
            "subdomains_enabled": self.subdomains_enabled,
            "inbound_enabled": self.inbound_enabled,
            "catch_all_inbox_id": self.catch_all_inbox_id,
        }))
    }
}

impl Audited for PollingWebhook {
    const RESOURCE: AuditedResource = AuditedResource::Webhook;

    fn resource_id(&self) -> String {
        self.webhook_id.to_string()
    }

    fn facts(&self) -> AuditFacts {
        let own = facts(json!({ "client_id": self.client_id }));
        subscription(&self.place, &self.event_types, self.selection.as_ref()).into_iter().chain(own).collect()
    }
}

impl Audited for Webhook {
    const RESOURCE: AuditedResource = AuditedResource::Webhook;

    fn resource_id(&self) -> String {
        self.webhook_id.to_string()
    }

    fn facts(&self) -> AuditFacts {
        let own = facts(json!({
            "origin": origin(&self.url),
            "trust": self.trust,
            "enabled": self.enabled,
            "header_names": self.header_names,
        }));
        subscription(&self.place, &self.event_types, self.selection.as_ref()).into_iter().chain(own).collect()
    }
}

/// Returns the facts of a subscription to events: its scope, and the pods and inboxes that it selects.
fn subscription(reach: &Reach, event_types: &[EventType], selection: Option<&WebhookTargets>) -> AuditFacts {
    let (pod_id, inbox_id) = place(reach);
    let event_types: Vec<&str> = event_types.iter().map(|event_type| event_type.as_str()).collect();
    let pod_ids: Option<Vec<String>> =
        selection.map(|selection| selection.pod_ids.iter().map(ToString::to_string).collect());
    facts(json!({
        "event_types": event_types,
        "pod_id": pod_id,
        "inbox_id": inbox_id,
        "pod_ids": pod_ids,
        "inbox_ids": selection.map(|selection| &selection.inbox_ids),
    }))
}

/// Returns scheme and host of a URL. Receivers put secrets into the rest.
fn origin(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return String::new() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    format!("{scheme}://{}", authority.rsplit('@').next().unwrap_or_default())
}

/// Returns a list, or the number, the first entries and the digest of a long one: each change would store all of it twice.
fn named(entries: &[EntryName]) -> Value {
    let Some(first) = entries.get(..MAX_NAMED).filter(|first| first.len() < entries.len()) else {
        return json!(entries);
    };
    let mut digest = Sha256::new();
    for entry in entries {
        digest.update(entry.as_str());
        digest.update("\n");
    }
    json!({"count": entries.len(), "first": first, "sha256": STANDARD.encode(digest.finalize())})
}

impl Audited for Policy {
    const RESOURCE: AuditedResource = AuditedResource::Policy;

    /// Returns the id of the pod, inbox or key, and `organization` for an organization.
    fn resource_id(&self) -> String {
        if self.level == PolicyLevel::Organization { self.level.kind().to_owned() } else { self.level.id() }
    }

    fn facts(&self) -> AuditFacts {
        let PolicyRules { applies_to, recipients, amount, content, hours } = &self.rules;
        facts(json!({
            "scope": self.level.kind(),
            "applies_to": applies_to.as_str(),
            "recipients": {
                "known": recipients.known,
                "first_contact": recipients.first_contact,
                "suspicious": recipients.suspicious,
                "allow": named(&recipients.allow),
                "hold": named(&recipients.hold),
                "refuse": named(&recipients.refuse),
            },
            "amount": amount,
            "content": content,
            "hours": hours.as_ref().map(|hours| json!({
                "zone": hours.zone,
                "days": hours.days,
                "from": SendingHours::time_of_day(hours.from),
                "until": SendingHours::time_of_day(hours.until),
                "outside": hours.outside,
            })),
        }))
    }
}

impl Audited for DraftItem {
    const RESOURCE: AuditedResource = AuditedResource::Draft;

    fn resource_id(&self) -> String {
        self.draft_id.to_string()
    }

    fn facts(&self) -> AuditFacts {
        let approval = self.approval.as_ref();
        facts(json!({
            "inbox_id": self.inbox_id,
            "message_id": approval.map(|approval| approval.message_id.to_string()),
            "author": approval.map(|approval| &approval.author),
            "rule": approval.map(|approval| approval.rule.rule.as_str()),
            "reason": approval.and_then(|approval| approval.reason.as_ref()),
        }))
    }
}

impl Audited for Connection {
    const RESOURCE: AuditedResource = AuditedResource::Connection;

    fn resource_id(&self) -> String {
        self.connection_id.to_string()
    }

    fn facts(&self) -> AuditFacts {
        facts(json!({
            "member_id": self.member_id.to_string(),
            "client_id": self.client_id,
            "client_name": self.client_name,
            "redirect_host": self.redirect_host,
            "permissions": self.permissions,
            "inbox_ids": self.inbox_ids,
            "expires_at": time(Some(self.expires_at)),
        }))
    }
}

impl Audited for Contact {
    const RESOURCE: AuditedResource = AuditedResource::Contact;

    fn resource_id(&self) -> String {
        self.address.clone()
    }

    fn facts(&self) -> AuditFacts {
        facts(json!({
            "inbox_id": self.inbox_id,
            "decision": self.decision.map(ContactDecision::as_str),
        }))
    }
}

impl Audited for Organization {
    const RESOURCE: AuditedResource = AuditedResource::Organization;

    fn resource_id(&self) -> String {
        self.organization_id.to_string()
    }

    fn facts(&self) -> AuditFacts {
        facts(json!({
            "plan": self.plan.as_str(),
            "verified": self.is_verified(),
            "quarantine": self.quarantine.as_str(),
            "suspended": self.suspension.as_ref().map(|suspension| &suspension.reason),
            "sending": self.brake.as_ref().map(|brake| format!("{}: {}", brake.level.as_str(), brake.reason)),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_url_holds_no_secret() {
        for (url, recorded) in [
            ("https://hooks.example/services/secret?token=s#x", "https://hooks.example"),
            ("https://user:pass@hooks.example:8443/a", "https://hooks.example:8443"),
            ("https://hooks.example?token=s", "https://hooks.example"),
        ] {
            assert_eq!(origin(url), recorded);
        }
    }

    #[test]
    fn long_lists_are_cut_and_their_changes_stay_visible() {
        let entries = |count: usize, last: &str| {
            let names = (1..count).map(|number| format!("a{number}@example.org")).chain([last.to_owned()]);
            names.map(EntryName::stored).collect::<Vec<EntryName>>()
        };
        assert_eq!(named(&entries(MAX_NAMED, "z@example.org")).as_array().map(Vec::len), Some(MAX_NAMED));
        let long = named(&entries(1_000, "z@example.org"));
        assert_eq!((&long["count"], long["first"].as_array().map(Vec::len)), (&json!(1_000), Some(MAX_NAMED)));
        assert_ne!(long["sha256"], named(&entries(1_000, "y@example.org"))["sha256"]);
    }
}
