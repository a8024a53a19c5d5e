//! Pods.

use std::collections::BTreeSet;

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{InboxId, OrganizationId, Page, PageRequest, Pod, PodId};

/// Filter and page of a pod list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Only this pod.
    pub pod_id: Option<PodId>,
    /// Only the pods of these inboxes.
    pub of_inboxes: Option<BTreeSet<InboxId>>,
    /// The page, ordered by creation time.
    pub page: PageRequest,
}

/// Reads of pods; deleted pods are absent.
#[port]
pub trait PodReads {
    /// Returns a pod.
    async fn pod(&self, organization_id: OrganizationId, pod_id: PodId) -> Result<Option<Pod>, StoreError>;

    /// Returns a page of pods.
    async fn list_pods(&self, query: &PodQuery) -> Result<Page<Pod>, StoreError>;

    /// Returns whether the pod has one of these inboxes. Deleted inboxes belong to no pod.
    async fn pod_has_any(
        &self,
        organization_id: OrganizationId,
        pod_id: PodId,
        inbox_ids: &BTreeSet<InboxId>,
    ) -> Result<bool, StoreError>;
}

/// Writes of pods. [`super::AccountWrites::insert_pod`] stores new ones.
#[port]
pub trait PodWrites: Send {
    /// Returns the number of live pods of an organization, the default pod included. Exact under the lock of the
    /// organization.
    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;

    /// Returns the pod created with a `client_id`, deleted or not, and whether it is live.
    async fn find_by_client_id(
        &mut self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<(Pod, bool)>, StoreError>;

    /// Returns whether a pod is live and locks it shared, which prevents its deletion until the unit of work ends.
    async fn hold(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<bool, StoreError>;

    /// Locks and returns a live pod. Waits for shared locks.
    async fn lock(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<Option<Pod>, StoreError>;

    /// Returns the number of live inboxes of a pod. Exact under the lock of the pod.
    async fn count_inboxes(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<u64, StoreError>;

    /// Stores the name, own quarantine and modification time of a pod.
    async fn update(&mut self, pod: &Pod) -> Result<(), StoreError>;

    /// Deletes a pod. Its row stays for its `client_id`.
    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        pod_id: PodId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;
}
