//! Facts about the sender of a message, in words.

use inboxd_core::model::{AuthResult, Authentication, Message, SpamReport};
use inboxd_mail::Mailbox;

use super::reasons::reasons;
use crate::console::text::shown;

/// Maximum characters of a domain.
const MAX_DOMAIN_CHARS: usize = 100;
/// Maximum number of reasons against a message.
const MAX_REASONS: usize = 3;

/// A fact that speaks for or against a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrustFact {
    /// Class of its colour: `good`, `warn`, `bad`, or none.
    pub(super) class: &'static str,
    pub(super) text: String,
}

impl TrustFact {
    pub(super) fn new(class: &'static str, text: impl Into<String>) -> Self {
        Self { class, text: text.into() }
    }
}

/// Returns the facts about a received message.
pub(super) fn facts(message: &Message) -> Vec<TrustFact> {
    let labels = &message.item.labels;
    if labels.contains("sent") || message.item.sent_by.is_some() {
        return Vec::new();
    }
    let domain = domain_of(&message.item.from);
    let mut facts = Vec::new();
    if let Some(authentication) = &message.body.authentication {
        let signers = signers(&message.body.headers);
        facts.push(origin(authentication, domain.as_deref(), signers.as_deref()));
        if authentication.arc == Some(AuthResult::Pass) && authentication.dmarc != AuthResult::Pass {
            facts.push(TrustFact::new(
                "",
                "Passed on by a mailing list or forwarder, which states how it arrived there (ARC).",
            ));
        }
    }
    if labels.contains("blocked") {
        facts.push(TrustFact::new("bad", "A list of this organization blocks the sender."));
    }
    if let Some(report) = message.body.spam.as_ref().filter(|report| report.is_spam) {
        facts.push(TrustFact::new("bad", spam_words(report)));
    } else if labels.contains("spam") {
        facts.push(TrustFact::new("bad", "Marked as spam."));
    }
    facts.extend(message.item.trust.as_ref().map(reasons).unwrap_or_default());
    facts
}

/// Returns where a message comes from, as far as it is proved.
fn origin(found: &Authentication, domain: Option<&str>, signers: Option<&str>) -> TrustFact {
    let sender = domain.unwrap_or("the sender");
    if found.dmarc == AuthResult::Pass {
        let proved = found.aligned_domain.as_deref().map(|domain| shown(domain, MAX_DOMAIN_CHARS));
        return TrustFact::new("good", format!("Confirmed: comes from {}.", proved.as_deref().unwrap_or(sender)));
    }
    if found.dmarc == AuthResult::TempError {
        return TrustFact::new("warn", "Not checked: DNS did not answer. Take the sender as unproved.");
    }
    let class = if found.dmarc == AuthResult::Fail { "bad" } else { "warn" };
    let not_theirs = match domain {
        Some(domain) => format!("not by the sender's domain {domain}"),
        None => "not by the sender's domain".to_owned(),
    };
    if found.dkim == AuthResult::Pass {
        let by = signers.map(|signers| format!("by {signers}, ")).unwrap_or_default();
        return TrustFact::new(class, format!("Signed {by}{not_theirs}. Anybody can write another name as sender."));
    }
    if found.spf == AuthResult::Pass {
        return TrustFact::new(class, format!("Sent by a server of its return address, {not_theirs}."));
    }
    TrustFact::new(class, format!("Unproved: nothing shows that this mail comes from {sender}."))
}

/// Returns the results of the checks, for people who know them.
pub(super) fn results(found: &Authentication) -> String {
    let arc = found.arc.map(|arc| format!(", ARC {}", arc.as_str())).unwrap_or_default();
    format!("SPF {}, DKIM {}, DMARC {}{arc}", found.spf.as_str(), found.dkim.as_str(), found.dmarc.as_str())
}

fn spam_words(report: &SpamReport) -> String {
    let reasons: Vec<String> = report
        .reasons
        .iter()
        .take(MAX_REASONS)
        .map(|reason| shown(reason.description.as_deref().unwrap_or(&reason.name), MAX_DOMAIN_CHARS))
        .collect();
    let why = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
    format!("Looks like spam, with {:.1} of {:.1} points{why}.", report.score, report.threshold)
}

