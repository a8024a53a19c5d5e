//! Threads as a caller may see them, without the mail that the key may not read.

use std::collections::HashMap;

use crate::app::App;
use crate::model::{Caller, Hidden, Permission, Thread, ThreadId};
use crate::ports::{StoreError, ThreadKey, VisibleThread};
use crate::rules::access;

/// Leaves out of threads what the caller may not read: hidden mail, and all mail without the permission to read messages.
pub(super) async fn narrow(app: &App, caller: &Caller, threads: &mut [Thread]) -> Result<(), StoreError> {
    let readable = access::readable(caller);
    let has_unreadable = |thread: &Thread| thread.hidden_sets & !readable.shown_set() != 0;
    let keys: Vec<ThreadKey> = threads.iter().filter(|thread| has_unreadable(thread)).map(key).collect();
    if !keys.is_empty() {
        let visible = app.store.visible_threads(caller.organization.organization_id, &keys, readable).await?;
        let visible: HashMap<ThreadId, VisibleThread> =
            visible.into_iter().map(|visible| (visible.thread_id, visible)).collect();
        for thread in threads.iter_mut().filter(|thread| has_unreadable(thread)) {
            let Some(visible) = visible.get(&thread.thread_id) else { continue };
            thread.labels.clone_from(&visible.labels);
            thread.message_count = visible.message_count;
            thread.size = visible.size;
            if thread.hidden_sets & Hidden::NONE.as_set() == 0 {
                // Its texts come from hidden mail, of which the caller may read only some.
                blank(thread);
            }
        }
    }
    if !access::holds(caller, Permission::MessageRead) {
        threads.iter_mut().for_each(blank);
    }
    Ok(())
}

fn key(thread: &Thread) -> ThreadKey {
    let Thread { organization_id, inbox_id, thread_id, .. } = thread;
    ThreadKey { organization_id: *organization_id, inbox_id: inbox_id.clone(), thread_id: *thread_id }
}

/// Takes away what its messages say.
fn blank(thread: &mut Thread) {
    thread.subject = None;
    thread.preview = None;
    thread.senders.clear();
    thread.recipients.clear();
    thread.attachments.clear();
}
