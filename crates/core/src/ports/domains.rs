//! Custom domains, and the directory of those that are proven to be somebody's.

use std::collections::BTreeSet;

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{
    DkimKey, Domain, DomainId, DomainName, InboxId, Locality, MailKey, OrganizationId, Page, PageRequest, PodId,
};
use crate::rules::domains::inbox_domain_policy::HeldDomain;

/// Which domains to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// Only those of this pod.
    pub pod_id: Option<PodId>,
    /// Only those of no pod, and those of the pods that these inboxes belong to.
    pub of_inboxes: Option<BTreeSet<InboxId>>,
    /// Which page; ordered by the time of creation.
    pub page: PageRequest,
}

/// A domain that somebody wants to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedDomain {
    /// Who.
    pub organization_id: OrganizationId,
    /// Its name.
    pub name: DomainName,
    /// The caller's idempotency key.
    pub client_id: Option<String>,
    /// The pod that it is to belong to.
    pub pod_id: Option<PodId>,
}

/// What an organization has before a domain is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// How many domains.
    pub live: u64,
    /// The one of this name.
    pub same_name: Option<DomainId>,
    /// The one that the `client_id` made, deleted or not, and whether it lives.
    pub of_client_id: Option<(Domain, bool)>,
    /// Whether the pod is one of its own; true where none is named.
    pub has_pod: bool,
}

/// Questions about domains. Deleted ones are not there.
#[port]
pub trait DomainReads {
    /// One domain.
    async fn domain(&self, organization_id: OrganizationId, domain_id: DomainId) -> Result<Option<Domain>, StoreError>;

    /// A page of domains.
    async fn list_domains(&self, query: &DomainQuery) -> Result<Page<Domain>, StoreError>;

    /// What stands for or against adding a domain; it may change the next instant.
    async fn domain_standing(&self, asked: &AskedDomain) -> Result<Standing, StoreError>;

    /// Returns whether the nearest proven of these names is another organization's.
    async fn is_name_lost(&self, organization_id: OrganizationId, names: &[DomainName]) -> Result<bool, StoreError>;

    /// Where the mail of these addresses goes by the custom domains of all organizations, with and without a `+tag`; one
    /// answer each, in their order.
    async fn custom_homes(&self, addresses: &[EmailAddress]) -> Result<Vec<Locality>, StoreError>;

    /// The domain that a name is proven to be, of whatever organization: for the operator.
    async fn proven_domain(&self, name: &str) -> Result<Option<Domain>, StoreError>;

    /// The key that signs for the first of these names, nearest first, that is a domain of the organization whose key
    /// stands in DNS as far as is known.
    async fn mail_key(
        &self,
        organization_id: OrganizationId,
        names: &[DomainName],
    ) -> Result<Option<MailKey>, StoreError>;

    /// The keys of a domain beside the one it was born with; without an organization, of one of the service's own.
    async fn dkim_keys(&self, organization_id: Option<OrganizationId>, name: &str) -> Result<Vec<DkimKey>, StoreError>;
}

/// Changes of domains.
#[port]
pub trait DomainWrites: Send {
    /// What stands for or against adding a domain. Exact under the organization's lock.
    async fn standing(&mut self, asked: &AskedDomain) -> Result<Standing, StoreError>;

    /// Who has domains of these names: the organization itself, or another that has proven it.
    async fn held(
        &mut self,
        organization_id: OrganizationId,
        names: &[DomainName],
    ) -> Result<Vec<HeldDomain>, StoreError>;

    /// Stores a new domain and its sealed private key.
    async fn insert(&mut self, domain: &Domain, sealed_key: &[u8]) -> Result<(), StoreError>;

    /// Reads a live domain and locks it.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        domain_id: DomainId,
    ) -> Result<Option<Domain>, StoreError>;

    /// Reads a live domain, and the one of another organization that holds its name where there is one. Both are locked,
    /// in the order of their ids, so that two that contend for a name never wait for each other.
    async fn lock_with_holder(
        &mut self,
        organization_id: OrganizationId,
        domain_id: DomainId,
    ) -> Result<Option<(Domain, Option<Domain>)>, StoreError>;

    /// Stores a domain's new switches, records, status and times.
    async fn update(&mut self, domain: &Domain) -> Result<(), StoreError>;

    /// How many live inboxes are on a domain and below it, but for those below another domain of the organization.
    async fn count_inboxes(&mut self, domain: &Domain) -> Result<u64, StoreError>;

    /// Deletes a domain with its key. Whoever proves it next may have it.
    async fn delete(&mut self, domain: &Domain, at: OffsetDateTime) -> Result<(), StoreError>;

    /// Notes that the name is proven to be this domain's. Answers false when it is another's.
    async fn claim(&mut self, domain: &Domain) -> Result<bool, StoreError>;

    /// Notes that the name is no longer proven to be this domain's.
    async fn release(&mut self, domain: &Domain) -> Result<(), StoreError>;

    /// Stores a key. Answers false when the domain has one of that state, or that selector, already.
    async fn insert_dkim_key(&mut self, key: &DkimKey) -> Result<bool, StoreError>;

    /// Lets the next key of a domain sign from now on, and retires the one that did: its private half is gone.
    async fn promote_dkim_key(&mut self, next: &DkimKey, at: OffsetDateTime) -> Result<(), StoreError>;
}
