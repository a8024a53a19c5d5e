//! Spam checks of the attachments.

use super::signal::SpamSignal;
use crate::ports::SuspectMail;

/// Extensions of executable files.
const PROGRAMS: &[&str] = &[
    "exe", "scr", "com", "pif", "bat", "cmd", "js", "jse", "vbs", "vbe", "wsf", "wsh", "hta", "lnk", "msi", "cpl",
    "jar", "ps1", "iso", "img", "vhd", "reg", "chm", "appx", "xll",
];
/// Extensions that look harmless before another one.
const HARMLESS: &[&str] = &["pdf", "doc", "docx", "xls", "xlsx", "jpg", "png", "zip", "html"];

pub(super) fn check(mail: &SuspectMail<'_>) -> Vec<SpamSignal> {
    let names = mail.parsed.attachments.iter().filter_map(|part| part.filename.as_deref());
    let programs: Vec<Vec<String>> = names.map(endings).filter(|endings| is_program(endings)).collect();
    let is_disguised = programs
        .iter()
        .any(|endings| endings.iter().rev().nth(1).is_some_and(|before| HARMLESS.contains(&before.as_str())));
    [
        SpamSignal::when(
            !programs.is_empty(),
            "ATTACHED_PROGRAM",
            3.0,
            "it carries a file that runs when it is opened",
        ),
        SpamSignal::when(is_disguised, "DISGUISED_PROGRAM", 2.0, "it carries a program that looks like a document"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the extensions of a file name in lower case.
fn endings(name: &str) -> Vec<String> {
    name.split('.').skip(1).map(|ending| ending.trim().to_lowercase()).collect()
}

fn is_program(endings: &[String]) -> bool {
    endings.last().is_some_and(|last| PROGRAMS.contains(&last.as_str()))
}
