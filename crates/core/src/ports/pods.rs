//! Pods.

use std::collections::BTreeSet;

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{InboxId, OrganizationId, Page, PageRequest, Pod, PodId};

/// Which pods to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// Only this one.
    pub pod_id: Option<PodId>,
    /// Only those that one of these inboxes belongs to.
    pub of_inboxes: Option<BTreeSet<InboxId>>,
    /// Which page; ordered by the time of creation.
    pub page: PageRequest,
}

/// Questions about pods. Deleted ones are not there.
#[port]
pub trait PodReads {
    /// One pod.
    async fn pod(&self, organization_id: OrganizationId, pod_id: PodId) -> Result<Option<Pod>, StoreError>;

    /// A page of pods.
    async fn list_pods(&self, query: &PodQuery) -> Result<Page<Pod>, StoreError>;

    /// Whether one of these inboxes belongs to a pod. Deleted inboxes belong to none.
    async fn pod_has_any(
        &self,
        organization_id: OrganizationId,
        pod_id: PodId,
        inbox_ids: &BTreeSet<InboxId>,
    ) -> Result<bool, StoreError>;
}

/// Changes of pods. New ones are stored by [`super::AccountWrites::insert_pod`].
#[port]
pub trait PodWrites: Send {
    /// How many live pods an organization has, the default pod included. Exact under the organization's lock.
    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;

    /// The pod that a `client_id` made, deleted or not, and whether it lives.
    async fn find_by_client_id(
        &mut self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<(Pod, bool)>, StoreError>;

    /// Whether a pod lives; it is then kept from being deleted until the unit of work ends.
    async fn hold(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<bool, StoreError>;

    /// Reads a live pod and locks it; it waits for those who hold it.
    async fn lock(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<Option<Pod>, StoreError>;

    /// How many live inboxes a pod has. Exact under the pod's lock.
    async fn count_inboxes(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<u64, StoreError>;

    /// Stores a pod's new name and time of change.
    async fn update(&mut self, pod: &Pod) -> Result<(), StoreError>;

    /// Deletes a pod. Its row stays, for its `client_id`.
    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        pod_id: PodId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;
}
