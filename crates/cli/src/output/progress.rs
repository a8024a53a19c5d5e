//! Progress of uploads and downloads, on standard error if it is a terminal.

use std::io::{IsTerminal, Write};

/// Size from which progress is shown.
const MIN_SHOWN_BYTES: u64 = 256 * 1024;

/// Progress of one transfer.
#[derive(Debug)]
pub(crate) struct TransferProgress {
    verb: &'static str,
    total: Option<u64>,
    done: u64,
    is_shown: bool,
    shown: u64,
}

impl TransferProgress {
    /// Starts a transfer of this size, if it is known.
    pub(crate) fn start(verb: &'static str, total: Option<u64>) -> Self {
        let is_shown = total.is_none_or(|total| total >= MIN_SHOWN_BYTES) && std::io::stderr().is_terminal();
        Self { verb, total, done: 0, is_shown, shown: 0 }
    }

    /// Adds transferred bytes.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.done += bytes as u64;
        if self.is_shown && self.done >= self.shown + MIN_SHOWN_BYTES {
            self.shown = self.done;
            let mut output = std::io::stderr().lock();
            // Progress that cannot be shown does not stop the transfer.
            let _ = write!(output, "\r{}  ", self.line());
            let _ = output.flush();
        }
    }

    /// Ends the transfer and removes its line.
    pub(crate) fn end(&mut self) {
        if self.shown > 0 {
            self.shown = 0;
            self.is_shown = false;
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }

    fn line(&self) -> String {
        match self.total {
            Some(total) if total > 0 => {
                let percent = self.done.saturating_mul(100) / total;
                format!("{} {percent} % of {}", self.verb, size(total))
            }
            _ => format!("{} {}", self.verb, size(self.done)),
        }
    }
}

impl Drop for TransferProgress {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns a number of bytes in a fitting unit.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)];
    match UNITS.into_iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_names_share_and_size() {
        let progress = |total| TransferProgress { verb: "sent", total, done: 1_500_000, is_shown: false, shown: 0 };
        assert_eq!(progress(Some(6_000_000)).line(), "sent 25 % of 6.0 MB");
        assert_eq!(progress(None).line(), "sent 1.5 MB");
        assert_eq!(size(999), "999 B");
    }
}
