//! New facts in a bounce report.

use inboxd_mail::{BounceReport, DeliveryAction, EmailAddress, FeedbackReport, ReportedRecipient};

use super::bounces::{self, BounceKind, DELAYED, RefusalGroup};
use crate::model::AuthResult;
use crate::model::return_path::{SentMail, SentTo};
use crate::ports::Evidence;

/// Sub-type of a complaint: reports state no more than its kind.
const COMPLAINT_SUB_TYPE: &str = "General";

/// A new fact about a sent message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportEvent {
    /// The message did not reach these recipients, or not yet.
    Bounced(RefusalGroup),
    /// These recipients complained.
    Complained {
        /// Kind of feedback: `abuse`.
        kind: String,
        /// Details of the complaint.
        sub_type: &'static str,
        /// The complaining recipients; empty if it is an unknown one of several.
        recipients: Vec<EmailAddress>,
    },
}

impl ReportEvent {
    /// Returns the label for the message.
    #[must_use]
    pub fn label(&self) -> Option<&'static str> {
        match self {
            // A delayed message may still arrive.
            Self::Bounced(refusals) if refusals.sub_type == DELAYED.1 => None,
            Self::Bounced(_) => Some("bounced"),
            Self::Complained { .. } => Some("complained"),
        }
    }

    /// Returns the addresses to suppress.
    ///
    /// A message to several recipients shows its return path to each, so one could report the others. For such a
    /// message, an address is suppressed only if its own domain authenticates the report.
    #[must_use]
    pub fn addresses_to_suppress(&self, mail: &SentMail, authenticated: &[String]) -> Vec<EmailAddress> {
        let is_believed = |address: &EmailAddress| {
            let domain = address.domain();
            mail.recipients.len() == 1 || authenticated.iter().any(|name| is_related(name, &domain))
        };
        self.suppressible().into_iter().filter(is_believed).collect()
    }

    /// Returns the addresses to suppress if every report were genuine.
    fn suppressible(&self) -> Vec<EmailAddress> {
        match self {
            Self::Bounced(refusals) if refusals.kind == BounceKind::Permanent => {
                refusals.recipients.iter().map(|(address, _)| address.clone()).collect()
            }
            Self::Bounced(_) => Vec::new(),
            Self::Complained { recipients, .. } => recipients.clone(),
        }
    }
}

/// Returns the authenticated domains of a report: the aligned domain of DMARC and the SPF domain that passed. A
/// signature alone does not count, because anyone can resend a signed message.
#[must_use]
pub fn authenticated_domains(evidence: &Evidence) -> Vec<String> {
    let dmarc = evidence.dmarc.aligned_domain.as_ref().filter(|_| evidence.dmarc.result == AuthResult::Pass);
    let spf = Some(&evidence.spf.domain).filter(|_| evidence.spf.result == AuthResult::Pass);
    dmarc.into_iter().chain(spf).map(|name| comparable(name)).collect()
}

/// Returns the form of a domain in which equal ones are equal texts.
pub(super) fn comparable(domain: &str) -> String {
    domain.trim_end_matches('.').to_ascii_lowercase()
}

/// Returns whether one domain equals the other or is a parent of it. Single-label names match nothing.
fn is_related(one: &str, other: &str) -> bool {
    let lies_above = |above: &str, below: &str| below.strip_suffix(above).is_some_and(|rest| rest.ends_with('.'));
    one.contains('.') && other.contains('.') && (one == other || lies_above(one, other) || lies_above(other, one))
}

/// Returns the new facts of a report and marks them as reported in `mail`.
///
/// Only recipients of the message count, once each: anyone with the return path can forge a report, and servers repeat
/// theirs.
pub fn record_report(mail: &mut SentMail, report: &BounceReport) -> Vec<ReportEvent> {
    match report {
        BounceReport::Delivery(recipients) => statuses(mail, recipients),
        BounceReport::Feedback(feedback) => complaint(mail, feedback).into_iter().collect(),
    }
}

