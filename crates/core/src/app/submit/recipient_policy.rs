//! Recipient policy: suppressions, allow and block lists, and the locality of each recipient.

use futures_util::future::try_join3;
use inboxd_mail::EmailAddress;

use crate::Error;
use crate::app::{App, homes};
use crate::model::{Inbox, ListDirection, ListLevel, Locality};
use crate::ports::ExcerptQuery;
use crate::rules::lists::{self, ListRefusal, ListSubject, RefusedRecipient};

/// Refuses suppressed recipients, and recipients that a list of the inbox, its pod or its organization blocks. Returns
/// the locality of each recipient.
pub(super) async fn check_recipients(
    app: &App,
    inbox: &Inbox,
    recipients: &[EmailAddress],
) -> Result<Vec<Locality>, Error> {
    let levels = ListLevel::reaching(inbox.pod_id, &inbox.inbox_id);
    let lists = lists_query(inbox, &levels, recipients);
    // The reads run concurrently, because most messages pass all checks.
    let (suppressed, excerpts, homes) = try_join3(
        app.store.suppressed(inbox.organization_id, recipients),
        app.store.excerpts_of_lists(&lists),
        homes::of(app, recipients),
    )
    .await?;
    if let Some(found) = suppressed.first() {
        return Err(Error::RecipientSuppressed { address: found.address.to_string(), reason: found.reason });
    }
    lists::require_allowed_recipients(&excerpts, &levels, recipients).map_err(refused)?;
    Ok(homes)
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

    use super::*;
    use crate::model::{ListExcerpt, ListKey, ListType, OrganizationId, Suppression, SuppressionReason};
    use crate::ports::StoreError;
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
        ListExcerpt { list, entries: [entry.to_owned()].into_iter().collect() }
    }

    /// Returns an environment in which organization 1 has a suppressed and a blocked recipient.
    fn world() -> World {
        let mut world = World::default();
        world.store.expect_suppressed().times(4).returning(|organization_id, recipients| {
            let suppression = |address: &EmailAddress| Suppression {
                organization_id,
                address: address.clone(),
                reason: SuppressionReason::Bounce,
                created_at: NOW,
            };
            let dead = recipients.iter().filter(|address| address.as_str() == "dead@example.org");
            Ok(if organization_id == id(1) { dead.map(suppression).collect() } else { Vec::new() })
        });
        world.store.expect_excerpts_of_lists().times(4).returning(|query| {
            assert_eq!(query.levels.len(), 3);
            let organization_id = query.levels[0].0;
            Ok(if organization_id == id(1) { vec![blocking(id(1), "anna@example.org")] } else { Vec::new() })
        });
        world.store.expect_custom_homes().times(4).returning(|addresses| {
            let home = |address: &EmailAddress| {
                if address.as_str() == "in@own.example" { Locality::Local } else { Locality::Remote }
            };
            Ok(addresses.iter().map(home).collect())
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
        world.store.expect_suppressed().once().returning(move |_, _| Err(returned.clone()));
        world.store.expect_excerpts_of_lists().returning(|_| Ok(Vec::new()));
        world.store.expect_custom_homes().returning(|_| Ok(Vec::new()));
        let checked = check_recipients(&world.app(), &fixtures::inbox(), &[address("a@example.org")]).await;
        assert!(matches!(&checked, Err(Error::Store(error)) if *error == unavailable), "{checked:?}");
    }
}
