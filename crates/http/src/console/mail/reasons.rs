//! Reasons of a verdict, in words.

use inboxd_core::rules::trust::{AttachmentRisk, ImitatedIdentity, Judgement, MassMailKind, Reason};

use super::trust::TrustFact;
use crate::console::text::shown;

/// Maximum characters of a name, address or host of the sender.
const MAX_SENDER_CHARS: usize = 100;
/// Maximum number of reasons.
const MAX_REASONS: usize = 8;

/// Returns the reasons that the results of authentication do not say.
pub(super) fn reasons(judgement: &Judgement) -> Vec<TrustFact> {
    let mut facts: Vec<TrustFact> = Vec::new();
    for fact in judgement.reasons.iter().filter_map(fact) {
        if facts.len() < MAX_REASONS && !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    let is_acquainted = |reason: &Reason| {
        matches!(reason, Reason::KnownCorrespondent { .. } | Reason::OrganizationMember | Reason::TrustedContact)
    };
    if !judgement.reasons.iter().any(is_acquainted) {
        facts.push(TrustFact::new("warn", "First mail from this address in this inbox."));
    }
    facts
}

fn fact(reason: &Reason) -> Option<TrustFact> {
    let cut = |text: &str| shown(text, MAX_SENDER_CHARS);
    let (class, text) = match reason {
        Reason::AuthenticatedDomain { .. } | Reason::UnauthenticatedDomain { .. } => return None,
        Reason::LostAuthentication { domain } => {
            ("warn", format!("Earlier mail of this address was proved to come from {}, this one is not.", cut(domain)))
        }
        Reason::TrustedContact => ("good", "A person here trusts this address.".to_owned()),
        Reason::BlockedContact => ("bad", "A person here blocked this address.".to_owned()),
        Reason::OrganizationMember => ("good", "The address is that of a member.".to_owned()),
        Reason::KnownCorrespondent { organization_received, organization_sent, .. } => {
            ("", format!("Known: {organization_received} received and {organization_sent} sent before."))
        }
        Reason::ImitatedName { imitates, address, .. } => {
            let identity = match imitates {
                ImitatedIdentity::Correspondent => "a correspondent",
                ImitatedIdentity::Member => "a member",
                ImitatedIdentity::Service => "this service",
            };
            let address = address.as_deref().map(|address| format!(" ({})", cut(address))).unwrap_or_default();
            ("bad", format!("The name imitates {identity}{address}."))
        }
        Reason::LookalikeDomain { domain, known_domain, .. } => {
            let known = known_domain.as_deref().map_or_else(|| "a domain that is known here".to_owned(), cut);
            ("bad", format!("{} looks like {known}, and is another domain.", cut(domain)))
        }
        Reason::ReplyToElsewhere { address } => ("warn", format!("Replies go to {}.", cut(address))),
        Reason::MisleadingLink { shown_host, target_host } => {
            ("bad", format!("A link shows {} and leads to {}.", cut(shown_host), cut(target_host)))
        }
        Reason::HiddenText { .. } => {
            ("warn", "Holds text that readers do not see. It may be meant for agents.".to_owned())
        }
        Reason::MachineInstruction { .. } => ("bad", "Holds an instruction to a machine.".to_owned()),
        Reason::RiskyAttachment { filename, risk } => {
            let name = filename.as_deref().map_or_else(|| "An attachment".to_owned(), cut);
            let what = match risk {
                AttachmentRisk::Executable => "is a program",
                AttachmentRisk::PasswordProtected => "opens with a password only, so nothing could check it",
            };
            ("warn", format!("{name} {what}."))
        }
        Reason::MassMail { kind } => {
            let what = match kind {
                MassMailKind::List => "Mail of a mailing list.",
                MassMailKind::Bulk => "Bulk mail.",
                MassMailKind::Automatic => "Written by a program.",
            };
            ("", what.to_owned())
        }
        Reason::UnprovedListing => {
            ("bad", "An allow list admits this sender with authentication only, which the message lacks.".to_owned())
        }
        Reason::ScannerFinding { category, .. } => ("bad", format!("The scanner found: {}.", cut(category))),
    };
    Some(TrustFact::new(class, text))
}
