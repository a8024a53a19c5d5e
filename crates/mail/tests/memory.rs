//! How much memory a mail takes that was made to take much. Alone in its process, so that nothing else is counted.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that meets the unexpected has failed")]

use std::fs;

use inboxd_mail::parse;

/// What the kernel says of this process in kilobytes, in octets.
fn status(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_matches(|c: char| !c.is_ascii_digit()).parse::<usize>().unwrap() * 1024
}

#[test]
fn hostile_html_takes_a_small_multiple_of_its_length() {
    for piece in ["a<p>", "<", "<table>", "<blockquote>a"] {
        let raw = format!("Content-Type: text/html\r\n\r\n{}", piece.repeat(3_000_000 / piece.len()));
        // Makes the greatest size so far the present one.
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = status("VmRSS:");
        let mail = parse(raw.as_bytes());
        let taken = status("VmHWM:").saturating_sub(before);
        assert!(taken <= 14 * raw.len(), "{piece}: {} times its length", taken / raw.len());
        assert!(mail.html.is_some(), "{piece}");
    }
}
