use inboxd_core::model::metrics::{EventCount, TimeSpan, UsageSample, UsageTotals};
use inboxd_core::model::{Domain, Event, EventBody, EventType, Inbox, OrganizationId, Pod, PodId, Scope, UsageChange};
use inboxd_core::ports::{EventCountQuery, EventCounts, MetricReads, Sampling, StoreError};
use inboxd_testkit::eventually;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domains::domain;
use crate::support::*;
use crate::walks::rows_read;

/// Start of the minute that contains [`at`].
fn minute(number: i64) -> OffsetDateTime {
    at(0) - Duration::seconds(at(0).unix_timestamp() % 60) + Duration::minutes(number)
}

fn event(inbox: &Inbox, number: u128, event_type: EventType, created_at: OffsetDateTime) -> Event {
    Event {
        event_id: Uuid::from_u128(number).into(),
        event_type,
        organization_id: inbox.organization_id,
        pod_id: Some(inbox.pod_id),
        inbox_id: Some(inbox.inbox_id.clone()),
        thread_id: Some(thread_id(1)),
        message_id: Some(message_id("1")),
        body: EventBody::Received { verdict: None },
        created_at,
        traceparent: None,
    }
}

async fn append(world: &World, events: &[Event]) {
    let mut tx = world.begin().await;
    tx.events().append(events).await.unwrap();
    tx.commit().await.unwrap();
}

fn query(world: &World, scope: Scope, period: i64) -> EventCountQuery {
    EventCountQuery {
        organization_id: world.organization_id(),
        scope,
        event_types: vec![],
        span: TimeSpan { start: minute(0), end: minute(60), period },
        most: 1000,
    }
}

async fn count(world: &World, query: &EventCountQuery) -> EventCounts {
    world.store.count_events(query).await.unwrap()
}

fn buckets(counted: EventCounts) -> Vec<(EventType, OffsetDateTime, u64)> {
    assert!(!counted.is_cut);
    counted
        .buckets
        .into_iter()
        .map(|EventCount { event_type, timestamp, count }| (event_type, timestamp, count))
        .collect()
}

/// Inserts a pod with an inbox, in addition to the default pod.
async fn second_inbox(world: &World) -> Inbox {
    let pod_id: PodId = Uuid::from_u128(77).into();
    let pod = Pod {
        organization_id: world.organization_id(),
        pod_id,
        name: "Second".to_owned(),
        client_id: None,
        quarantine: None,
        created_at: at(0),
        updated_at: at(0),
    };
    let mut tx = world.begin().await;
    tx.accounts().insert_pod(&pod).await.unwrap();
    tx.commit().await.unwrap();
    let inbox = Inbox { pod_id, ..inbox(&world.organization, "second@agents.example") };
    add_inbox(&world.store, &inbox).await;
    inbox
}

#[tokio::test]
async fn events_are_counted_by_type_and_bucket_within_scope() {
    use EventType::{MessageReceived, MessageSent};
    let world = world().await;
    let second = second_inbox(&world).await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let foreign = inbox(&other, "foreign@agents.example");
    let just_before = Duration::milliseconds(-1);
    let events = [
        event(&world.inbox, 1, MessageReceived, minute(0) + just_before),
        event(&world.inbox, 2, MessageReceived, minute(0)),
        event(&world.inbox, 3, MessageReceived, minute(1) + just_before),
        event(&world.inbox, 4, MessageReceived, minute(1)),
        event(&world.inbox, 5, MessageSent, minute(1)),
        event(&second, 6, MessageReceived, minute(1)),
        event(&second, 7, MessageSent, minute(60) + just_before),
        event(&second, 8, MessageSent, minute(60)),
        event(&foreign, 9, MessageSent, minute(1)),
    ];
    append(&world, &events).await;
    let whole = query(&world, Scope::Organization, 60);
    let expected = [
        (MessageReceived, minute(0), 2),
        (MessageReceived, minute(1), 2),
        (MessageSent, minute(1), 1),
        (MessageSent, minute(59), 1),
    ];
    assert_eq!(buckets(count(&world, &whole).await), expected);
    let sent = EventCountQuery { event_types: vec![MessageSent], ..whole.clone() };
    assert_eq!(buckets(count(&world, &sent).await), expected[2..]);
    let of_pod = [(MessageReceived, minute(1), 1), (MessageSent, minute(59), 1)];
    assert_eq!(buckets(count(&world, &query(&world, Scope::Pod(second.pod_id), 60)).await), of_pod);
    assert_eq!(buckets(count(&world, &query(&world, Scope::Inbox(second.inbox_id), 60)).await), of_pod);
    // Buckets start at whole multiples of their length since 1970.
    let by_day = buckets(count(&world, &query(&world, Scope::Organization, 86_400)).await);
    assert!(by_day.iter().all(|(_, begins, _)| begins.unix_timestamp() % 86_400 == 0), "{by_day:?}");
    assert_eq!(by_day.iter().map(|(_, _, count)| count).sum::<u64>(), 6);
}

