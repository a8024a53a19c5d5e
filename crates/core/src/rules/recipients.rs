//! Validation and grouping of recipients.

use std::collections::{BTreeMap, BTreeSet};

use inboxd_mail::{EmailAddress, Mailbox, base_domain};

use crate::model::{Locality, MessageItem, Organization, Route};
use crate::rules::trust::{Judgement, Reason, Verdict};
use crate::{CalendarRefusal, Error, FieldError, LoopRefusal};

/// Maximum recipients of a message (`wire.md`, section 5).
pub const MAX_RECIPIENTS: usize = 50;

/// Maximum addresses in the recipient fields of a message, repeated ones included.
pub const MAX_RECIPIENT_ENTRIES: usize = 4 * MAX_RECIPIENTS;

/// Returns each recipient once, in the order To, Cc, Bcc.
///
/// # Errors
/// For no recipient, or for too many, each counted once or each time.
pub fn unique_recipients(to: &[Mailbox], cc: &[Mailbox], bcc: &[Mailbox]) -> Result<Vec<EmailAddress>, FieldError> {
    let entries = to.len() + cc.len() + bcc.len();
    if entries > MAX_RECIPIENT_ENTRIES {
        let message =
            format!("{entries} addresses are given; repeated ones included, at most {MAX_RECIPIENT_ENTRIES} are");
        return Err(FieldError::new("to", message));
    }
    let recipients = each_once(to, cc, bcc);
    match recipients.len() {
        0 => Err(FieldError::new("to", "at least one recipient is needed, in to, cc or bcc")),
        count if count > MAX_RECIPIENTS => Err(FieldError::new(
            "to",
            format!("a message has at most {MAX_RECIPIENTS} recipients; this one has {count}"),
        )),
        _ => Ok(recipients),
    }
}

/// Validates the recipients of a reply to everyone, which the caller does not choose.
///
/// # Errors
/// [`Error::TooManyToAnswer`].
pub fn require_reply_all_limit(to: &[Mailbox], cc: &[Mailbox], bcc: &[Mailbox]) -> Result<(), Error> {
    let count = each_once(to, cc, bcc).len();
    if count > MAX_RECIPIENTS { Err(Error::TooManyToAnswer { count, most: MAX_RECIPIENTS }) } else { Ok(()) }
}

fn each_once(to: &[Mailbox], cc: &[Mailbox], bcc: &[Mailbox]) -> Vec<EmailAddress> {
    let mut known = BTreeSet::new();
    to.iter()
        .chain(cc)
        .chain(bcc)
        .map(|mailbox| &mailbox.address)
        .filter(|address| known.insert(*address))
        .cloned()
        .collect()
}

/// Validates the recipients of a draft, which may have none yet.
///
/// # Errors
/// For too many recipients.
pub fn validate_draft(to: &[Mailbox], cc: &[Mailbox], bcc: &[Mailbox]) -> Result<(), FieldError> {
    if to.is_empty() && cc.is_empty() && bcc.is_empty() {
        return Ok(());
    }
    unique_recipients(to, cc, bcc).map(|_| ())
}

/// Refuses every recipient but the owner while the organization is unverified (`service.md`, section 5, rule 11).
///
/// # Errors
/// [`Error::OrganizationUnverified`].
pub fn require_allowed(organization: &Organization, recipients: &[EmailAddress]) -> Result<(), Error> {
    if organization.is_verified() {
        return Ok(());
    }
    match recipients.iter().find(|recipient| organization.owner_email.as_ref() != Some(*recipient)) {
        Some(recipient) => Err(Error::OrganizationUnverified { recipient: recipient.to_string() }),
        None => Ok(()),
    }
}

/// Groups recipients by route; a route without recipients is left out.
#[must_use]
pub fn group_by_route(recipients: Vec<EmailAddress>, homes: &[Locality]) -> Vec<(Route, Vec<EmailAddress>)> {
    let mut homes = homes.iter();
    let is_here = |_: &EmailAddress| homes.next().is_some_and(|home| home.route() == Route::Local);
    let (local, remote): (Vec<_>, Vec<_>) = recipients.into_iter().partition(is_here);
    [(Route::Local, local), (Route::Remote, remote)]
        .into_iter()
        .filter(|(_, recipients)| !recipients.is_empty())
        .collect()
}

/// Groups recipients by a key.
#[must_use]
pub fn group_by(
    recipients: Vec<EmailAddress>,
    name: impl Fn(&EmailAddress) -> String,
) -> BTreeMap<String, Vec<EmailAddress>> {
    let mut groups: BTreeMap<String, Vec<EmailAddress>> = BTreeMap::new();
    for recipient in recipients {
        groups.entry(name(&recipient)).or_default().push(recipient);
    }
    groups
}

