//! Pods that are held while something is put into them.

use crate::model::{OrganizationId, PodId};
use crate::ports::Tx;
use crate::{Error, Resource};

/// Keeps a pod from being deleted until the unit of work ends: whoever puts something into it does this first.
pub(crate) async fn hold(tx: &mut dyn Tx, organization_id: OrganizationId, pod_id: PodId) -> Result<(), Error> {
    if tx.pods().hold(organization_id, pod_id).await? { Ok(()) } else { Err(Error::not_found(Resource::Pod, pod_id)) }
}
