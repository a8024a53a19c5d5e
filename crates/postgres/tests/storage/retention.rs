use inboxd_core::model::{Inbox, InboxId, OrganizationId};
use time::{Duration, OffsetDateTime};

use crate::support::*;

/// Locks the next inbox whose expiry is due, and makes its next one due in an hour.
async fn next(world: &World, after: Option<OrganizationId>, now: OffsetDateTime) -> Option<InboxId> {
    let mut tx = world.begin().await;
    let inbox = tx.inboxes().lock_expiring(after, now).await.unwrap()?;
    tx.inboxes().postpone_expiry(&inbox, now + Duration::hours(1)).await.unwrap();
    tx.commit().await.unwrap();
    Some(inbox.inbox_id)
}

async fn expiring_inbox(world: &World, number: u128, address: &str) -> Inbox {
    let organization = organization(number, &format!("owner-of-{address}"));
    add_organization(&world.store, &organization).await;
    let inbox = Inbox { retention_days: Some(30), ..inbox(&organization, address) };
    add_inbox(&world.store, &inbox).await;
    inbox
}

#[tokio::test]
async fn each_organization_gets_its_turn_and_each_inbox_its_hour() {
    let world = world().await;
    assert_eq!(next(&world, None, at(0)).await, None, "no retention");
    let second = expiring_inbox(&world, 2, "b@agents.example").await;
    let third = expiring_inbox(&world, 3, "c@agents.example").await;
    let other = Inbox { inbox_id: InboxId::stored("d@agents.example".to_owned()), ..second.clone() };
    add_inbox(&world.store, &other).await;
    let first = next(&world, None, at(0)).await.unwrap();
    assert_ne!(first, third.inbox_id);
    assert_eq!(next(&world, Some(second.organization_id), at(0)).await, Some(third.inbox_id.clone()));
    assert_eq!(next(&world, Some(third.organization_id), at(0)).await, None, "the round is over");
    let rest = next(&world, None, at(0)).await.unwrap();
    assert!(rest != first && rest != third.inbox_id, "{rest}");
    assert_eq!(next(&world, None, at(0)).await, None, "each waits for its hour");
    assert!(next(&world, None, at(3_600_000)).await.is_some());

    // A change makes the expiry due at once, and an inbox without a retention has none.
    let mut tx = world.begin().await;
    tx.inboxes().update(&Inbox { updated_at: at(5), ..third.clone() }).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(next(&world, Some(second.organization_id), at(10)).await, Some(third.inbox_id.clone()));
    let mut tx = world.begin().await;
    tx.inboxes().update(&Inbox { retention_days: None, ..third.clone() }).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(next(&world, Some(second.organization_id), at(7_200_000)).await, None);
}

#[tokio::test]
async fn locked_inbox_is_skipped() {
    let world = world().await;
    expiring_inbox(&world, 2, "b@agents.example").await;
    let mut first = world.begin().await;
    assert!(first.inboxes().lock_expiring(None, at(0)).await.unwrap().is_some());
    assert_eq!(next(&world, None, at(0)).await, None);
}

#[tokio::test]
async fn expired_messages_come_oldest_first_whatever_their_labels() {
    let world = world().await;
    for number in 1..=5 {
        let mut mail = world.mail(number);
        if number % 2 == 0 {
            mail.message.item.labels.extend(&["trash"].into_iter().collect());
        }
        world.deliver(&mail).await;
    }
    let mut tx = world.begin().await;
    let mut expired = async |before, limit| {
        let found = tx.messages().expired(world.organization_id(), world.inbox_id(), before, limit).await.unwrap();
        found.into_iter().map(|item| item.message_id).collect::<Vec<_>>()
    };
    let ids = |numbers: &[i64]| numbers.iter().map(|number| message_id(&number.to_string())).collect::<Vec<_>>();
    assert_eq!(expired(at(5), 10).await, ids(&[1, 2, 3, 4]));
    assert_eq!(expired(at(5), 3).await, ids(&[1, 2, 3]));
    assert_eq!(expired(at(1), 10).await, ids(&[]));
}
