//! Use cases of custom domains.

mod catch_all;
mod create;
mod delete;
mod find;
mod list;
mod prove;
mod settle;
mod update;
mod verify;
mod zone_file;

pub use create::{NewDomain, create, problems_of_new};
pub use delete::delete;
pub(crate) use find::allow_minting;
pub use find::get;
pub use list::list;
pub use update::{DomainChange, update};
pub use verify::verify;
pub use zone_file::{ZoneFile, zone_file};
