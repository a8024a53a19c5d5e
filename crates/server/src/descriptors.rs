//! Open files: every connection is one, and the system's usual limit is for programs with few.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of open files as far as the system lets us. Where it does not, the limit stays as it is.
pub(crate) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }) {
        tracing::warn!(%error, current = limit.current, "the limit of open files could not be raised");
    }
}
