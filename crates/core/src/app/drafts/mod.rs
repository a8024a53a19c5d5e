//! Use cases of drafts.

mod approval_link;
mod approve;
mod attachment;
mod cancel;
mod content;
mod create;
mod delay;
mod delete;
mod due;
mod find;
mod held;
mod list;
mod send;
mod update;

pub(super) use approval_link::mail_approvers;
pub use approval_link::{approve_by_link, held_message, reject_by_link};
pub use approve::{approve, expire_approvals, reject};
pub(super) use attachment::{DOWNLOAD, download};
pub use attachment::{DraftDownload, DraftFile, attachment, link};
pub use cancel::cancel;
pub(super) use content::{objects_of, upload_contents};
pub use create::{NewDraft, create, problems_of_new, propose};
pub use delay::SendTime;
pub(super) use delay::delay;
pub use delete::delete;
pub(in crate::app) use due::fail_scheduled;
pub use due::{Due, claim_due_drafts, next_due_draft, send_due_draft};
pub use find::get;
pub use held::{HeldMessage, held};
pub use list::{DraftFilter, list, short_texts};
pub(super) use send::release;
pub use send::{check_quota, check_send, dry_run_send, send};
pub use update::{DraftChange, problems_of_change, update};
