//! Reading a thread with its messages.

use crate::app::{App, inboxes};
use crate::model::{Caller, Cursor, InboxId, Message, Note, Page, Permission, Thread, ThreadId};
use crate::rules::access;
use crate::{Error, Resource};

/// A thread and a page of its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadPage {
    /// The thread.
    pub thread: Thread,
    /// The messages of the page, oldest first; the first page holds the newest.
    pub messages: Page<Message>,
    /// Its notes, oldest first.
    pub notes: Vec<Note>,
}

/// Reads a thread with a page of its messages, bodies included. The page ends early where the bodies are large.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn get(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    thread_id: ThreadId,
    limit: u32,
    after: Option<&Cursor>,
) -> Result<ThreadPage, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageRead)?;
    inboxes::find(app, caller, inbox_id).await?;
    let thread = find(app, caller, inbox_id, thread_id).await?;
    let mut messages = app
        .store
        .messages_of_thread(thread.organization_id, inbox_id, thread_id, access::readable(caller), limit, after)
        .await?;
    messages.items.reverse();
    let notes = app.store.notes_of_thread(thread.organization_id, inbox_id, thread_id).await?;
    Ok(ThreadPage { thread, messages, notes })
}

/// The thread, for a use case that has checked permission and inbox.
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