#[tokio::test]
async fn event_scan_is_limited() {
    let world = world().await;
    let events: Vec<Event> =
        (0..10).map(|number| event(&world.inbox, number, EventType::MessageSent, minute(1))).collect();
    append(&world, &events).await;
    for (most, is_cut) in [(11, false), (10, false), (9, true)] {
        let inbox = Scope::Inbox(world.inbox_id().clone());
        for scope in [Scope::Organization, Scope::Pod(world.inbox.pod_id), inbox] {
            // Filtered events count against the limit too.
            let query =
                EventCountQuery { most, event_types: vec![EventType::MessageBounced], ..query(&world, scope, 60) };
            assert_eq!(count(&world, &query).await, EventCounts { is_cut, buckets: vec![] });
        }
    }
}

/// Inserts 20,000 events, one a second; each minute of a window has 60. Plans are generic, as for frequent statements.
const LOAD: &str = "
    INSERT INTO events SELECT i.organization_id, '2026-11-18 11:00Z'::timestamptz + n * interval '1 s',
        gen_random_uuid(), 'message.sent', i.pod_id, i.inbox_id, gen_random_uuid(), 'm', '{}'
    FROM inboxes i, generate_series(1, 20000) n;
    DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET plan_cache_mode = force_generic_plan', current_database());
    END $$;
";

/// Requires that index entries but no rows of the events table were read.
const NO_ROW_OF_THE_TABLE: &str = "
    DO $$ DECLARE found bigint; BEGIN
        SELECT seq_tup_read + idx_tup_fetch INTO found FROM pg_stat_user_tables WHERE relname = 'events';
        ASSERT found = 0, format('%s rows of the table were read', found);
    END $$
";

#[tokio::test]
async fn count_reads_only_index_entries_of_window() {
    let world = world().await;
    world.database.execute(LOAD).await;
    world.database.execute("VACUUM ANALYZE events").await;
    let inbox = Scope::Inbox(world.inbox_id().clone());
    for scope in [Scope::Organization, Scope::Pod(world.inbox.pod_id), inbox] {
        for (minutes, period, most, counted) in [(10, 60, 1000, 600), (10, 3600, 1000, 600), (300, 60, 1000, 1001)] {
            let span = TimeSpan { start: minute(60), end: minute(60 + minutes), period };
            let query = EventCountQuery { span, most, ..query(&world, scope.clone(), period) };
            let read = rows_read(&world, async |store| {
                let found = store.count_events(&query).await.unwrap();
                assert_eq!(found.is_cut, counted > most, "{query:?}");
                assert_eq!(found.buckets.iter().map(|bucket| bucket.count).sum::<u64>(), counted);
            });
            let read = read.await;
            // One more entry may be read at the end of a bucket.
            assert!(read <= i64::try_from(counted).unwrap() + minutes, "{read} entries were read: {query:?}");
            world.database.execute(NO_ROW_OF_THE_TABLE).await;
        }
    }
}

async fn use_some(world: &World, inbox: &Inbox, storage_bytes: i64) {
    let mut tx = world.begin().await;
    let change = UsageChange { storage_bytes, messages: 2, threads: 1 };
    tx.usage().change(&[(inbox.organization_id, inbox.inbox_id.clone(), change)]).await.unwrap();
    tx.commit().await.unwrap();
}

async fn sample(world: &World, hour: i64, limit: u32) -> Vec<OrganizationId> {
    let taken_at = minute(60 * hour) + Duration::minutes(1);
    let mut sampled = Vec::new();
    loop {
        let sampling = Sampling {
            hour: minute(60 * hour),
            taken_at,
            unchanged_since: taken_at - Duration::days(7),
            kept_since: taken_at - Duration::days(98),
            after: sampled.last().copied(),
            limit,
        };
        let mut tx = world.begin().await;
        let last = tx.usage().sample(&sampling).await.unwrap();
        tx.commit().await.unwrap();
        match last {
            Some(last) => sampled.push(last),
            None => return sampled,
        }
    }
}

