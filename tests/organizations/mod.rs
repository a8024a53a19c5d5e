//! `/v0/organizations`: the organization, and the caps of its plan.

mod get;
mod inbox_limit;
mod send_limits;
mod storage_limit;
