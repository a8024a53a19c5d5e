//! Subjects of replies and forwards.

use crate::reply::words::prefixes::{FINNISH, FORWARDS, REPLIES, TAGS};
use crate::sanitize;

const REPLY: &[&str] = &["re"];
const FORWARD: &[&str] = &["fwd", "fw"];

/// Returns the subject of a reply, with one `Re: ` at the start.
#[must_use]
pub fn reply_subject(subject: Option<&str>) -> String {
    prefixed("Re:", REPLY, subject)
}

/// Returns the subject of a forward, with one `Fwd: ` or `Fw: ` at the start.
#[must_use]
pub fn forward_subject(subject: Option<&str>) -> String {
    prefixed("Fwd:", FORWARD, subject)
}

/// Returns true if the outermost prefix of the subject marks a forward; `text` is the message text.
///
/// `VS` marks a forward in Danish and Norwegian but a reply in Finnish and Estonian; the text decides.
pub(crate) fn is_forward(subject: &str, text: &str) -> bool {
    let subject = without_tags(subject);
    let word = prefix(subject).unwrap_or_default().to_lowercase();
    match word.as_str() {
        "vs" => !FINNISH.iter().any(|words| text.contains(words)),
        // A single letter is a prefix only in the spelling of programs.
        "i" => subject.starts_with("I:"),
        word => FORWARDS.contains(&word) || (!REPLIES.contains(&word) && is_marked_in_brackets(subject)),
    }
}

/// Returns true for `(Fwd) x` and `x (fwd)`, the forms of terminal programs.
fn is_marked_in_brackets(subject: &str) -> bool {
    let words = subject.trim().to_lowercase();
    words.starts_with("(fwd)") || words.ends_with("(fwd)")
}

/// Returns true if the outermost prefix of the subject marks a reply.
pub(crate) fn is_reply(subject: &str) -> bool {
    prefix(without_tags(subject)).is_some_and(|word| REPLIES.contains(&word.to_lowercase().as_str()))
}

fn prefixed(prefix: &str, known: &[&str], subject: Option<&str>) -> String {
    let subject = sanitize::single_line(subject.unwrap_or_default());
    if has_prefix(&subject, known) {
        return subject;
    }
    format!("{prefix} {subject}").trim_end().to_owned()
}

fn has_prefix(subject: &str, known: &[&str]) -> bool {
    prefix(subject).is_some_and(|word| known.iter().any(|prefix| word.eq_ignore_ascii_case(prefix)))
}

/// Returns the text before the first colon without a count: `Re:`, `RE :`, `Re[2]:`, `Re(2):` and `回复：` are prefixes.
fn prefix(subject: &str) -> Option<&str> {
    let (head, _) = subject.split_once([':', '：'])?;
    let head = head.trim();
    let counted = head.trim_end_matches([']', ')']).trim_end_matches(|c: char| c.is_ascii_digit());
    Some(match counted.strip_suffix(['[', '(']) {
        Some(word) if head.ends_with([']', ')']) => word.trim_end(),
        _ => head,
    })
}

/// Strips the tags of lists and gateways, such as `[EXTERNAL]`, `*SPAM*` and `EXT:`.
fn without_tags(subject: &str) -> &str {
    let mut rest = subject.trim_start();
    loop {
        let bracketed = rest.strip_prefix('[').and_then(|tag| tag.split_once(']'));
        let starred = || rest.strip_prefix('*').and_then(|tag| tag.trim_start_matches('*').split_once('*'));
        let named =
            || rest.split_once(':').filter(|(tag, _)| TAGS.iter().any(|known| tag.trim().eq_ignore_ascii_case(known)));
        let Some((_, behind)) = bracketed.or_else(starred).or_else(named) else {
            return rest;
        };
        rest = behind.trim_start_matches('*').trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_prefix_is_added_once() {
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
    fn forward_prefix_is_added_once() {
        for (subject, expected) in [
            (Some("Hello"), "Fwd: Hello"),
            (Some("FW: Hello"), "FW: Hello"),
            (Some("fwd: Hello"), "fwd: Hello"),
            (Some("Re: Hello"), "Fwd: Re: Hello"),
            (None, "Fwd:"),
        ] {
            assert_eq!(forward_subject(subject), expected);
        }
    }

    #[test]
    fn outermost_prefix_identifies_forwards_in_many_languages() {
        for subject in [
            "Fw: x",
            "FWD: Re: x",
            "[list] Fwd: x",
            "[EXT] [list] WG: AW: x",
            "TR : x",
            "Tr: x",
            "RV: x",
            "ENC: x",
            "I: R: x",
            "Doorst: x",
            "PD: x",
            "VB: x",
            "VL: x",
            "转发：x",
            "轉寄: x",
            "転送: x",
            "전달: x",
            "Пересл: x",
            "İLT: x",
            "ΠΡΘ: x",
            "Fwd[2]: x",
            "Fwd (3): x",
            "*SPAM* FW: x",
            "***SPAM*** [list] Fwd: x",
            "EXT: FW: x",
            "x (fwd)",
            "(Fwd) x",
            "Weitergeleitet: x",
            "Encaminhado: x",
            "Reenviado: x",
            "Transfert: x",
        ] {
            assert!(is_forward(subject, ""), "{subject}");
        }
        for subject in [
            "Re: x (fwd)",
            "EXT: Re: x (fwd)",
            "*x*",
            "x fwd",
            "Re: Fw: x",
            "AW: WG: x",
            "x",
            "i: x",
            "Report: fwd",
            "[Fwd: x",
            "[list] x",
            "回复：转发：x",
            ":",
            "[]",
        ] {
            assert!(!is_forward(subject, ""), "{subject}");
        }
        assert!(is_forward("VS: x", "Fra: Anna\nSendt: 20.11.2026\nTil: Bo\nEmne: x"));
        assert!(!is_forward("VS: x", "Lähettäjä: Anna\nLähetetty: 20.11.2026\nVastaanottaja: Bo\nAihe: x"));
    }

    #[test]
    fn outermost_prefix_identifies_replies_in_many_languages() {
        for subject in [
            "Re: x",
            "RE : x",
            "[EXTERNAL] AW: x",
            "SV: x",
            "VS: x",
            "Antw: x",
            "Odp: x",
            "R: x",
            "RIF: x",
            "RES: x",
            "Réf : x",
            "YNT: x",
            "Vá: x",
            "ΑΠ: x",
            "Ответ: x",
            "回复：x",
            "答复: x",
            "回覆: x",
            "返信: x",
            "Re[2]: x",
            "Re (3): x",
        ] {
            assert!(is_reply(subject), "{subject}");
        }
        for subject in ["Fw: Re: x", "Report: x", "x", "", "About re: x", "[Re: x"] {
            assert!(!is_reply(subject), "{subject}");
        }
    }
}
