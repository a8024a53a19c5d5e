//! Update of a thread: labels of its messages and assignee.

use time::OffsetDateTime;

use super::get::find;
use super::inbox::inbox_of;
use super::visible;
use super::walk::Walk;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::app::label_history::{Relabelled, record};
use crate::model::permissions::MessageUpdate;
use crate::model::{
    Actor, ApiKey, ApiKeyId, Caller, HidingLabels, Inbox, Member, MemberId, MessageItem, Permission, Reach, Thread,
    ThreadId, ThreadSum,
};
use crate::ports::Tx;
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::labels::LabelChange;
use crate::{Error, Resource};

/// New assignee of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assignment {
    /// The caller.
    Me,
    /// No assignee.
    Nobody,
    /// Id of a member or API key.
    Id(String),
}

/// Changes of a thread. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadChange {
    /// Label change of every visible message.
    pub labels: LabelChange,
    /// New assignee.
    pub assignee: Option<Assignment>,
}

/// Updates a thread and returns the part of it that the caller may read.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`], [`Error::Invalid`] for an assignee without access to the inbox.
pub async fn update(
    app: &App,
    caller: &AuthorizedCaller<MessageUpdate>,
    thread_id: ThreadId,
    change: ThreadChange,
) -> Result<Thread, Error> {
    let inbox = inbox_of(app, caller, thread_id).await?;
    find(app, caller, &inbox.inbox_id, thread_id).await?;
    let assignee = match change.assignee {
        None => None,
        Some(Assignment::Nobody) => Some(None),
        Some(Assignment::Me) if access::holds(caller, Permission::MessageRead) => Some(Some(caller.actor.clone())),
        Some(Assignment::Me) => return Err(Error::invalid("assignee_id", "this key cannot open the inbox")),
        Some(Assignment::Id(id)) => Some(Some(assignee_by_id(app, &inbox, &id).await?)),
    };

    let mut thread =
        retried(is_contention, || update_once(app, caller, &inbox, thread_id, &change.labels, assignee.as_ref()))
            .await?;
    visible::narrow(app, caller, std::slice::from_mut(&mut thread)).await?;
    Ok(thread)
}

/// Updates labels and assignee in one unit of work. With `None` the assignee stays unchanged.
async fn update_once(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    thread_id: ThreadId,
    labels: &LabelChange,
    assignee: Option<&Option<Actor>>,
) -> Result<Thread, Error> {
    let Inbox { organization_id, inbox_id, .. } = inbox;
    let readable = access::readable(caller);
    let not_found = || Error::not_found(Resource::Thread, thread_id);
    let mut tx = app.store.begin().await?;
    if let Some(Some(assignee)) = assignee {
        // The assignee may have been removed, limited or revoked since the check. Such a change also unassigns threads.
        hold(app, tx.as_mut(), inbox, assignee).await?;
    }
    let thread = tx.threads().lock(*organization_id, inbox_id, &[thread_id]).await?.pop().ok_or_else(not_found)?;
    // Read under the lock, so that the time is later than the changes of earlier lock holders.
    let now = app.clock.now();
    let mut sum = ThreadSum::default();
    let mut walk = Walk::new();
    loop {
        let mut page = walk.next(tx.as_mut(), &thread).await?;
        if page.is_empty() {
            break;
        }
        let relabelled = relabel(tx.as_mut(), &mut page, labels, readable, now).await?;
        record(app, tx.as_mut(), inbox, &caller.actor, &relabelled, now).await?;
        sum = page.iter().fold(sum, ThreadSum::with);
    }
    let assignee = assignee.cloned().unwrap_or_else(|| thread.assignee.clone());
    let thread = sum.of(Thread { assignee, ..thread }, now).ok_or_else(not_found)?;
    tx.threads().update(std::slice::from_ref(&thread)).await?;
    tx.commit().await?;
    Ok(thread)
}

