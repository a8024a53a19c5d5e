//! `…/trace`: timeline of an inbox.

pub(crate) mod list;
