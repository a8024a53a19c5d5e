//! What a refusal by the recipient's server means (RFC 3463).

use inboxd_mail::EmailAddress;

/// Whether an address can be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BounceKind {
    /// It never can; it is suppressed.
    Permanent,
    /// It may, with another mail or on another day.
    Transient,
}

impl BounceKind {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Permanent => "Permanent",
            Self::Transient => "Transient",
        }
    }
}

/// The status and the word for a mail that is late (RFC 3463: temporary, without a word on what is wrong).
pub const DELAYED: (&str, &str) = ("4.0.0", "Delayed");

/// Recipients who were refused for the same reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusals {
    /// Whether they can be tried again.
    pub kind: BounceKind,
    /// A word for the reason.
    pub sub_type: &'static str,
    /// Who, each with the status code of its server.
    pub recipients: Vec<(EmailAddress, String)>,
}

/// The refusals, grouped by what their status codes mean.
#[must_use]
pub fn grouped(refused: &[(EmailAddress, String)]) -> Vec<Refusals> {
    let mut groups: Vec<Refusals> = Vec::new();
    for recipient in refused {
        let (kind, sub_type) = classify(&recipient.1);
        match groups.iter_mut().find(|group| group.kind == kind && group.sub_type == sub_type) {
            Some(group) => group.recipients.push(recipient.clone()),
            None => groups.push(Refusals { kind, sub_type, recipients: vec![recipient.clone()] }),
        }
    }
    groups
}

/// Classifies an enhanced status code: whether the address itself is dead, and a word for why.
///
/// A server that refuses this mail for what it says or how large it is has not said that the address is dead.
#[must_use]
pub fn classify(status: &str) -> (BounceKind, &'static str) {
    let mut parts = status.split('.');
    let class = parts.next().unwrap_or_default();
    let subject = parts.next().unwrap_or_default();
    let detail = parts.next().unwrap_or_default();
    if class != "5" {
        return (BounceKind::Transient, "General");
    }
    match (subject, detail) {
        // The sender's address is at fault, not the recipient's (RFC 3463, section 3.2).
        ("1", "7" | "8") => (BounceKind::Transient, "SenderRejected"),
        // The domain has no servers: it may have them again, and with them the address.
        ("1", "2") => (BounceKind::Transient, "NoDomain"),
        ("1", _) => (BounceKind::Permanent, "NoEmail"),
        ("2", "2") => (BounceKind::Transient, "MailboxFull"),
        ("2", "3") | ("3", "4") => (BounceKind::Transient, "MessageTooLarge"),
        // The mail ran in a circle on its way: the address may be fine (RFC 3463, section 3.5).
        ("4", "6") => (BounceKind::Transient, "MailLoop"),
        // No way to the host was found: what DNS says of it can be mended, and the address may be fine.
        ("4", "4") => (BounceKind::Transient, "NoRoute"),
        // What is wrong with a system, with the way to it or with what is spoken there says nothing of the address (RFC 3463,
        // sections 3.4 to 3.6); but many answer 5.4.1 for an address that they do not have.
        ("3" | "5", _) => (BounceKind::Transient, "General"),
        ("4", detail) if detail != "1" => (BounceKind::Transient, "General"),
        ("6", _) => (BounceKind::Transient, "ContentRejected"),
        ("7", _) => (BounceKind::Transient, "PolicyRejected"),
        _ => (BounceKind::Permanent, "General"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_dead_address_is_permanent() {
        let table = [
            ("5.1.1", BounceKind::Permanent, "NoEmail"),
            ("5.1.10", BounceKind::Permanent, "NoEmail"),
            ("5.1.2", BounceKind::Transient, "NoDomain"),
            ("5.1.8", BounceKind::Transient, "SenderRejected"),
            ("5.0.0", BounceKind::Permanent, "General"),
            ("5.2.1", BounceKind::Permanent, "General"),
            ("5.2.2", BounceKind::Transient, "MailboxFull"),
            ("5.3.0", BounceKind::Transient, "General"),
            ("5.3.2", BounceKind::Transient, "General"),
            ("5.4.0", BounceKind::Transient, "General"),
            ("5.4.2", BounceKind::Transient, "General"),
            ("5.4.3", BounceKind::Transient, "General"),
            ("5.4.5", BounceKind::Transient, "General"),
            ("5.4.7", BounceKind::Transient, "General"),
            ("5.5.0", BounceKind::Transient, "General"),
            ("5.5.4", BounceKind::Transient, "General"),
            ("5.3.4", BounceKind::Transient, "MessageTooLarge"),
            ("5.4.1", BounceKind::Permanent, "General"),
            ("5.4.4", BounceKind::Transient, "NoRoute"),
            ("5.4.6", BounceKind::Transient, "MailLoop"),
            ("5.6.0", BounceKind::Transient, "ContentRejected"),
            ("5.7.1", BounceKind::Transient, "PolicyRejected"),
            ("4.4.7", BounceKind::Transient, "General"),
            ("", BounceKind::Transient, "General"),
        ];
        for (status, kind, sub_type) in table {
            assert_eq!(classify(status), (kind, sub_type), "{status}");
        }
    }
}
