use inboxd_core::app::metrics::{Cut, EventSeries, UsageSeries, events, hour_of, sample_usage, usage};
use inboxd_core::model::metrics::{EventCount, UsageSample, UsageTotals, UsageType};
use inboxd_core::model::permissions::MetricsRead;
use inboxd_core::model::{Caller, Direction, EventType, InboxId, Permission, PodId, Reach, Scope};
use inboxd_core::ports::{EventCountQuery, EventCounts, Sampling};
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::rules::metrics::MetricWindow;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::testing::{Captured, World};
use inboxd_core::{Error, Resource};
use time::Duration;
use time::macros::datetime;

use super::{paths, permissions, world};

/// The part that a caller names.
#[derive(Clone, Default)]
struct Within {
    pod_id: Option<PodId>,
    inbox_id: Option<InboxId>,
}

impl Within {
    fn authorize(self, caller: &Caller) -> Result<AuthorizedCaller<MetricsRead>, Error> {
        match (self.pod_id, self.inbox_id) {
            (Some(pod_id), Some(inbox_id)) => AuthorizedCaller::in_pod(caller.clone(), pod_id, inbox_id),
            (Some(pod_id), None) => AuthorizedCaller::new(caller.clone(), Scope::Pod(pod_id)),
            (None, Some(inbox_id)) => AuthorizedCaller::new(caller.clone(), Scope::Inbox(inbox_id)),
            (None, None) => AuthorizedCaller::new(caller.clone(), Scope::Organization),
        }
    }
}

/// An environment with the fixture pod and these counted events.
fn counting(counts: EventCounts) -> (World, Captured<EventCountQuery>) {
    let mut world = world();
    world.store.expect_pod().returning(|organization_id, pod_id| {
        let pod = inboxd_core::model::Pod {
            organization_id,
            pod_id,
            name: "Pod".to_owned(),
            client_id: None,
            quarantine: None,
            created_at: NOW,
            updated_at: NOW,
        };
        Ok(Some(pod).filter(|pod| pod.pod_id == id(2) || pod.pod_id == id(3)))
    });
    let asked = Captured::default();
    let seen = asked.clone();
    world.store.expect_count_events().times(..=1).returning(move |query| {
        seen.push(query.clone());
        Ok(counts.clone())
    });
    (world, asked)
}

async fn counted(
    world: World,
    caller: &Caller,
    within: &Within,
    names: &[&str],
    cut: Cut,
) -> Result<EventSeries, Error> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    events(&world.app(), &within.clone().authorize(caller)?, &names, MetricWindow::default(), cut).await
}

fn bucket(event_type: EventType, hour: i64, count: u64) -> EventCount {
    EventCount { event_type, timestamp: NOW - Duration::hours(hour), count }
}

#[tokio::test]
async fn event_counts_are_limited_to_scope_and_filter() {
    let own = fixtures::inbox().inbox_id;
    let pod_caller = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    let pod = |number| Within { pod_id: Some(id(number)), inbox_id: None };
    let inbox = Within { pod_id: None, inbox_id: Some(own.clone()) };
    let both = Within { pod_id: Some(id(2)), inbox_id: Some(own.clone()) };
    let other = inbox_id("other@inboxd.example");
    let member_of = |inboxes: &[&InboxId]| Caller {
        reach: Reach::Inboxes(inboxes.iter().copied().cloned().collect()),
        ..fixtures::calling(&fixtures::member())
    };
    let table = [
        (fixtures::caller(), Within::default(), Scope::Organization),
        (fixtures::calling(&fixtures::member()), Within::default(), Scope::Organization),
        (member_of(&[&own]), Within::default(), Scope::Inbox(own.clone())),
        (member_of(&[&own, &other]), inbox.clone(), Scope::Inbox(own.clone())),
        (fixtures::caller(), pod(3), Scope::Pod(id(3))),
        (fixtures::caller(), inbox.clone(), Scope::Inbox(own.clone())),
        (fixtures::caller(), both.clone(), Scope::Inbox(own.clone())),
        (pod_caller.clone(), Within::default(), Scope::Pod(id(2))),
        (pod_caller, both.clone(), Scope::Inbox(own.clone())),
        (member_of(&[&own, &other]), both.clone(), Scope::Inbox(own.clone())),
        (fixtures::inbox_caller(), both, Scope::Inbox(own.clone())),
        (fixtures::inbox_caller(), Within::default(), Scope::Inbox(own.clone())),
        (fixtures::inbox_caller(), inbox, Scope::Inbox(own)),
    ];
    for (caller, within, scope) in table {
        let (world, asked) = counting(EventCounts::default());
        counted(world, &caller, &within, &["message.sent"], Cut::default()).await.unwrap();
        let query = asked.only();
        assert_eq!((query.organization_id, query.scope), (id(1), scope));
        assert_eq!(query.event_types, [EventType::MessageSent]);
    }
}