/// Refuses a reply to a Reply-To of another domain, unless the caller confirms it or authentication confirms a known sender:
/// anybody can write From. Messages from before the judgement existed need no confirmation.
///
/// # Errors
/// [`Error::Loop`].
pub fn require_reply_to_confirmation(answered: &MessageItem, is_confirmed: bool) -> Result<(), Error> {
    let Some(judgement) = &answered.trust else { return Ok(()) };
    if is_confirmed || is_proved_acquaintance(judgement) {
        return Ok(());
    }
    let elsewhere = judgement.reasons.iter().find_map(|reason| match reason {
        Reason::ReplyToElsewhere { address } => Some(address.clone()),
        _ => None,
    });
    elsewhere.map_or(Ok(()), |address| Err(Error::Loop(LoopRefusal::ReplyToElsewhere { address })))
}

/// Returns whether authentication confirms a known sender.
fn is_proved_acquaintance(judgement: &Judgement) -> bool {
    let is_authenticated = judgement.reasons.iter().any(|reason| matches!(reason, Reason::AuthenticatedDomain { .. }));
    matches!(judgement.verdict, Verdict::Trusted | Verdict::Known) && is_authenticated
}

/// Refuses an answer to an organizer of another domain than From, unless the caller confirms it or authentication
/// confirms a known sender: anybody can name anybody as the organizer.
///
/// # Errors
/// [`CalendarRefusal::OrganizerElsewhere`].
pub fn require_organizer_confirmation(
    invitation: &MessageItem,
    organizer: &EmailAddress,
    is_confirmed: bool,
) -> Result<(), Error> {
    let (_, host) = invitation.from.trim_end_matches('>').rsplit_once('@').unwrap_or_default();
    let is_same = base_domain(&host.to_lowercase()) == base_domain(&organizer.domain());
    let is_proved = invitation.trust.as_ref().is_some_and(is_proved_acquaintance);
    if is_same || is_proved || is_confirmed {
        return Ok(());
    }
    Err(CalendarRefusal::OrganizerElsewhere { address: organizer.to_string() }.into())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;
    use crate::testing::fixtures;

    #[test]
    fn reply_elsewhere_needs_confirmation_for_unknown_senders() {
        let elsewhere = Reason::ReplyToElsewhere { address: "x@elsewhere.example".to_owned() };
        let authenticated = Reason::AuthenticatedDomain { domain: "example.org".to_owned() };
        let table = [
            (None, false, true),
            (Some((Verdict::FirstContact, vec![elsewhere.clone()])), false, false),
            (Some((Verdict::FirstContact, vec![elsewhere.clone()])), true, true),
            (Some((Verdict::Suspicious, vec![Reason::TrustedContact, elsewhere.clone()])), false, false),
            (Some((Verdict::Suspicious, vec![Reason::TrustedContact])), false, true),
            (Some((Verdict::Known, vec![elsewhere.clone()])), false, false),
            (Some((Verdict::Known, vec![authenticated.clone(), elsewhere.clone()])), false, true),
            (Some((Verdict::FirstContact, vec![authenticated.clone(), elsewhere.clone()])), false, false),
            (Some((Verdict::Trusted, vec![authenticated, elsewhere])), false, true),
        ];
        for (judged, is_confirmed, passes) in table {
            let trust = judged.map(|(verdict, reasons)| Judgement { verdict, checks: None, reasons });
            let answered = MessageItem { trust, ..fixtures::message_item() };
            let result = require_reply_to_confirmation(&answered, is_confirmed);
            assert_eq!(result.is_ok(), passes, "{:?} {is_confirmed}", answered.trust);
        }
    }

    #[test]
    fn organizer_elsewhere_needs_confirmation_for_unknown_senders() {
        let authenticated = Reason::AuthenticatedDomain { domain: "example.org".to_owned() };
        let judged = |verdict, reasons| Some(Judgement { verdict, checks: None, reasons });
        for (organizer, trust, is_confirmed, passes) in [
            ("bo@EXAMPLE.org", None, false, true),
            ("bo@mail.example.org", None, false, true),
            ("victim@elsewhere.example", None, false, false),
            ("victim@elsewhere.example", None, true, true),
            ("victim@elsewhere.example", judged(Verdict::Known, vec![]), false, false),
            ("bo@elsewhere.example", judged(Verdict::Known, vec![authenticated.clone()]), false, true),
            ("victim@elsewhere.example", judged(Verdict::FirstContact, vec![authenticated]), false, false),
        ] {
            let from = "Anna <anna@Example.org>".to_owned();
            let invitation = MessageItem { from, trust, ..fixtures::message_item() };
            let address = organizer.parse().unwrap();
            let result = require_organizer_confirmation(&invitation, &address, is_confirmed);
            assert_eq!(result.is_ok(), passes, "{organizer} {:?} {is_confirmed}", invitation.trust);
        }
    }
}