/// Returns the domain of the sender, for display.
fn domain_of(from: &str) -> Option<String> {
    let domain = match from.parse::<Mailbox>() {
        Ok(mailbox) => mailbox.address.domain(),
        // A name with signs of its own.
        Err(_) => from.rsplit_once('<')?.1.trim_end_matches('>').rsplit_once('@')?.1.to_owned(),
    };
    Some(shown(&domain, MAX_DOMAIN_CHARS))
}

/// Returns the domains of the signatures (RFC 6376, section 3.5, tag `d`); `None` without one.
fn signers(headers: &[(String, String)]) -> Option<String> {
    let mut domains: Vec<String> = Vec::new();
    for (_, value) in headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("dkim-signature")).take(4) {
        let tags = value.split(';').filter_map(|tag| tag.split_once('='));
        let domain =
            tags.filter(|(name, _)| name.trim() == "d").map(|(_, domain)| shown(domain, MAX_DOMAIN_CHARS)).next();
        domains.extend(domain.filter(|domain| !domain.is_empty() && !domains.contains(domain)));
    }
    // Several signatures: which of them passed is not stored.
    if domains.len() == 1 { domains.pop() } else { None }
}

/// Returns how far a sent message came; `None` for a received one.
pub(super) fn delivery(message: &Message) -> Option<TrustFact> {
    let labels = &message.item.labels;
    if !labels.contains("sent") {
        return None;
    }
    let states = [
        ("rejected", "bad", "Rejected: it was not sent. The events say why."),
        ("bounced", "bad", "Bounced: at least one recipient did not get it. The events say which and why."),
        ("complained", "bad", "A recipient reported it as spam."),
        ("delivered", "good", "Delivered to the servers of its recipients."),
    ];
    let state = states.into_iter().find(|(label, ..)| labels.contains(label));
    Some(state.map_or_else(|| TrustFact::new("", "On its way."), |(_, class, text)| TrustFact::new(class, text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(spf: AuthResult, dkim: AuthResult, dmarc: AuthResult) -> Authentication {
        let aligned_domain = (dmarc == AuthResult::Pass).then(|| "example.com".to_owned());
        Authentication { spf, dkim, dmarc, aligned_domain, arc: None }
    }

    #[test]
    fn origin_is_told_in_words() {
        use AuthResult::{Fail, None as Absent, Pass, TempError};
        for (found, signers, class, words) in [
            (checked(Pass, Pass, Pass), None, "good", "Confirmed: comes from example.com."),
            (
                checked(Absent, Pass, Fail),
                Some("evil.example"),
                "bad",
                "Signed by evil.example, not by the sender's domain bank.example. Anybody can write another name as sender.",
            ),
            (
                checked(Absent, Pass, Absent),
                None,
                "warn",
                "Signed not by the sender's domain bank.example. Anybody can write another name as sender.",
            ),
            (
                checked(Pass, Absent, Fail),
                None,
                "bad",
                "Sent by a server of its return address, not by the sender's domain bank.example.",
            ),
            (
                checked(Fail, Absent, Absent),
                None,
                "warn",
                "Unproved: nothing shows that this mail comes from bank.example.",
            ),
            (
                checked(Absent, Absent, TempError),
                None,
                "warn",
                "Not checked: DNS did not answer. Take the sender as unproved.",
            ),
        ] {
            assert_eq!(origin(&found, Some("bank.example"), signers), TrustFact::new(class, words));
        }
    }

    #[test]
    fn domain_of_sender_is_found() {
        for (from, expected) in [
            ("a@b.example", Some("b.example")),
            ("Anna <a@b.example>", Some("b.example")),
            ("Evil <b> x@y.example <a@b.example>", Some("b.example")),
            ("nobody", None),
        ] {
            assert_eq!(domain_of(from).as_deref(), expected, "{from}");
        }
    }

    #[test]
    fn signer_is_named_where_it_is_the_only_one() {
        let signature = |value: &str| ("DKIM-Signature".to_owned(), value.to_owned());
        assert_eq!(signers(&[signature("v=1; a=rsa-sha256; d=a.example; s=x; bh=d=b")]).as_deref(), Some("a.example"));
        assert_eq!(signers(&[signature("d=a.example"), signature("d=b.example")]), None);
        assert_eq!(signers(&[]), None);
    }
}
