//! Use cases of drafts.

mod approve;
mod attachment;
mod content;
mod create;
mod delete;
mod due;
mod find;
mod list;
mod send;
mod update;

pub use approve::{approve, expire_approvals, reject};
pub(super) use attachment::{DOWNLOAD, download};
pub use attachment::{DraftDownload, DraftFile, attachment, link};
pub use create::{NewDraft, create, problems_of_new, propose};
pub use delete::delete;
pub(in crate::app) use due::fail_scheduled;
pub use due::{Due, claim_due_drafts, next_due_draft, send_due_draft};
pub use find::get;
pub use list::{DraftFilter, list};
pub(super) use send::release;
pub use send::{check_send, send};
pub use update::{DraftChange, problems_of_change, update};
