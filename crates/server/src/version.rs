//! Version of the program.

/// Version, commit and date of the commit, such as `0.2.0 (d6c7c603a1b2 2026-11-29)`.
pub(crate) const VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("INBOXD_COMMIT"), " ", env!("INBOXD_COMMIT_DATE"), ")");
