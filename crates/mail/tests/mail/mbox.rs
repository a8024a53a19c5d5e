//! Messages after the envelope line of an mbox file, and blank lines above a header.

use std::fs;
use std::path::{Path, PathBuf};

use inboxd_mail::{attachment_contents, normalize_envelope_lines, parse, with_trace_headers};

/// Collects every file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Returns the messages of the collection and the fuzzing corpus with SMTP line endings.
fn mails() -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("collection"), &mut paths);
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz-support/corpus"), &mut paths);
    let crlf = |raw: Vec<u8>| {
        let mut out = Vec::with_capacity(raw.len() + raw.len() / 16);
        for line in raw.split(|byte| *byte == b'\n') {
            out.extend(line.iter().filter(|byte| **byte != b'\r'));
            out.extend_from_slice(b"\r\n");
        }
        out
    };
    paths.into_iter().map(|path| (path.clone(), crlf(fs::read(path).unwrap()))).collect()
}

/// Verifies that a stored message with trace fields parses like the original.
fn assert_same_when_stored(raw: &[u8], what: &str) -> usize {
    let raw = normalize_envelope_lines(raw);
    let parsed = parse(&raw);
    let stored = with_trace_headers(&raw, &[("Return-Path", "<a@b.example>"), ("Received", "by mx.example; now")]);
    let mut again = parse(&stored);
    assert_eq!(again.headers.len(), (parsed.headers.len() + 2).min(500), "{what}");
    assert!(again.headers[2..].iter().eq(parsed.headers.iter().take(again.headers.len() - 2)), "{what}");
    again.headers.clone_from(&parsed.headers);
    again.received_count -= 1;
    assert_eq!(again, parsed, "{what}");
    let numbers: Vec<usize> = parsed.attachments.iter().map(|attachment| attachment.part).collect();
    let contents = attachment_contents(&stored, &numbers);
    for (attachment, content) in parsed.attachments.iter().zip(contents) {
        let length = content.map(|content| content.len() as u64);
        assert_eq!(length, Some(attachment.size), "{what}: {attachment:?}");
    }
    numbers.len()
}

#[test]
fn message_after_envelope_line_parses_equally_when_stored() {
    let mut attachments = 0;
    for (path, raw) in mails() {
        let what = path.display().to_string();
        attachments += assert_same_when_stored(&raw, &what);
        for top in ["From a@b.example Mon Nov 23 10:00:00 2026\r\n", ">From a@b\r\nFrom c@d\r\n\r\n", "\r\n \r\n", "\t"]
        {
            let topped = [top.as_bytes(), &raw].concat();
            assert_same_when_stored(&topped, &format!("{what} behind {top:?}"));
        }
    }
    assert!(attachments > 10, "{attachments} attachments were read");
}

#[test]
fn envelope_and_blank_lines_lose_no_content() {
    for (path, raw) in mails() {
        let raw = normalize_envelope_lines(&raw);
        if !parse(&raw).headers.is_empty() {
            let topped = [b"\r\nFrom a@b.example Mon Nov 23 10:00:00 2026\r\n \r\n", raw.as_ref()].concat();
            let mut behind = parse(&normalize_envelope_lines(&topped));
            let line = behind.headers.remove(0);
            assert_eq!(line.0, "X-Mailbox-Line", "{}", path.display());
            let mut parsed = parse(&raw);
            parsed.headers.truncate(behind.headers.len());
            assert_eq!(behind, parsed, "{}", path.display());
        }
    }
}