async fn samples(world: &World, scope: &Scope, from: i64, to: i64) -> Vec<(i64, UsageTotals)> {
    let span = TimeSpan { start: minute(60 * from), end: minute(60 * to), period: 3600 };
    let found: Vec<UsageSample> = world.store.usage_samples(world.organization_id(), scope, &span).await.unwrap();
    found.into_iter().map(|sample| ((sample.taken_at - minute(0)).whole_hours(), sample.totals)).collect()
}

fn totals(storage_bytes: u64, counts: [u64; 4]) -> UsageTotals {
    let [message_count, thread_count, inbox_count, pod_count] = counts;
    UsageTotals { storage_bytes, message_count, thread_count, inbox_count, pod_count, domain_count: 0 }
}

#[tokio::test]
async fn usage_covers_existing_inboxes_of_scope_now_and_by_sample() {
    let world = world().await;
    let second = second_inbox(&world).await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    use_some(&world, &world.inbox, 100).await;
    use_some(&world, &second, 10).await;
    let first_pod = Scope::Pod(world.inbox.pod_id);
    let second_pod = Scope::Pod(second.pod_id);
    let inbox = Scope::Inbox(second.inbox_id.clone());
    let id = world.organization_id();
    assert_eq!(sample(&world, 0, 1).await, [id, other.organization_id]);
    let whole = totals(110, [4, 2, 2, 2]);
    assert_eq!(world.store.usage_totals(id, &Scope::Organization).await.unwrap(), whole);
    assert_eq!(samples(&world, &Scope::Organization, 0, 1).await, [(0, whole)]);
    assert_eq!(samples(&world, &first_pod, 0, 1).await, [(0, totals(100, [2, 1, 1, 0]))]);
    assert_eq!(samples(&world, &second_pod, 0, 1).await, [(0, totals(10, [2, 1, 1, 0]))]);
    assert_eq!(samples(&world, &inbox, 0, 1).await, [(0, totals(10, [2, 1, 0, 0]))]);
    let now = world.store.usage_totals(id, &second_pod).await.unwrap();
    assert_eq!((now.storage_bytes, now.message_count, now.thread_count, now.inbox_count), (10, 2, 1, 1));
    let now = world.store.usage_totals(id, &inbox).await.unwrap();
    assert_eq!((now.storage_bytes, now.message_count, now.thread_count), (10, 2, 1));
    assert_eq!(
        world.store.usage_totals(other.organization_id, &Scope::Organization).await.unwrap(),
        totals(0, [0, 0, 0, 1])
    );

    delete_inbox(&world.store, &second).await;
    sample(&world, 1, 10).await;
    let left = totals(100, [2, 1, 1, 2]);
    assert_eq!(world.store.usage_totals(id, &Scope::Organization).await.unwrap(), left);
    assert_eq!(samples(&world, &Scope::Organization, 0, 2).await, [(0, whole), (1, left)]);
    assert_eq!(samples(&world, &second_pod, 0, 2).await[1], (1, totals(0, [0, 0, 0, 0])));
    assert_eq!(samples(&world, &inbox, 0, 2).await.len(), 1, "a deleted inbox has no usage");
}

#[tokio::test]
async fn custom_domains_are_counted_by_organization_and_pod() {
    let world = world().await;
    let second = second_inbox(&world).await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let of_pod = Domain { pod_id: Some(second.pod_id), ..domain(&world.organization, 2, "b.example") };
    let gone = Domain { pod_id: Some(second.pod_id), ..domain(&world.organization, 3, "c.example") };
    let mut tx = world.begin().await;
    for domain in [&domain(&world.organization, 1, "a.example"), &of_pod, &gone, &domain(&other, 4, "d.example")] {
        tx.domains().insert(domain, b"sealed").await.unwrap();
    }
    tx.domains().delete(&gone, at(1)).await.unwrap();
    tx.commit().await.unwrap();
    sample(&world, 0, 10).await;
    for (scope, count) in
        [(Scope::Organization, 2), (Scope::Pod(second.pod_id), 1), (Scope::Pod(world.inbox.pod_id), 0)]
    {
        let now = world.store.usage_totals(world.organization_id(), &scope).await.unwrap();
        assert_eq!(now.domain_count, count, "{scope:?}");
        assert_eq!(samples(&world, &scope, 0, 1).await[0].1.domain_count, count, "{scope:?}");
    }
}

