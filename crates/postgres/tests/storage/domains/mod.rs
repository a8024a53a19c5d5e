//! Domains: stored rows, claims of names, routing of mail and lists.

mod names;
mod reads;
mod routing;

use inboxd_core::model::domain::{DomainRecord, RecordPurpose, RecordStatus};
use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{Domain, DomainId, DomainName, DomainStatus, InboxId, Locality, Organization};
use inboxd_core::ports::{
    AccountReads, AskedDomain, DomainQuery, DomainReads, InboxReads, ReturnPathReads, StoreError,
};
use inboxd_core::rules::domains::inbox_domain_policy::{DomainHolder, HeldDomain};
use uuid::Uuid;

use crate::support::*;

pub(crate) fn domain(organization: &Organization, number: u128, name: &str) -> Domain {
    let record = DomainRecord {
        purpose: RecordPurpose::Mx,
        name: name.to_owned(),
        value: "mx.agents.example".to_owned(),
        status: RecordStatus::Invalid,
        priority: Some(10),
        reason: Some("value_mismatch: no".to_owned()),
        found: Some("a\0b".to_owned()),
    };
    Domain {
        organization_id: organization.organization_id,
        domain_id: Uuid::from_u128(number).into(),
        pod_id: None,
        client_id: None,
        name: DomainName::stored(name.to_owned()),
        status: DomainStatus::Verified,
        feedback_enabled: true,
        subdomains_enabled: false,
        inbound_enabled: true,
        catch_all_inbox_id: None,
        records: vec![record],
        verified_at: None,
        created_at: at(0),
        updated_at: at(0),
    }
}

async fn add(world: &World, domain: &Domain) {
    let mut tx = world.begin().await;
    tx.domains().insert(domain, b"sealed").await.unwrap();
    tx.commit().await.unwrap();
}

async fn claim(world: &World, domain: &Domain) -> bool {
    let mut tx = world.begin().await;
    let is_ours = tx.domains().claim(domain).await.unwrap();
    tx.commit().await.unwrap();
    is_ours
}

async fn delete(world: &World, domain: &Domain) {
    let mut tx = world.begin().await;
    tx.domains().delete(domain, at(9)).await.unwrap();
    tx.commit().await.unwrap();
}

async fn other(world: &World) -> Organization {
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    other
}
