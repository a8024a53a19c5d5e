//! Custom domains and the directory of verified domain names.

use std::collections::BTreeSet;

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{
    DkimKey, Domain, DomainId, DomainName, InboxId, Locality, MailKey, OrganizationId, Page, PageRequest, PodId,
};
use crate::rules::domains::inbox_domain_policy::HeldDomain;

/// Filter and page of a domain list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainQuery {
    /// The organization of the domains.
    pub organization_id: OrganizationId,
    /// Only domains of this pod.
    pub pod_id: Option<PodId>,
    /// Only domains without a pod and domains of the pods of these inboxes.
    pub of_inboxes: Option<BTreeSet<InboxId>>,
    /// The page, ordered by creation time.
    pub page: PageRequest,
}

/// Request to add a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedDomain {
    /// The organization of the caller.
    pub organization_id: OrganizationId,
    /// The domain name.
    pub name: DomainName,
    /// The idempotency key of the client.
    pub client_id: Option<String>,
    /// The pod of the new domain.
    pub pod_id: Option<PodId>,
}

/// State of an organization that decides whether it may add a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The number of live domains.
    pub live: u64,
    /// The live domain with the requested name.
    pub same_name: Option<DomainId>,
    /// The domain created with the `client_id`, deleted or not, and whether it is live.
    pub of_client_id: Option<(Domain, bool)>,
    /// Whether the pod belongs to the organization; true when the request names no pod.
    pub has_pod: bool,
}

/// Reads of domains; deleted domains are absent.
#[port]
pub trait DomainReads {
    /// Returns a domain.
    async fn domain(&self, organization_id: OrganizationId, domain_id: DomainId) -> Result<Option<Domain>, StoreError>;

    /// Returns a page of domains.
    async fn list_domains(&self, query: &DomainQuery) -> Result<Page<Domain>, StoreError>;

    /// Returns the state that decides whether a domain may be added. The result can be outdated at once.
    async fn domain_standing(&self, asked: &AskedDomain) -> Result<Standing, StoreError>;

    /// Returns whether the nearest proven of these names is another organization's.
    async fn is_name_lost(&self, organization_id: OrganizationId, names: &[DomainName]) -> Result<bool, StoreError>;

    /// Resolves addresses by the custom domains of all organizations, with and without a `+tag`. Returns one locality
    /// per address, in the same order.
    async fn custom_homes(&self, addresses: &[EmailAddress]) -> Result<Vec<Locality>, StoreError>;

    /// Returns the domain that verified this name, in any organization. Only the operator and received aggregate reports use
    /// it.
    async fn proven_domain(&self, name: &str) -> Result<Option<Domain>, StoreError>;

    /// Returns the DKIM key of the first of these names, nearest first, that is a domain of the organization with a key
    /// published in DNS. The DNS state is that of the last check.
    async fn mail_key(
        &self,
        organization_id: OrganizationId,
        names: &[DomainName],
    ) -> Result<Option<MailKey>, StoreError>;

    /// Returns the DKIM keys added to a domain after its creation. Without an organization, the domain is a service
    /// domain.
    async fn dkim_keys(&self, organization_id: Option<OrganizationId>, name: &str) -> Result<Vec<DkimKey>, StoreError>;
}

/// Writes of domains.
#[port]
pub trait DomainWrites: Send {
    /// Returns the state that decides whether a domain may be added. Exact under the lock of the organization.
    async fn standing(&mut self, asked: &AskedDomain) -> Result<Standing, StoreError>;

    /// Returns the domains with these names that belong to the organization or that another organization has verified.
    async fn held(
        &mut self,
        organization_id: OrganizationId,
        names: &[DomainName],
    ) -> Result<Vec<HeldDomain>, StoreError>;

    /// Stores a new domain and its encrypted private key.
    async fn insert(&mut self, domain: &Domain, sealed_key: &[u8]) -> Result<(), StoreError>;

    /// Locks and returns a live domain.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        domain_id: DomainId,
    ) -> Result<Option<Domain>, StoreError>;

    /// Locks and returns a live domain and, if any, the domain of another organization that has claimed its name. Rows
    /// are locked in the order of their ids to prevent deadlocks.
    async fn lock_with_holder(
        &mut self,
        organization_id: OrganizationId,
        domain_id: DomainId,
    ) -> Result<Option<(Domain, Option<Domain>)>, StoreError>;

    /// Stores the switches, records, status and times of a domain.
    async fn update(&mut self, domain: &Domain) -> Result<(), StoreError>;

    /// Returns the number of live inboxes on a domain and its subdomains, except those below another domain of the
    /// organization.
    async fn count_inboxes(&mut self, domain: &Domain) -> Result<u64, StoreError>;

    /// Deletes a domain and its key. The name is free for the next organization that verifies it.
    async fn delete(&mut self, domain: &Domain, at: OffsetDateTime) -> Result<(), StoreError>;

    /// Claims the verified name for this domain. Returns false when another domain has claimed it.
    async fn claim(&mut self, domain: &Domain) -> Result<bool, StoreError>;

    /// Releases the name of this domain.
    async fn release(&mut self, domain: &Domain) -> Result<(), StoreError>;

    /// Stores a DKIM key. Returns false when the domain already has a key in this state or with this selector.
    async fn insert_dkim_key(&mut self, key: &DkimKey) -> Result<bool, StoreError>;

    /// Makes the next key of a domain the signing key. Retires the current key and deletes its private half.
    async fn promote_dkim_key(&mut self, next: &DkimKey, at: OffsetDateTime) -> Result<(), StoreError>;
}