/// Returns the refusals that were not reported before, and marks them as reported in `mail`.
pub fn unreported(mail: &mut SentMail, refused: Vec<(EmailAddress, String)>) -> Vec<(EmailAddress, String)> {
    let is_new = |(address, _): &(EmailAddress, String)| {
        let known = mail.recipients.iter_mut().find(|to| to.address == *address);
        known.is_none_or(|to| !std::mem::replace(&mut to.reported.failed, true))
    };
    refused.into_iter().filter(is_new).collect()
}

/// Returns the recipients without an earlier delay or failure report, and marks them as reported in `mail`.
pub fn unreported_delay(mail: &mut SentMail, deferred: Vec<EmailAddress>) -> Vec<EmailAddress> {
    let is_new = |address: &EmailAddress| {
        let known = mail.recipients.iter_mut().find(|to| to.address == *address);
        known.is_none_or(|to| !std::mem::replace(&mut to.reported.delayed, true) && !to.reported.failed)
    };
    deferred.into_iter().filter(is_new).collect()
}

fn statuses(mail: &mut SentMail, reported: &[ReportedRecipient]) -> Vec<ReportEvent> {
    let mut failed = Vec::new();
    let mut delayed = Vec::new();
    for ReportedRecipient { addresses, action, status } in reported {
        let Some(to) = recipient(&mut mail.recipients, addresses) else { continue };
        match action {
            DeliveryAction::Failed if !to.reported.failed => {
                to.reported.failed = true;
                failed.push((to.address.clone(), status.clone()));
            }
            DeliveryAction::Delayed if !to.reported.failed && !to.reported.delayed => {
                to.reported.delayed = true;
                delayed.push((to.address.clone(), status.clone()));
            }
            // Delivery was reported when the next server accepted the message.
            _ => {}
        }
    }
    let mut groups = bounces::grouped(&failed);
    if !delayed.is_empty() {
        groups.push(RefusalGroup { kind: BounceKind::Transient, sub_type: DELAYED.1, recipients: delayed });
    }
    groups.into_iter().map(ReportEvent::Bounced).collect()
}

fn complaint(mail: &mut SentMail, feedback: &FeedbackReport) -> Option<ReportEvent> {
    if !feedback.is_complaint() {
        return None;
    }
    let kind = feedback.kind.clone();
    if feedback.recipients.is_empty()
        && let [first, _, ..] = mail.recipients.as_mut_slice()
    {
        // One recipient complained; the report does not identify it.
        let is_new = !std::mem::replace(&mut first.reported.unnamed, true);
        return is_new.then_some(ReportEvent::Complained {
            kind,
            sub_type: COMPLAINT_SUB_TYPE,
            recipients: Vec::new(),
        });
    }
    let mut recipients = Vec::new();
    let named: Vec<&[EmailAddress]> = match feedback.recipients.as_slice() {
        // Many providers omit the recipient, which may be the only one.
        [] => vec![&[]],
        some => some.chunks(1).collect(),
    };
    for address in named {
        if let Some(to) = recipient(&mut mail.recipients, address)
            && !std::mem::replace(&mut to.reported.complained, true)
        {
            recipients.push(to.address.clone());
        }
    }
    (!recipients.is_empty()).then_some(ReportEvent::Complained { kind, sub_type: COMPLAINT_SUB_TYPE, recipients })
}

/// Returns the recipient that a report names: the first of its addresses that the message went to. Without addresses it
/// is the only recipient, if there is just one.
fn recipient<'a>(recipients: &'a mut [SentTo], addresses: &[EmailAddress]) -> Option<&'a mut SentTo> {
    if addresses.is_empty() {
        return match recipients {
            [only] => Some(only),
            _ => None,
        };
    }
    let place = addresses.iter().find_map(|address| recipients.iter().position(|to| to.address == *address))?;
    recipients.get_mut(place)
}
