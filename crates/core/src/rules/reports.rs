//! What a report that came back says of a mail, and to whom it is news.

use inboxd_mail::{Action, EmailAddress, Feedback, Report, ReportedRecipient};

use super::bounces::{self, BounceKind, DELAYED, Refusals};
use crate::model::AuthResult;
use crate::model::return_path::{SentMail, SentTo};
use crate::ports::Evidence;

/// The sub-type of a complaint: nobody says more of it than its kind.
const COMPLAINED: &str = "General";

/// Something to be told of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// It did not reach these, or not yet.
    Bounced(Refusals),
    /// These do not want it.
    Complained {
        /// What kind of feedback it was: `abuse`.
        kind: String,
        /// What is known beyond that.
        sub_type: &'static str,
        /// Who; empty where it is one of several and nobody says which.
        recipients: Vec<EmailAddress>,
    },
}

impl News {
    /// The label that the message is given.
    #[must_use]
    pub fn label(&self) -> Option<&'static str> {
        match self {
            // What is late may yet arrive.
            Self::Bounced(refusals) if refusals.sub_type == DELAYED.1 => None,
            Self::Bounced(_) => Some("bounced"),
            Self::Complained { .. } => Some("complained"),
        }
    }

    /// The addresses that must not be written to again. A mail to several shows its return path to each of them, so that
    /// one could report the others: there, an address is dead only when its own domain vouches for the report.
    #[must_use]
    pub fn dead(&self, mail: &SentMail, vouching: &[String]) -> Vec<EmailAddress> {
        let is_believed = |address: &EmailAddress| {
            let domain = address.domain();
            mail.recipients.len() == 1 || vouching.iter().any(|name| is_related(name, &domain))
        };
        self.hopeless().into_iter().filter(is_believed).collect()
    }

    /// The addresses that would be dead, were every report true.
    fn hopeless(&self) -> Vec<EmailAddress> {
        match self {
            Self::Bounced(refusals) if refusals.kind == BounceKind::Permanent => {
                refusals.recipients.iter().map(|(address, _)| address.clone()).collect()
            }
            Self::Bounced(_) => Vec::new(),
            Self::Complained { recipients, .. } => recipients.clone(),
        }
    }
}

/// The domains that a mail is proven to come from: that which DMARC has it aligned with, and that whose SPF names the
/// client. A signature alone does not count, since anybody can send a signed mail again.
#[must_use]
pub fn vouching(evidence: &Evidence) -> Vec<String> {
    let dmarc = evidence.dmarc.aligned_domain.as_ref().filter(|_| evidence.dmarc.result == AuthResult::Pass);
    let spf = Some(&evidence.spf.domain).filter(|_| evidence.spf.result == AuthResult::Pass);
    dmarc.into_iter().chain(spf).map(|name| name.trim_end_matches('.').to_ascii_lowercase()).collect()
}

/// Whether one of two domains is the other or lies above it. A name of one label is nobody's.
fn is_related(one: &str, other: &str) -> bool {
    let lies_above = |above: &str, below: &str| below.strip_suffix(above).is_some_and(|rest| rest.ends_with('.'));
    one.contains('.') && other.contains('.') && (one == other || lies_above(one, other) || lies_above(other, one))
}

/// What is new in a report, noted in the mail as told. Only whom the mail went to counts, and once each: a report can be
/// forged by everybody who has seen the return path, and servers repeat theirs.
pub fn take(mail: &mut SentMail, report: &Report) -> Vec<News> {
    match report {
        Report::Delivery(recipients) => statuses(mail, recipients),
        Report::Feedback(feedback) => complaint(mail, feedback).into_iter().collect(),
    }
}

/// The refusals that nobody has reported before, noted in the mail as told.
pub fn unreported(mail: &mut SentMail, refused: Vec<(EmailAddress, String)>) -> Vec<(EmailAddress, String)> {
    let is_news = |(address, _): &(EmailAddress, String)| {
        let known = mail.recipients.iter_mut().find(|to| to.address == *address);
        known.is_none_or(|to| !std::mem::replace(&mut to.told.failed, true))
    };
    refused.into_iter().filter(is_news).collect()
}

/// The recipients of whom nobody has reported that the mail is late, or worse, noted in the mail as told.
pub fn unreported_delay(mail: &mut SentMail, deferred: Vec<EmailAddress>) -> Vec<EmailAddress> {
    let is_news = |address: &EmailAddress| {
        let known = mail.recipients.iter_mut().find(|to| to.address == *address);
        known.is_none_or(|to| !std::mem::replace(&mut to.told.delayed, true) && !to.told.failed)
    };
    deferred.into_iter().filter(is_news).collect()
}

fn statuses(mail: &mut SentMail, reported: &[ReportedRecipient]) -> Vec<News> {
    let mut failed = Vec::new();
    let mut delayed = Vec::new();
    for ReportedRecipient { addresses, action, status } in reported {
        let Some(to) = recipient(&mut mail.recipients, addresses) else { continue };
        match action {
            Action::Failed if !to.told.failed => {
                to.told.failed = true;
                failed.push((to.address.clone(), status.clone()));
            }
            Action::Delayed if !to.told.failed && !to.told.delayed => {
                to.told.delayed = true;
                delayed.push((to.address.clone(), status.clone()));
            }
            // That it was delivered was told when the next server took it.
            _ => {}
        }
    }
    let mut groups = bounces::grouped(&failed);
    if !delayed.is_empty() {
        groups.push(Refusals { kind: BounceKind::Transient, sub_type: DELAYED.1, recipients: delayed });
    }
    groups.into_iter().map(News::Bounced).collect()
}

fn complaint(mail: &mut SentMail, feedback: &Feedback) -> Option<News> {
    if !feedback.is_complaint() {
        return None;
    }
    let kind = feedback.kind.clone();
    if feedback.recipients.is_empty()
        && let [first, _, ..] = mail.recipients.as_mut_slice()
    {
        // Somebody does not want it, which is all that can be told.
        let is_news = !std::mem::replace(&mut first.told.unnamed, true);
        return is_news.then_some(News::Complained { kind, sub_type: COMPLAINED, recipients: Vec::new() });
    }
    let mut recipients = Vec::new();
    let named: Vec<&[EmailAddress]> = match feedback.recipients.as_slice() {
        // Many providers leave out who it was, as it may be the only one.
        [] => vec![&[]],
        some => some.chunks(1).collect(),
    };
    for address in named {
        if let Some(to) = recipient(&mut mail.recipients, address)
            && !std::mem::replace(&mut to.told.complained, true)
        {
            recipients.push(to.address.clone());
        }
    }
    (!recipients.is_empty()).then_some(News::Complained { kind, sub_type: COMPLAINED, recipients })
}

/// The recipient that a report means by these addresses, the first that it has written to. Where it names none, the only
/// one that there is.
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
