//! One attack: the mail, and what an agent sees of it.

/// Inbox under attack.
#[derive(Debug)]
pub(super) struct Target {
    /// Address of the inbox.
    pub(super) inbox: String,
    /// Address of a member of the organization.
    pub(super) owner: String,
    /// Message-ID of a message that the inbox sent to a correspondent.
    pub(super) sent: String,
}

/// A mail without Message-ID.
#[derive(Debug)]
pub(super) struct AttackMail {
    /// Return path; `None` for an address of the domain of the attacker.
    pub(super) envelope: Option<String>,
    /// Header and body.
    pub(super) raw: String,
}

/// An attack and its result.
#[derive(Debug)]
pub(super) struct Attack {
    /// Kind of the attack.
    pub(super) group: &'static str,
    /// Description.
    pub(super) what: &'static str,
    /// Creates the mail of an attacker at a domain.
    pub(super) mail: fn(&str, &Target) -> AttackMail,
    /// Refusal at SMTP; or the labels that hide the message, the verdict, and the names of the reasons.
    pub(super) outcome: &'static str,
    /// Words that the subject, text or preview contains.
    pub(super) shown: &'static [&'static str],
    /// Words that none of them contains.
    pub(super) hidden: &'static [&'static str],
    /// Effect of mail that nothing speaks against; empty if the service does nothing.
    pub(super) remark: &'static str,
}
