//! Abuse tests: harm that one tenant, client or stranger must not do to others.

mod accounts;
mod clients;
mod faults;
mod http;
mod mailbox_lines;
mod operators;
mod postmaster;
mod smtp;
mod storage;
pub(crate) mod unread;
mod wire;
mod workers;
