//! Change of a pod: name and quarantine.

use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, quarantine, standing};
use crate::model::{AuditAction, Caller, Permission, Pod, PodId, QuarantineMode};
use crate::rules::{access, names};
use crate::{Error, Resource};

/// Changes to a pod; `None` leaves a field unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PodChange {
    /// The new name.
    pub name: Option<String>,
    /// The new own quarantine; `Some(None)` leaves it to the organization.
    pub quarantine: Option<Option<QuarantineMode>>,
}

/// Changes a pod. A quarantine applies to mail that is received from then on.
///
/// A less strict quarantine also requires `agent_armor_release`.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::Invalid`],
/// [`Error::NotFound`], [`Error::RowLimitReached`].
pub async fn update(app: &App, caller: &Caller, pod_id: PodId, change: PodChange) -> Result<Pod, Error> {
    require_update(caller, pod_id)?;
    if let Some(name) = &change.name {
        names::validate_label(name).map_err(|message| Error::invalid("name", message))?;
    }
    retried(is_contention, || update_once(app, caller, pod_id, change.clone())).await
}

async fn update_once(app: &App, caller: &Caller, pod_id: PodId, change: PodChange) -> Result<Pod, Error> {
    let mut tx = app.store.begin().await?;
    let before = tx
        .pods()
        .lock(caller.organization.organization_id, pod_id)
        .await?
        .ok_or_else(|| Error::not_found(Resource::Pod, pod_id))?;
    let mode = change.quarantine.unwrap_or(before.quarantine);
    if mode != before.quarantine {
        let caller = standing::present(app, tx.as_mut(), caller).await?;
        require_update(&caller, pod_id)?;
        quarantine::require_change(&caller, before.quarantine, mode)?;
    }
    let name = change.name.unwrap_or_else(|| before.name.clone());
    let pod = Pod { name, quarantine: mode, updated_at: app.clock.now(), ..before.clone() };
    tx.pods().update(&pod).await?;
    if pod.quarantine != before.quarantine {
        let change = AuditChange::updated(AuditAction::PodQuarantineUpdated, &before, &pod);
        audit::record(app, tx.as_mut(), caller, change).await?;
    }
    tx.commit().await?;
    Ok(pod)
}

fn require_update(caller: &Caller, pod_id: PodId) -> Result<(), Error> {
    access::require_whole_pod(caller, pod_id)?;
    access::require(caller, Permission::PodUpdate)
}
