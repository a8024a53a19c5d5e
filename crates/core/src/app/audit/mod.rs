//! Audit log of changes to keys, members, lists, domains, webhooks and connections.

mod facts;
mod list;
mod purge;
mod record;

pub use list::{AuditFilter, list, record_export};
pub use purge::purge;
pub(super) use record::{AuditChange, OPERATOR, RemovedDependents, SERVICE, record, record_by};
