//! Creation of a pod.

use crate::app::{App, row_limits};
use crate::model::{Caller, Permission, Pod, PodId};
use crate::rules::{access, limits, names, pod_names};
use crate::{Error, FieldError};

/// Request for a new pod.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewPod {
    /// The name; a generated, readable one applies without it.
    pub name: Option<String>,
    /// The client's idempotency key.
    pub client_id: Option<String>,
}

/// Creates a pod, or returns the earlier pod of the same `client_id`.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::Invalid`], [`Error::ClientIdSpent`], [`Error::LimitReached`].
pub async fn create(app: &App, caller: &Caller, new: NewPod) -> Result<Pod, Error> {
    access::require(caller, Permission::PodCreate)?;
    Error::unless_empty(problems_of_new(&new))?;
    let organization_id = caller.organization.organization_id;
    let now = app.clock.now();

    let mut tx = app.store.begin().await?;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    if let Some(client_id) = &new.client_id
        && let Some((pod, is_live)) = tx.pods().find_by_client_id(organization_id, client_id).await?
    {
        return if is_live { Ok(pod) } else { Err(Error::ClientIdSpent(client_id.clone())) };
    }
    if organization.limits().pods.is_some() {
        let live = tx.pods().count(organization_id).await?;
        limits::allow_pod(&organization, live)?;
    }
    let pod = Pod {
        organization_id,
        pod_id: app.mint::<PodId>(now),
        name: new.name.unwrap_or_else(|| pod_names::random_name(app.random.bytes())),
        client_id: new.client_id,
        quarantine: None,
        created_at: now,
        updated_at: now,
    };
    tx.accounts().insert_pod(&pod).await?;
    row_limits::count_creation(app, tx.as_mut(), organization_id, now).await?;
    tx.commit().await?;
    Ok(pod)
}

/// Returns every problem that a new pod has by itself.
#[must_use]
pub fn problems_of_new(new: &NewPod) -> Vec<FieldError> {
    let checks = [
        ("name", new.name.as_deref().map_or(Ok(()), names::validate_label)),
        ("client_id", new.client_id.as_deref().map_or(Ok(()), names::validate_client_id)),
    ];
    checks.into_iter().filter_map(|(path, checked)| Some(FieldError::new(path, checked.err()?))).collect()
}