#[tokio::test]
async fn hour_has_one_sample_and_unchanged_usage_one_a_week() {
    let world = world().await;
    let scope = Scope::Inbox(world.inbox_id().clone());
    let day = 24;
    sample(&world, 0, 10).await;
    use_some(&world, &world.inbox, 100).await;
    sample(&world, 0, 10).await;
    assert_eq!(samples(&world, &scope, 0, 1).await, [(0, totals(0, [0; 4]))], "the first sample of an hour counts");
    for hour in [1, 2, 3, 7 * day + 2] {
        sample(&world, hour, 10).await;
    }
    let used = totals(100, [2, 1, 0, 0]);
    let all = [(0, totals(0, [0; 4])), (1, used), (7 * day + 2, used)];
    assert_eq!(samples(&world, &scope, 0, 10 * day).await, all);
    // A window includes the last sample before its start.
    assert_eq!(samples(&world, &scope, 3, 4).await.last(), Some(&all[1]));
    assert_eq!(samples(&world, &scope, 1, 2).await, all[..2], "the sample of an hour follows its start");
    // Old samples are purged when a newer one exists.
    sample(&world, 99 * day, 10).await;
    assert_eq!(samples(&world, &scope, 0, 100 * day).await, [(7 * day + 2, used), (99 * day, used)]);
}

#[tokio::test]
async fn concurrent_processes_sample_once() {
    let world = world().await;
    let sampling = Sampling {
        hour: minute(0),
        taken_at: minute(1),
        unchanged_since: minute(0),
        kept_since: minute(0) - Duration::days(98),
        after: None,
        limit: 10,
    };
    let (mut one, mut two) = (world.begin().await, world.begin().await);
    one.usage().sample(&sampling).await.unwrap();
    let (store, late) = (world.store.clone(), Sampling { taken_at: minute(2), ..sampling });
    let second = tokio::spawn(async move {
        two.usage().sample(&late).await?;
        two.commit().await?;
        Ok::<_, StoreError>(store)
    });
    let waits = "DO $$ BEGIN ASSERT EXISTS (SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'); END $$";
    eventually("the second waits for the first", async || world.database.try_execute(waits).await.ok()).await;
    one.commit().await.unwrap();
    second.await.unwrap().unwrap();
    assert_eq!(samples(&world, &Scope::Organization, 0, 1).await.len(), 1);
}

#[tokio::test]
async fn samples_are_deleted_with_inbox_and_pod() {
    let world = world().await;
    let second = second_inbox(&world).await;
    sample(&world, 0, 10).await;
    delete_inbox(&world.store, &second).await;
    let mut tx = world.begin().await;
    tx.inboxes().purge_deleted(10).await.unwrap();
    tx.pods().delete(world.organization_id(), second.pod_id, at(1)).await.unwrap();
    tx.commit().await.unwrap();
    for scope in [Scope::Inbox(second.inbox_id), Scope::Pod(second.pod_id)] {
        assert_eq!(samples(&world, &scope, 0, 1).await, []);
    }
    assert_eq!(samples(&world, &Scope::Organization, 0, 1).await.len(), 1);
}

#[tokio::test]
async fn samples_written_during_scope_deletion_are_purged_when_old() {
    let world = world().await;
    let second = second_inbox(&world).await;
    sample(&world, 0, 10).await;
    // As if written immediately after the deletion removed the existing samples.
    let inbox = format!("UPDATE inboxes SET deleted_at = now() WHERE inbox_id = '{}'", second.inbox_id);
    let pod = format!("UPDATE pods SET deleted_at = now() WHERE pod_id = '{}'", second.pod_id.0);
    world.database.execute(&format!("{inbox}; {pod}")).await;
    let left = async || {
        let (inbox, pod) = (Scope::Inbox(second.inbox_id.clone()), Scope::Pod(second.pod_id));
        (samples(&world, &inbox, 0, 1).await.len(), samples(&world, &pod, 0, 1).await.len())
    };
    sample(&world, 24, 10).await;
    assert_eq!(left().await, (1, 1));
    sample(&world, 99 * 24, 10).await;
    assert_eq!(left().await, (0, 0));
}
