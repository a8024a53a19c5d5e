//! Creation of a list entry.

use super::name::{ListName, find};
use super::suppressed;
use crate::app::audit::{self, AuditChange};
use crate::app::{App, pods, row_limits};
use crate::model::permissions::ListEntryCreate;
use crate::model::{AuditAction, EntryName, ListEntry, ListKey, ListLevel};
use crate::ports::{ClientIdKind, Constraint, Destination, StoreError};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{lists, names};
use crate::{Error, FieldError, Resource};

/// Refusal of an entry that cannot require authentication.
const NOT_FOR_AUTHENTICATION: &str = "is for receive/allow and reply/allow: a block list must also stop senders \
    without authentication, and a send list names recipients; leave it out";

/// Request for a new entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewEntry {
    /// An address or a domain.
    pub entry: String,
    /// The reason of the entry.
    pub reason: Option<String>,
    /// Whether the entry admits a sender only if authentication confirms the domain of From.
    pub require_authentication: bool,
    /// The client's idempotency key.
    pub client_id: Option<String>,
}

/// Creates an entry of a list, or returns the earlier entry of the same `client_id`.
///
/// # Errors
/// [`Error::Invalid`], [`Error::NotFound`], [`Error::PodOutOfScope`], [`Error::AlreadyExists`],
/// [`Error::ClientIdSpent`], [`Error::RowLimitReached`].
pub async fn create(
    app: &App,
    caller: &AuthorizedCaller<ListEntryCreate>,
    name: ListName,
    new: NewEntry,
) -> Result<ListEntry, Error> {
    Error::unless_empty(problems_of_new(name, &new))?;
    let named = lists::parse_entry(&new.entry).map_err(|message| Error::invalid("entry", message))?;
    let list = find(app, caller, name).await?;
    let exists =
        |id: &str| Error::AlreadyExists { resource: Resource::ListEntry, name: id.to_owned(), id: id.to_owned() };
    if let Some(suppressed) = suppressed::find(app, &list, &new.entry).await? {
        return Err(exists(suppressed.entry.as_str()));
    }
    let entry = ListEntry {
        list,
        entry: named,
        reason: new.reason,
        require_authentication: new.require_authentication,
        read_only: false,
        created_at: app.clock.now(),
    };
    let mut tx = app.store.begin().await?;
    // The lock prevents a write for a pod or an inbox after its deletion.
    let organization_id = entry.list.organization_id;
    row_limits::lock_organization(tx.as_mut(), organization_id).await?;
    match &entry.list.level {
        ListLevel::Organization => {}
        ListLevel::Pod(pod_id) => pods::hold(tx.as_mut(), organization_id, *pod_id).await?,
        ListLevel::Inbox { pod_id, inbox_id } => {
            let wanted = Destination { organization_id, pod_id: *pod_id, inbox_id: inbox_id.clone() };
            if tx.inboxes().hold(&[wanted]).await?.is_empty() {
                return Err(Error::not_found(Resource::Inbox, inbox_id));
            }
        }
    }
    if let Some(client_id) = &new.client_id {
        let own = format!("{}{}", words_of(&entry.list), entry.entry.as_str());
        if let Some(made) = tx.client_ids().spend(organization_id, ClientIdKind::ListEntry, client_id, &own).await? {
            drop(tx);
            return original(app, &entry.list, client_id, &made).await;
        }
    }
    row_limits::require_list_entry(app, tx.as_mut(), organization_id).await?;
    tx.lists().insert(&entry).await.map_err(|error| match error {
        StoreError::Duplicate(Constraint::ListEntry) => exists(entry.entry.as_str()),
        error => error.into(),
    })?;
    if new.client_id.is_some() {
        row_limits::count_creation(app, tx.as_mut(), organization_id, entry.created_at).await?;
    }
    audit::record(app, tx.as_mut(), caller, AuditChange::created(AuditAction::ListEntryCreated, &entry)).await?;
    tx.commit().await?;
    Ok(entry)
}

/// Returns the earlier entry of a `client_id` if the list still contains it.
async fn original(app: &App, list: &ListKey, client_id: &str, made: &str) -> Result<ListEntry, Error> {
    let spent = || Error::ClientIdSpent(client_id.to_owned());
    let entry = made.strip_prefix(&words_of(list)).ok_or_else(spent)?;
    app.store.list_entry(list, &EntryName::stored(entry.to_owned())).await?.ok_or_else(spent)
}

/// Returns the prefix that identifies a list within its organization.
fn words_of(list: &ListKey) -> String {
    let whose = match &list.level {
        ListLevel::Organization => String::new(),
        ListLevel::Pod(pod_id) => pod_id.to_string(),
        ListLevel::Inbox { inbox_id, .. } => inbox_id.to_string(),
    };
    format!("{whose} {} {} ", list.direction.as_str(), list.list_type.as_str())
}

/// Returns every problem that a new entry has by itself.
#[must_use]
pub fn problems_of_new(name: ListName, new: &NewEntry) -> Vec<FieldError> {
    let entry = lists::parse_entry(&new.entry).err().map(|message| FieldError::new("entry", message));
    let reason = new.reason.as_deref().and_then(|reason| lists::validate_reason(reason).err());
    let client_id = new.client_id.as_deref().and_then(|client_id| names::validate_client_id(client_id).err());
    let is_offered = !new.require_authentication || name.may_require_authentication();
    let authentication = (!is_offered).then(|| NOT_FOR_AUTHENTICATION.to_owned());
    let others = [("reason", reason), ("require_authentication", authentication), ("client_id", client_id)];
    entry
        .into_iter()
        .chain(others.into_iter().filter_map(|(path, wrong)| Some(FieldError::new(path, wrong?))))
        .collect()
}
