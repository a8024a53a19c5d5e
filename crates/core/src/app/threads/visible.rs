//! Visibility of threads: removal of the data that a caller may not read.

use std::collections::HashMap;

use crate::app::App;
use crate::model::{Caller, HidingLabels, OrganizationId, Permission, Thread, ThreadId};
use crate::ports::{StoreError, ThreadKey, VisibleThread};
use crate::rules::access;

/// Removes hidden messages from threads. Without the permission to read messages it also removes all texts.
pub(super) async fn narrow(app: &App, caller: &Caller, threads: &mut [Thread]) -> Result<(), StoreError> {
    leave_out_hidden(app, caller.organization.organization_id, access::readable(caller), threads.iter_mut().collect())
        .await?;
    if !access::holds(caller, Permission::MessageRead) {
        threads.iter_mut().for_each(blank);
    }
    Ok(())
}

/// Returns whether a label hides messages that the caller may not read. The tokens of pages without such threads would
/// tell their number.
pub(super) fn asks_for_unreadable(caller: &Caller, labels: &[String]) -> bool {
    !HidingLabels::of(&labels.iter().cloned().collect()).shown_to(access::readable(caller))
}

/// Removes messages with unreadable hiding labels from the counts, labels and texts of threads.
pub(in crate::app) async fn leave_out_hidden(
    app: &App,
    organization_id: OrganizationId,
    readable: HidingLabels,
    threads: Vec<&mut Thread>,
) -> Result<(), StoreError> {
    let threads: Vec<&mut Thread> = threads.into_iter().filter(|thread| thread.has_hidden_from(readable)).collect();
    if threads.is_empty() {
        return Ok(());
    }
    let keys: Vec<ThreadKey> = threads.iter().map(|thread| key(thread)).collect();
    let visible = app.store.visible_threads(organization_id, &keys, readable).await?;
    let visible: HashMap<ThreadId, VisibleThread> =
        visible.into_iter().map(|visible| (visible.thread_id, visible)).collect();
    for thread in threads {
        thread.hidden_sets &= readable.shown_set();
        let Some(visible) = visible.get(&thread.thread_id) else { continue };
        thread.labels.clone_from(&visible.labels);
        thread.message_count = visible.message_count;
        thread.size = visible.size;
        if thread.hidden_sets & HidingLabels::NONE.as_set() == 0 {
            // All texts come from hidden messages, of which the reader may see only some.
            blank(thread);
        }
    }
    Ok(())
}

fn key(thread: &Thread) -> ThreadKey {
    let Thread { organization_id, inbox_id, thread_id, .. } = thread;
    ThreadKey { organization_id: *organization_id, inbox_id: inbox_id.clone(), thread_id: *thread_id }
}

/// Clears the fields with content of messages.
fn blank(thread: &mut Thread) {
    thread.subject = None;
    thread.preview = None;
    thread.senders.clear();
    thread.recipients.clear();
    thread.attachments.clear();
    thread.trust = None;
}