#[tokio::test]
async fn metrics_outside_scope_are_refused_and_missing_resources_not_found() {
    let other = || Within { pod_id: None, inbox_id: Some(inbox_id("other@inboxd.example")) };
    let pod = |number| Within { pod_id: Some(id(number)), inbox_id: None };
    let elsewhere = Caller { reach: Reach::Pod(id(99)), ..fixtures::caller() };
    let mute = Caller { permissions: permissions(&["event_read"]), ..fixtures::caller() };
    let member_of = |inboxes: &[&str]| Caller {
        reach: Reach::Inboxes(inboxes.iter().map(|name| inbox_id(name)).collect()),
        ..fixtures::calling(&fixtures::member())
    };
    let refused = async |caller: Caller, within: Within| {
        let (world, _) = counting(EventCounts::default());
        counted(world, &caller, &within, &[], Cut::default()).await.unwrap_err()
    };
    assert!(matches!(refused(fixtures::inbox_caller(), other()).await, Error::InboxOutOfScope { .. }));
    assert!(matches!(refused(fixtures::inbox_caller(), pod(2)).await, Error::InboxOutOfScope { .. }));
    assert!(matches!(refused(elsewhere.clone(), pod(2)).await, Error::PodOutOfScope));
    let named = |number, inbox: &str| Within { pod_id: Some(id(number)), inbox_id: Some(inbox_id(inbox)) };
    let scout = "scout@inboxd.example";
    assert!(matches!(refused(elsewhere.clone(), named(2, scout)).await, Error::PodOutOfScope));
    let limited = member_of(&[scout, "third@inboxd.example"]);
    for caller in [limited.clone(), fixtures::inbox_caller()] {
        // Its own inbox, but in another pod.
        let error = refused(caller, named(3, scout)).await;
        assert!(matches!(error, Error::NotFound { resource: Resource::Inbox, .. }), "{error:?}");
    }
    assert!(matches!(refused(limited, named(2, "other@inboxd.example")).await, Error::NotTheirInbox { .. }));
    let own = Within { pod_id: None, inbox_id: Some(fixtures::inbox().inbox_id) };
    assert!(matches!(refused(elsewhere, own.clone()).await, Error::PodOutOfScope));
    let theirs = member_of(&["third@inboxd.example", "fourth@inboxd.example"]);
    assert!(matches!(refused(theirs.clone(), own.clone()).await, Error::NotTheirInbox { .. }));
    assert!(matches!(refused(theirs.clone(), pod(2)).await, Error::NotTheirInbox { .. }));
    assert!(matches!(refused(theirs, Within::default()).await, Error::InboxIdRequired { .. }));
    assert!(matches!(refused(mute, own).await, Error::MissingPermission(Permission::MetricsRead)));
    for (within, resource) in [
        (other(), Resource::Inbox),
        (pod(7), Resource::Pod),
        // The inbox exists in another pod.
        (Within { pod_id: Some(id(3)), inbox_id: Some(fixtures::inbox().inbox_id) }, Resource::Inbox),
    ] {
        let error = refused(fixtures::caller(), within).await;
        assert!(matches!(error, Error::NotFound { resource: found, .. } if found == resource), "{error:?}");
    }
}

#[tokio::test]
async fn unknown_event_types_and_label_events_are_refused() {
    for unknown in ["message.eaten", "label.added"] {
        let (world, _) = counting(EventCounts::default());
        let (caller, names) = (fixtures::caller(), ["message.sent", unknown]);
        let refused = counted(world, &caller, &Within::default(), &names, Cut::default()).await;
        assert!(matches!(refused, Err(Error::UnknownEventType(name)) if name == unknown));
    }
}

#[tokio::test]
async fn buckets_are_ordered_and_limited_by_request() {
    use EventType::{MessageReceived, MessageSent};
    let buckets = vec![
        bucket(MessageReceived, 3, 1),
        bucket(MessageReceived, 2, 2),
        bucket(MessageReceived, 1, 3),
        bucket(MessageSent, 2, 4),
    ];
    let table = [
        (None, Direction::Ascending, vec![1, 2, 3]),
        (Some(2), Direction::Ascending, vec![1, 2]),
        (Some(2), Direction::Descending, vec![3, 2]),
    ];
    for (limit, direction, expected) in table {
        let (world, _) = counting(EventCounts { is_cut: false, buckets: buckets.clone() });
        let cut = Cut { limit, direction };
        let series = counted(world, &fixtures::caller(), &Within::default(), &[], cut).await.unwrap();
        let counts = |kind: EventType| series[&kind].iter().map(|bucket| bucket.count).collect::<Vec<_>>();
        assert_eq!((counts(MessageReceived), counts(MessageSent)), (expected, vec![4]));
        assert_eq!(series.len(), 2);
    }
}

