//! Use cases of files.

mod complete;
mod create;
mod delete;
mod download;
mod find;
mod list;
mod purge;
mod upload;

pub use complete::complete;
pub use create::{CreatedFile, NewFile, create, problems_of_new};
pub use delete::delete;
pub(super) use download::{DOWNLOAD, download};
pub use download::{DownloadedFile, FileDownload, link};
pub use find::get;
pub(super) use find::of_inbox;
pub use list::{FileFilter, list, problems_of_filter};
pub use purge::purge;
pub use upload::{Upload, upload, verify_upload};
