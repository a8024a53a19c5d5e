//! Use cases of messages.

mod answer;
mod attachment;
mod batch_get;
mod batch_update;
mod delete;
mod get;
mod list;
mod redact;
mod rsvp;
mod search;
mod send;

pub use answer::{Audience, dry_run_forward, dry_run_reply, forward, reply};
pub(super) use answer::{answering, forwarded, mailboxes, references, require_confirmed_recipients};
pub(in crate::app) use attachment::read as read_attachment;
pub use attachment::{attachment, attachment_contents, attachment_text, find_attachment};
pub use batch_get::{MAX_BATCH_GET_IDS, batch_get, problems_of_ids};
pub(super) use batch_update::lock_threads;
pub use batch_update::{MAX_BATCH_UPDATE_IDS, batch_update, update};
pub use delete::delete;
pub(super) use get::find;
pub use get::{download_raw, get, item, linked, note_download};
pub use list::{MessageFilter, first, list};
pub(crate) use list::{included, lowered};
pub use redact::redact;
pub(super) use rsvp::answer_letter;
pub use rsvp::{Rsvp, dry_run_rsvp, problems_of_rsvp, rsvp};
pub use search::search;
pub(in crate::app) use search::too_many_inboxes;
pub use send::{dry_run_send, send};