#[tokio::test]
async fn uncountable_number_of_events_is_too_wide_range() {
    let (world, _) = counting(EventCounts { is_cut: true, buckets: vec![bucket(EventType::MessageSent, 1, 1)] });
    let refused = counted(world, &fixtures::caller(), &Within::default(), &[], Cut::default()).await;
    assert!(matches!(refused, Err(Error::QueryRangeTooWide(_))));
}

async fn drawn(within: Within, names: &[&str], cut: Cut) -> Result<UsageSeries, Error> {
    let (mut world, _) = counting(EventCounts::default());
    let totals = |number| UsageTotals {
        storage_bytes: number,
        message_count: number + 1,
        thread_count: number + 2,
        inbox_count: number + 3,
        pod_count: number + 4,
        domain_count: number + 5,
    };
    world
        .store
        .expect_usage_samples()
        .times(..=1)
        .returning(move |_, _, _| Ok(vec![UsageSample { taken_at: NOW - Duration::minutes(90), totals: totals(10) }]));
    world.store.expect_usage_totals().times(..=1).returning(move |_, _| Ok(totals(20)));
    world.clock.advance(Duration::minutes(30));
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    usage(&world.app(), &within.authorize(&fixtures::caller())?, &names, MetricWindow::default(), cut).await
}

#[tokio::test]
async fn usage_history_combines_samples_and_present() {
    let series = drawn(Within::default(), &[], Cut::default()).await.unwrap();
    assert_eq!(series.keys().copied().collect::<Vec<_>>(), UsageType::ALL);
    let now = NOW + Duration::minutes(30);
    assert_eq!(series[&UsageType::StorageBytes], [(NOW - Duration::HOUR, 10), (NOW, 10), (now, 20)]);
    assert_eq!(series[&UsageType::DomainCount], [(NOW - Duration::HOUR, 15), (NOW, 15), (now, 25)]);
    let newest = Cut { limit: Some(1), direction: Direction::Descending };
    let series = drawn(Within::default(), &["pod_count"], newest).await.unwrap();
    assert_eq!(series, UsageSeries::from([(UsageType::PodCount, vec![(now, 24)])]));
}

#[tokio::test]
async fn usage_of_inbox_and_pod_omits_outer_measures() {
    let inbox = Within { pod_id: None, inbox_id: Some(fixtures::inbox().inbox_id) };
    let pod = Within { pod_id: Some(id(2)), inbox_id: None };
    let names = async |within: Within, names: &[&str]| {
        drawn(within, names, Cut::default()).await.unwrap().keys().map(|kind| kind.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(names(inbox.clone(), &[]).await, ["storage_bytes", "message_count", "thread_count"]);
    let of_pod = ["storage_bytes", "message_count", "thread_count", "inbox_count", "domain_count"];
    assert_eq!(names(pod, &[]).await, of_pod);
    assert_eq!(names(inbox, &["inbox_count", "thread_count"]).await, ["thread_count"]);
    let refused = drawn(Within::default(), &["inbox_count", "bytes"], Cut::default()).await;
    assert_eq!(paths(refused.unwrap_err()), ["usage_types"]);
}

#[tokio::test]
async fn usage_is_sampled_hourly_and_retained_beyond_maximum_window() {
    let mut world = world();
    world.clock.advance(Duration::minutes(37));
    let asked = Captured::<Sampling>::default();
    let seen = asked.clone();
    world.unit_of_work().usage.expect_sample().once().returning(move |sampling| {
        seen.push(sampling.clone());
        Ok(Some(id(7)))
    });
    let journal = world.journal.clone();
    assert_eq!(sample_usage(&world.app(), Some(id(5))).await.unwrap(), Some(id(7)));
    let sampling = asked.only();
    assert_eq!((sampling.hour, sampling.taken_at), (NOW, NOW + Duration::minutes(37)));
    assert_eq!(sampling.after, Some(id(5)));
    assert!(sampling.kept_since < sampling.unchanged_since - Duration::days(90));
    assert_eq!(journal.commits(), 1);
    assert_eq!(hour_of(datetime!(1969-12-31 23:59:59.5 UTC)), datetime!(1969-12-31 23:00 UTC));
}
