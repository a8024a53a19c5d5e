//! Recipient policy: suppressions, allow and block lists, and the locality of each recipient.

use inboxd_mail::EmailAddress;

use crate::Error;
use crate::app::{App, homes};
use crate::model::{Inbox, ListDirection, ListLevel, Locality};
use crate::ports::{ExcerptQuery, RecipientPolicyQuery};
use crate::rules::lists::{self, ListRefusal, ListSubject, RefusedRecipient};

/// A recipient of a message, and the refusal of a recipient that may not receive it.
#[derive(Debug, Clone)]
pub struct RecipientVerdict {
    /// The recipient.
    pub address: EmailAddress,
    /// Refusal of the whole message for this recipient.
    pub refusal: Option<Error>,
}

/// Refuses suppressed recipients, and recipients that a list of the inbox, its pod or its organization blocks. Returns
/// the locality of each recipient.
pub(super) async fn check_recipients(
    app: &App,
    inbox: &Inbox,
    recipients: &[EmailAddress],
) -> Result<Vec<Locality>, Error> {
    let (verdicts, homes) = judge_recipients(app, inbox, recipients).await?;
    match first_refusal(&verdicts) {
        Some(refusal) => Err(refusal),
        None => Ok(homes),
    }
}

/// Returns the refusal of a message by the verdicts of its recipients: of an unverified organization first, then of a
/// suppression, then of a block list.
pub(super) fn first_refusal(verdicts: &[RecipientVerdict]) -> Option<Error> {
    let rank = |refusal: &&Error| match refusal {
        Error::OrganizationUnverified { .. } => 0,
        Error::RecipientSuppressed { .. } => 1,
        Error::RecipientBlocked { .. } => 2,
        _ => 3,
    };
    verdicts.iter().filter_map(|verdict| verdict.refusal.as_ref()).min_by_key(rank).cloned()
}

/// Judges each recipient by suppressions and lists, and returns its locality.
pub(super) async fn judge_recipients(
    app: &App,
    inbox: &Inbox,
    recipients: &[EmailAddress],
) -> Result<(Vec<RecipientVerdict>, Vec<Locality>), Error> {
    let levels = ListLevel::reaching(inbox.pod_id, &inbox.inbox_id);
    let query = RecipientPolicyQuery {
        organization_id: inbox.organization_id,
        recipients: recipients.to_vec(),
        outside: homes::outside(app, recipients),
        lists: lists_query(inbox, &levels, recipients),
    };
    let policy = app.store.recipient_policy(&query).await?;
    let judge = |recipient: &EmailAddress| {
        let suppressed = policy.suppressed.iter().find(|found| found.address == *recipient);
        let suppressed = suppressed
            .map(|found| Error::RecipientSuppressed { address: found.address.to_string(), reason: found.reason });
        let listed = || {
            let one = std::slice::from_ref(recipient);
            lists::require_allowed_recipients(&policy.excerpts, &levels, one).map_err(refused).err()
        };
        RecipientVerdict { address: recipient.clone(), refusal: suppressed.or_else(listed) }
    };
    let verdicts = recipients.iter().map(judge).collect();
    Ok((verdicts, homes::with_own(app, recipients, policy.homes)))
}

/// Returns the query for recipients in the lists of an inbox.
fn lists_query(inbox: &Inbox, levels: &[ListLevel], recipients: &[EmailAddress]) -> ExcerptQuery {
    let parties: Vec<ListSubject> = recipients.iter().map(ListSubject::of).collect();
    let mut names: Vec<String> = parties.iter().flat_map(ListSubject::names).map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    ExcerptQuery {
        levels: levels.iter().map(|level| (inbox.organization_id, level.clone())).collect(),
        directions: vec![ListDirection::Send],
        names,
    }
}

fn refused(RefusedRecipient { recipient, why }: RefusedRecipient) -> Error {
    match why {
        ListRefusal::Blocked { list, entry } => Error::RecipientBlocked { recipient, list, entry },
        ListRefusal::NotAllowed { list } => Error::RecipientNotAllowed { recipient, list },
    }
}
