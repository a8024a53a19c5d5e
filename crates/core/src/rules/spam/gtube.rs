//! GTUBE, the Generic Test for Unsolicited Bulk Email: a line that every spam filter detects.

use super::signal::SpamSignal;
use crate::ports::SuspectMail;

/// The test line, assembled from parts so that filters do not match this file.
const GTUBE: &str = concat!("XJS*C4JDBQADN1.NSBN3*2IDNEN*", "GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X");

pub(super) fn check(mail: &SuspectMail<'_>) -> Vec<SpamSignal> {
    let parsed = mail.parsed;
    let is_there = [&parsed.text, &parsed.html, &parsed.subject].into_iter().flatten().any(|text| text.contains(GTUBE));
    let description = "it holds the test line that every filter takes for spam";
    SpamSignal::when(is_there, "GTUBE", 1000.0, description).into_iter().collect()
}
