//! Bounce reports: the return paths that receive them, and their effects.

mod returned;
mod settle;
mod take;

pub(super) use returned::{return_domain, return_path};
pub(super) use settle::{unreported, unreported_delay};
pub(super) use take::{Reports, judge, returned_mail, take};

pub use take::{Fate, Returned};
