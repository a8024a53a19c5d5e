//! Shared lock of a pod.

use crate::model::{OrganizationId, PodId};
use crate::ports::Tx;
use crate::{Error, Resource};

/// Locks a pod against deletion until the unit of work ends. Each use case that adds to a pod needs this lock first.
pub(crate) async fn hold(tx: &mut dyn Tx, organization_id: OrganizationId, pod_id: PodId) -> Result<(), Error> {
    if tx.pods().hold(organization_id, pod_id).await? { Ok(()) } else { Err(Error::not_found(Resource::Pod, pod_id)) }
}
