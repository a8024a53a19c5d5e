//! Python environment with the client.

use std::path::PathBuf;

pub(super) use inboxd_testkit::venv::prepare;
pub(crate) use inboxd_testkit::venv::{assert_success, programs};

const REQUIREMENTS: &str = include_str!("python/requirements.txt");

/// Returns the interpreter of the environment with the client.
pub(crate) fn python() -> PathBuf {
    programs("sdk-python", REQUIREMENTS).join("python")
}
