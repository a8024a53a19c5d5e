//! Read of a thread with its messages.

use super::inbox::inbox_of;
use super::visible;
use crate::app::{App, reads};
use crate::model::permissions::MessageRead;
use crate::model::{Caller, Cursor, Draft, InboxId, Message, Note, Page, Permission, ReadPart, Thread, ThreadId};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Maximum number of drafts returned with a thread; the list of drafts has all.
const MAX_THREAD_DRAFTS: u32 = 100;
/// Maximum size of a draft body returned with a thread, in bytes. A larger body is left out; the draft itself has it.
const MAX_DRAFT_BODY_BYTES: u32 = 64 * 1024;

/// A thread and a page of its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadPage {
    /// Thread.
    pub thread: Thread,
    /// Messages of the page, oldest first. The first page has the newest messages.
    pub messages: Page<Message>,
    /// Notes of the thread, oldest first.
    pub notes: Vec<Note>,
    /// Reply drafts, most recently changed first; empty without the permission to read drafts.
    pub drafts: Vec<Draft>,
}

/// Returns a thread with a page of its messages and their bodies. Large bodies shorten the page.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn get(
    app: &App,
    caller: &AuthorizedCaller<MessageRead>,
    thread_id: ThreadId,
    limit: u32,
    after: Option<&Cursor>,
) -> Result<ThreadPage, Error> {
    let inbox_id = &inbox_of(app, caller, thread_id).await?.inbox_id;
    let mut thread = find(app, caller, inbox_id, thread_id).await?;
    visible::narrow(app, caller, std::slice::from_mut(&mut thread)).await?;
    let mut messages = app
        .store
        .messages_of_thread(
            thread.organization_id,
            inbox_id,
            thread_id,
            access::readable(caller),
            limit,
            after.cloned(),
        )
        .await?;
    messages.items.reverse();
    for message in &messages.items {
        reads::note(app, caller, &message.item, ReadPart::Message);
    }
    let notes = app.store.notes_of_thread(thread.organization_id, inbox_id, thread_id).await?;
    let drafts = if access::holds(caller, Permission::DraftRead) {
        let organization_id = thread.organization_id;
        app.store
            .drafts_of_thread(organization_id, inbox_id, thread_id, MAX_THREAD_DRAFTS, MAX_DRAFT_BODY_BYTES)
            .await?
    } else {
        Vec::new()
    };
    Ok(ThreadPage { thread, messages, notes, drafts })
}

/// Returns a thread. The calling use case has already checked permission and inbox.
pub(in crate::app) async fn find(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    thread_id: ThreadId,
) -> Result<Thread, Error> {
    app.store
        .thread(caller.organization.organization_id, inbox_id, thread_id, access::readable(caller))
        .await?
        .ok_or_else(|| Error::not_found(Resource::Thread, thread_id))
}
