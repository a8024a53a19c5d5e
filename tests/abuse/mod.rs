//! Abuse of the built program: the harm that one tenant, client address or stranger must not be able to do to others.

mod accounts;
mod faults;
mod http;
mod mailbox_lines;
mod operators;
mod postmaster;
mod smtp;
mod storage;
mod unread;
mod wire;
mod workers;
