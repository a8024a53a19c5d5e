//! Mail: inboxes, threads, messages, search.
//!
//! ```text
//! start.rs        list of inboxes; steps.rs: first steps of an empty console
//! inbox.rs        threads of an inbox; views.rs: its folders; rows.rs: threads in lists; bulk.rs: changes of several
//! settings.rs     name, pause, quarantine, retention, legal hold and deletion of an inbox
//! thread.rs       a thread; thread_form.rs: its labels, notes, assignee
//! message.rs      a message in its thread; trust.rs: facts about its sender in words
//! body.rs         HTML of a message as a document of its own; html.rs: what remains of that HTML; style.rs: of its styles;
//!                 images.rs: its images
//! source.rs       header fields, raw text and attachments of a message
//! search.rs       threads of all inboxes
//! ```

mod body;
mod bulk;
mod contacts;
mod html;
mod images;
mod inbox;
mod message;
mod reasons;
mod rows;
mod search;
mod settings;
mod source;
mod start;
mod steps;
mod style;
mod thread;
mod thread_form;
mod trace;
mod trust;
mod views;

pub(super) use self::body::show_html;
use super::Routes;
use super::respond::{get, post};

/// Paths of the area.
pub(super) fn routes() -> Routes {
    vec![
        ("/console", vec![get(start::show)]),
        ("/console/inboxes", vec![get(start::lead_back), post(start::create)]),
        ("/console/search", vec![get(search::show)]),
        ("/console/inboxes/{inbox_id}", vec![get(inbox::show)]),
        ("/console/inboxes/{inbox_id}/settings", vec![get(settings::show), post(settings::save)]),
        ("/console/inboxes/{inbox_id}/legal-hold", vec![get(settings::lead_back), post(settings::hold)]),
        ("/console/inboxes/{inbox_id}/quarantine", vec![get(settings::lead_back), post(settings::quarantine)]),
        ("/console/inboxes/{inbox_id}/retention", vec![get(settings::lead_back), post(settings::retain)]),
        ("/console/inboxes/{inbox_id}/delete", vec![get(settings::lead_back), post(settings::delete)]),
        ("/console/inboxes/{inbox_id}/contacts", vec![get(contacts::show), post(contacts::change)]),
        ("/console/inboxes/{inbox_id}/trace", vec![get(trace::show)]),
        ("/console/inboxes/{inbox_id}/threads", vec![get(bulk::lead_back), post(bulk::change)]),
        ("/console/inboxes/{inbox_id}/threads/{thread_id}", vec![get(thread::show), post(thread_form::save)]),
        ("/console/inboxes/{inbox_id}/messages/{message_id}/body", vec![get(body::show)]),
        ("/console/inboxes/{inbox_id}/messages/{message_id}/source", vec![get(source::show)]),
        ("/console/inboxes/{inbox_id}/messages/{message_id}/raw", vec![get(source::raw)]),
        (
            "/console/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}",
            vec![get(source::attachment)],
        ),
    ]
}
