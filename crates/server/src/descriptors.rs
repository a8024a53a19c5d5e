//! Limit of open files: each connection needs one, and the usual default is low.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Open files of SMTP, database and journals, which the API may not use.
const OTHERS: u64 = 2048;

/// Raises the limit of open files as far as permitted, and returns the API connections that fit. On refusal the limit
/// stays unchanged.
pub(crate) fn raise_limit() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    if let Err(error) = &raised {
        tracing::warn!(%error, current = limit.current, "open file limit not raised");
    }
    room(if raised.is_ok() { limit.maximum } else { limit.current })
}

/// Returns the API connections that fit into a number of open files; `None` means unlimited files.
fn room(files: Option<u64>) -> usize {
    let Some(files) = files else { return usize::MAX };
    usize::try_from(files.saturating_sub(OTHERS).max(files / 2)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_room_for_other_files() {
        for (files, connections) in [(Some(1024), 512), (Some(4096), 2048), (Some(65_536), 63_488), (None, usize::MAX)]
        {
            assert_eq!(room(files), connections, "{files:?}");
        }
    }
}
