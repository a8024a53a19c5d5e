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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

    use std::collections::BTreeSet;

    use super::*;
    use crate::model::{ListExcerpt, ListKey, ListType, OrganizationId, Suppression, SuppressionReason};
    use crate::ports::{RecipientPolicy, StoreError};
    use crate::testing::World;
    use crate::testing::fixtures::{self, NOW, address, id};

    /// Returns a list of an organization that blocks an address.
    fn blocking(organization_id: OrganizationId, entry: &str) -> ListExcerpt {
        let list = ListKey {
            organization_id,
            level: ListLevel::Organization,
            direction: ListDirection::Send,
            list_type: ListType::Block,
        };
        ListExcerpt { list, entries: [entry.to_owned()].into_iter().collect(), authenticated: BTreeSet::new() }
    }

    /// Returns an environment in which organization 1 has a suppressed and a blocked recipient.
    fn world() -> World {
        let mut world = World::default();
        world.store.expect_recipient_policy().times(4).returning(|query| {
            let suppression = |address: &EmailAddress| Suppression {
                organization_id: query.organization_id,
                address: address.clone(),
                reason: SuppressionReason::Bounce,
                created_at: NOW,
            };
            let home = |address: &EmailAddress| {
                if address.as_str() == "in@own.example" { Locality::Local } else { Locality::Remote }
            };
            assert_eq!(query.lists.levels.len(), 3);
            assert!(query.lists.levels.iter().all(|(organization_id, _)| *organization_id == query.organization_id));
            let homes = query.outside.iter().map(home).collect();
            if query.organization_id != id(1) {
                return Ok(RecipientPolicy { homes, ..RecipientPolicy::default() });
            }
            let dead = query.recipients.iter().filter(|address| address.as_str() == "dead@example.org");
            let suppressed = dead.map(suppression).collect();
            Ok(RecipientPolicy { suppressed, excerpts: vec![blocking(id(1), "anna@example.org")], homes })
        });
        world
    }

    #[tokio::test]
    async fn recipients_are_checked_by_the_policy_of_their_organization() {
        let app = world().app();
        let check = async |organization: u128, recipients: &[&str]| {
            let inbox = Inbox { organization_id: id(organization), ..fixtures::inbox() };
            let recipients: Vec<EmailAddress> = recipients.iter().map(|text| address(text)).collect();
            check_recipients(&app, &inbox, &recipients).await
        };
        assert_eq!(
            check(1, &["ben@example.org", "in@own.example"]).await.unwrap(),
            [Locality::Remote, Locality::Local]
        );
        let suppressed = check(1, &["dead@example.org", "dead2@example.org"]).await;
        assert!(
            matches!(&suppressed, Err(Error::RecipientSuppressed { address, .. }) if address == "dead@example.org")
        );
        let blocked = check(1, &["anna@example.org"]).await;
        assert!(matches!(&blocked, Err(Error::RecipientBlocked { .. })), "{blocked:?}");
        let other = check(2, &["anna@example.org", "dead@example.org"]).await;
        assert_eq!(other.unwrap(), [Locality::Remote; 2], "the lists of one organization bind no other");
    }

    #[tokio::test]
    async fn unavailable_storage_fails_the_check() {
        let mut world = World::default();
        let unavailable = StoreError::Unavailable("gone".to_owned());
        let returned = unavailable.clone();
        world.store.expect_recipient_policy().once().returning(move |_| Err(returned.clone()));
        let checked = check_recipients(&world.app(), &fixtures::inbox(), &[address("a@example.org")]).await;
        assert!(matches!(&checked, Err(Error::Store(error)) if *error == unavailable), "{checked:?}");
    }
}
