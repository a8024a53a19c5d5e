//! Subjects of replies and forwards.

use crate::clean;

const REPLY: &[&str] = &["re"];
const FORWARD: &[&str] = &["fwd", "fw"];

/// The subject of a reply: `Re: ` in front, unless one is there already.
#[must_use]
pub fn reply_subject(subject: Option<&str>) -> String {
    prefixed("Re:", REPLY, subject)
}

/// The subject of a forward: `Fwd: ` in front, unless one (or `Fw:`) is there already.
#[must_use]
pub fn forward_subject(subject: Option<&str>) -> String {
    prefixed("Fwd:", FORWARD, subject)
}

/// Whether the subject's outermost prefix says that the mail passes another one on.
pub(crate) fn is_forward(subject: &str) -> bool {
    has_prefix(subject, FORWARD)
}

fn prefixed(prefix: &str, known: &[&str], subject: Option<&str>) -> String {
    let subject = clean::line(subject.unwrap_or_default());
    if has_prefix(&subject, known) {
        return subject;
    }
    format!("{prefix} {subject}").trim_end().to_owned()
}

/// `Re:`, `RE :`, and `Re[2]:` all count.
fn has_prefix(subject: &str, known: &[&str]) -> bool {
    let Some((head, _)) = subject.split_once(':') else {
        return false;
    };
    let head = head.trim();
    let word = match head.split_once('[') {
        Some((word, count)) if is_counter(count) => word,
        _ => head,
    };
    known.iter().any(|prefix| word.eq_ignore_ascii_case(prefix))
}

fn is_counter(count: &str) -> bool {
    count.strip_suffix(']').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_marked_once() {
        for (subject, expected) in [
            (Some("Hello"), "Re: Hello"),
            (Some("Re: Hello"), "Re: Hello"),
            (Some("RE: Hello"), "RE: Hello"),
            (Some("re:Hello"), "re:Hello"),
            (Some("Re[2]: Hello"), "Re[2]: Hello"),
            (Some("Report: x"), "Re: Report: x"),
            (Some("Fwd: Hello"), "Re: Fwd: Hello"),
            (Some("a\r\nBcc: x@y"), "Re: a  Bcc: x@y"),
            (Some(""), "Re:"),
            (None, "Re:"),
        ] {
            assert_eq!(reply_subject(subject), expected);
            assert_eq!(reply_subject(Some(&reply_subject(subject))), expected);
        }
    }

    #[test]
    fn forwards_are_marked_once() {
        for (subject, expected) in [
            (Some("Hello"), "Fwd: Hello"),
            (Some("FW: Hello"), "FW: Hello"),
            (Some("fwd: Hello"), "fwd: Hello"),
            (Some("Re: Hello"), "Fwd: Re: Hello"),
            (None, "Fwd:"),
        ] {
            assert_eq!(forward_subject(subject), expected);
        }
        assert!(is_forward("Fw: x") && !is_forward("Re: Fw: x"));
    }
}
