//! Classification of refusals by the recipient's server (RFC 3463).

use inboxd_mail::EmailAddress;

/// Permanence of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BounceKind {
    /// The address never accepts mail; it is suppressed.
    Permanent,
    /// The address may accept another message or a later attempt.
    Transient,
}

impl BounceKind {
    /// Returns the name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Permanent => "Permanent",
            Self::Transient => "Transient",
        }
    }
}

/// Status and sub-type of a delayed message (RFC 3463: temporary, cause undefined).
pub const DELAYED: (&str, &str) = ("4.0.0", "Delayed");

/// Recipients with the same reason of refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusalGroup {
    /// Permanence of the refusal.
    pub kind: BounceKind,
    /// Name of the reason in the API.
    pub sub_type: &'static str,
    /// Recipients, each with the status code of its server.
    pub recipients: Vec<(EmailAddress, String)>,
}

/// Groups refusals by the meaning of their status codes.
#[must_use]
pub fn grouped(refused: &[(EmailAddress, String)]) -> Vec<RefusalGroup> {
    let mut groups: Vec<RefusalGroup> = Vec::new();
    for recipient in refused {
        let (kind, sub_type) = classify(&recipient.1);
        match groups.iter_mut().find(|group| group.kind == kind && group.sub_type == sub_type) {
            Some(group) => group.recipients.push(recipient.clone()),
            None => groups.push(RefusalGroup { kind, sub_type, recipients: vec![recipient.clone()] }),
        }
    }
    groups
}

/// Classifies an enhanced status code: permanence and reason.
///
/// A refusal for the content or size of this message does not mean that the address is dead.
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
        // The domain has no servers now; it may have them again.
        ("1", "2") => (BounceKind::Transient, "NoDomain"),
        ("1", _) => (BounceKind::Permanent, "NoEmail"),
        ("2", "2") => (BounceKind::Transient, "MailboxFull"),
        ("2", "3") | ("3", "4") => (BounceKind::Transient, "MessageTooLarge"),
        // The message looped on its path; the address may be valid (RFC 3463, section 3.5).
        ("4", "6") => (BounceKind::Transient, "MailLoop"),
        // No route to the host was found; a repair of its DNS makes the address reachable.
        ("4", "4") => (BounceKind::Transient, "NoRoute"),
        // Faults of a system, of the route or of the protocol say nothing about the address (RFC 3463, sections 3.4 to
        // 3.6). Many servers, however, reply 5.4.1 for an unknown address.
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
    fn only_dead_address_is_permanent() {
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
