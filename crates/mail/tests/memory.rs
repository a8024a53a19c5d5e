//! Memory use for hostile messages, in a process of its own.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that meets the unexpected has failed")]

use std::fs;

use inboxd_mail::parse;

/// Returns a figure of this process from the kernel, given in kilobytes, in bytes.
fn status(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_matches(|c: char| !c.is_ascii_digit()).parse::<usize>().unwrap() * 1024
}

#[test]
fn hostile_html_needs_small_multiple_of_its_length() {
    for piece in ["a<p>", "<", "<table>", "<blockquote>a"] {
        let raw = format!("Content-Type: text/html\r\n\r\n{}", piece.repeat(3_000_000 / piece.len()));
        // Resets the peak size to the current one.
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = status("VmRSS:");
        let mail = parse(raw.as_bytes());
        let taken = status("VmHWM:").saturating_sub(before);
        assert!(taken <= 14 * raw.len(), "{piece}: {} times its length", taken / raw.len());
        assert!(mail.html.is_some(), "{piece}");
    }
}