/// Applies a label change to the messages that the reader may see, and returns the changed ones.
async fn relabel(
    tx: &mut dyn Tx,
    messages: &mut [MessageItem],
    labels: &LabelChange,
    readable: HidingLabels,
    now: OffsetDateTime,
) -> Result<Vec<Relabelled>, Error> {
    let (mut changed, mut relabelled) = (Vec::new(), Vec::new());
    for message in messages.iter_mut().filter(|message| HidingLabels::of(&message.labels).shown_to(readable)) {
        let after = labels.apply(&message.labels)?;
        if after != message.labels {
            let before = std::mem::replace(&mut message.labels, after.clone());
            message.updated_at = now;
            relabelled.push(Relabelled { message_id: message.message_id.clone(), before, after });
            changed.push(message.clone());
        }
    }
    if !changed.is_empty() {
        tx.messages().update_labels(&changed).await?;
    }
    Ok(relabelled)
}

/// Returns the member or API key of an id. Refuses one without access to the inbox.
async fn assignee_by_id(app: &App, inbox: &Inbox, id: &str) -> Result<Actor, Error> {
    let refused = |message: &str| Error::invalid("assignee_id", message);
    if let Ok(member_id) = id.parse() {
        return assigned_member(app, inbox, member_id).await;
    }
    let api_key_id: ApiKeyId =
        id.parse().map_err(|_| refused("is neither `me`, null nor the id of somebody who can open this inbox"))?;
    let key = key_that_opens(app, app.store.api_key(inbox.organization_id, api_key_id).await?, inbox)?;
    match key.member_id {
        Some(member_id) => assigned_member(app, inbox, member_id).await,
        None => Ok(Actor::ApiKey { api_key_id, name: key.name }),
    }
}

/// Locks the assignee against changes until the unit of work ends. Refuses one without access to the inbox.
async fn hold(app: &App, tx: &mut dyn Tx, inbox: &Inbox, assignee: &Actor) -> Result<(), Error> {
    match assignee {
        Actor::Member { member_id, .. } => {
            opening(tx.members().hold(inbox.organization_id, *member_id).await?, inbox)?;
        }
        Actor::ApiKey { api_key_id, .. } => {
            key_that_opens(app, tx.api_keys().hold(inbox.organization_id, *api_key_id).await?, inbox)?;
        }
    }
    Ok(())
}

async fn assigned_member(app: &App, inbox: &Inbox, member_id: MemberId) -> Result<Actor, Error> {
    Ok(opening(app.store.member(inbox.organization_id, member_id).await?, inbox)?.actor())
}

/// Returns the member if it is active and has access to the inbox.
fn opening(found: Option<Member>, inbox: &Inbox) -> Result<Member, Error> {
    let refused = |message: &str| Error::invalid("assignee_id", message);
    let member = found.filter(Member::is_active).ok_or_else(|| refused("names nobody who has joined"))?;
    if !reaches(&member.reach(), inbox) {
        return Err(refused("names a member who cannot open this inbox"));
    }
    Ok(member)
}

fn reaches(reach: &Reach, inbox: &Inbox) -> bool {
    match reach {
        Reach::Organization => true,
        Reach::Pod(pod_id) => *pod_id == inbox.pod_id,
        Reach::Inbox { inbox_id, .. } => *inbox_id == inbox.inbox_id,
        Reach::Inboxes(theirs) => theirs.contains(&inbox.inbox_id),
    }
}

/// Returns the key if it is valid and has access to the inbox.
fn key_that_opens(app: &App, found: Option<ApiKey>, inbox: &Inbox) -> Result<ApiKey, Error> {
    let refused = |message: &str| Error::invalid("assignee_id", message);
    let key = found.filter(|key| !key.is_expired(app.clock.now())).ok_or_else(|| refused("names no key that works"))?;
    if !reaches(&key.reach, inbox) || !key.grants(Permission::MessageRead) {
        return Err(refused("names a key that cannot open this inbox"));
    }
    Ok(key)
}
