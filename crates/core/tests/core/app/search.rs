use inboxd_core::Error;
use inboxd_core::app::search::{inboxes_to_index, index_some, merge_some};
use inboxd_core::ports::{IndexedInbox, StoreError};
use inboxd_core::testing::fixtures::{self, NOW};
use inboxd_core::testing::{Captured, World};
use time::OffsetDateTime;
use uuid::Uuid;

fn indexed() -> IndexedInbox {
    let inbox = fixtures::inbox();
    IndexedInbox { organization_id: inbox.organization_id, inbox_id: inbox.inbox_id }
}

/// Returns the time in an id, in seconds.
fn made_at(id: Uuid) -> OffsetDateTime {
    let (seconds, _) = id.get_timestamp().unwrap().to_unix();
    OffsetDateTime::from_unix_timestamp(i64::try_from(seconds).unwrap()).unwrap()
}

#[tokio::test]
async fn segment_ids_are_unique_and_contain_time() {
    let mut world = World::default();
    let ids = Captured::default();
    let (flushed, merged) = (ids.clone(), ids.clone());
    world.store.expect_index_some().times(1).returning(move |inbox, segment_id| {
        assert_eq!(*inbox, indexed());
        flushed.push(segment_id);
        Ok(true)
    });
    world.store.expect_merge_some().times(1).returning(move |inbox, segment_id, rest| {
        assert_eq!((inbox.clone(), rest), (indexed(), 3));
        merged.push(segment_id);
        Ok(false)
    });
    let app = world.app();
    assert!(index_some(&app, &indexed()).await.unwrap());
    assert!(!merge_some(&app, &indexed(), 3).await.unwrap());
    let ids = ids.all();
    assert_ne!(ids[0], ids[1]);
    assert!(ids.into_iter().all(|id| made_at(id) == NOW.replace_nanosecond(0).unwrap()));
}

#[tokio::test]
async fn storage_failure_is_returned() {
    let mut world = World::default();
    let outage = || StoreError::Unavailable("away".to_owned());
    world.store.expect_index_some().returning(move |_, _| Err(outage()));
    world.store.expect_merge_some().returning(move |_, _, _| Err(outage()));
    world.store.expect_inboxes_to_index().returning(move |_, _| Err(outage()));
    let app = world.app();
    let said = [
        index_some(&app, &indexed()).await.map(drop),
        merge_some(&app, &indexed(), 0).await.map(drop),
        inboxes_to_index(&app, None, 1).await.map(drop),
    ];
    for said in said {
        assert!(matches!(&said, Err(Error::Store(error)) if *error == outage()), "{said:?}");
    }
}
