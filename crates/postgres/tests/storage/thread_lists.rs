use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{Actor, HidingLabels, Inbox, InboxId, Scope, Thread};
use inboxd_core::ports::{AssigneeFilter, ThreadQuery, ThreadReads};
use uuid::Uuid;

use crate::support::*;

fn number(thread: &Thread) -> String {
    thread.thread_id.0.as_u128().to_string()
}

/// Reads all pages of a list.
async fn list(world: &World, mut query: ThreadQuery) -> String {
    let mut seen = Vec::new();
    loop {
        let found = world.store.list_threads(&query).await.unwrap();
        seen.extend(found.items.iter().map(number));
        let Some(next) = found.next else { break };
        query.page.after = Some(next);
    }
    seen.join(" ")
}

#[tokio::test]
async fn thread_pages_handle_equal_times_in_both_directions() {
    let world = world().await;
    for number in 1..=7 {
        let mut mail = world.mail(number);
        mail.message.item.timestamp = at(number / 4);
        world.deliver(&mail).await;
    }
    for (direction, wanted) in [(Direction::Descending, "7 6 5 4 3 2 1"), (Direction::Ascending, "1 2 3 4 5 6 7")] {
        for limit in [1, 2, 3, 7, 8] {
            for labels in [vec![], strings(&["unread"])] {
                let page = PageRequest { limit, after: None, direction };
                assert_eq!(list(&world, ThreadQuery { labels, page, ..world.threads() }).await, wanted);
            }
        }
    }
}

#[tokio::test]
async fn new_mail_moves_thread_to_start_of_lists() {
    let world = world().await;
    for number in 1..=3 {
        world.deliver(&world.mail(number)).await;
    }
    let mut answer = world.labelled(4, &["received", "invoice"]);
    answer.message.item.thread_id = thread_id(1);
    world.deliver(&answer).await;
    assert_eq!(list(&world, world.threads()).await, "1 3 2");
    assert_eq!(list(&world, ThreadQuery { labels: strings(&["unread"]), ..world.threads() }).await, "1 3 2");
    assert_eq!(list(&world, ThreadQuery { labels: strings(&["invoice"]), ..world.threads() }).await, "1");
    assert_eq!(list(&world, ThreadQuery { labels: strings(&["invoice", "unread"]), ..world.threads() }).await, "1");
    assert_eq!(list(&world, ThreadQuery { before: Some(at(3)), ..world.threads() }).await, "2");
    let labelled = ThreadQuery { labels: strings(&["unread"]), after: Some(at(2)), ..world.threads() };
    assert_eq!(list(&world, labelled).await, "1 3");
}

#[tokio::test]
async fn threads_of_hidden_messages_are_listed_when_included() {
    let world = world().await;
    world.deliver(&world.labelled(1, &["received"])).await;
    world.deliver(&world.labelled(2, &["received", "spam"])).await;
    world.deliver(&world.labelled(3, &["received", "spam", "trash"])).await;
    let mut mixed = world.labelled(4, &["received", "spam"]);
    mixed.message.item.thread_id = thread_id(1);
    world.deliver(&mixed).await;
    let hidden = |label: &str| HidingLabels::of(&[label].into_iter().collect());
    let show = async |included: HidingLabels, labels: &[&str]| {
        list(&world, ThreadQuery { included, labels: strings(labels), ..world.threads() }).await
    };
    assert_eq!(show(HidingLabels::NONE, &[]).await, "1");
    assert_eq!(show(HidingLabels::NONE, &["spam"]).await, "1");
    assert_eq!(show(hidden("trash"), &[]).await, "1");
    assert_eq!(show(hidden("spam"), &["received"]).await, "2 1");
    assert_eq!(show(HidingLabels::ALL, &[]).await, "3 2 1");
}

#[tokio::test]
async fn unread_threads_are_counted_up_to_limit() {
    let world = world().await;
    for number in 1..=3 {
        world.deliver(&world.labelled(number, &["received", "unread"])).await;
    }
    let mut answer = world.labelled(4, &["received", "unread"]);
    answer.message.item.thread_id = thread_id(1);
    world.deliver(&answer).await;
    world.deliver(&world.labelled(5, &["received"])).await;
    world.deliver(&world.labelled(6, &["received", "unread", "spam"])).await;
    let own = world.inbox.inbox_id.clone();
    let none = InboxId::stored("none@inboxd.example".to_owned());
    let count = async |organization_id, limit| {
        world.store.unread_threads(organization_id, &[none.clone(), own.clone()], limit).await.unwrap()
    };
    assert_eq!(count(world.organization_id(), 100).await, [0, 3]);
    assert_eq!(count(world.organization_id(), 2).await, [0, 2]);
    assert_eq!(count(Uuid::from_u128(99).into(), 100).await, [0, 0]);
}

#[tokio::test]
async fn filters_match_every_substring() {
    let world = world().await;
    let mut first = world.mail(1);
    first.message.item.from = "ÄNNE <a@example.org>".to_owned();
    first.message.item.cc = strings(&["Carl <c@example.net>"]);
    first.message.item.subject = Some("Die ÜBERSICHT".to_owned());
    let mut answer = world.mail(2);
    answer.message.item.thread_id = thread_id(1);
    answer.message.item.from = "Bob <b@example.org>".to_owned();
    let mut third = world.mail(3);
    third.message.item.subject = None;
    for mail in [&first, &answer, &third] {
        world.deliver(mail).await;
    }
    let senders =
        async |wanted: &[&str]| list(&world, ThreadQuery { senders: strings(wanted), ..world.threads() }).await;
    assert_eq!(senders(&["änne", "bob"]).await, "1");
    assert_eq!(senders(&["@example.org"]).await, "3 1");
    assert_eq!(senders(&["nobody"]).await, "");
    let recipients =
        async |wanted: &[&str]| list(&world, ThreadQuery { recipients: strings(wanted), ..world.threads() }).await;
    assert_eq!(recipients(&["carl", "scout"]).await, "1");
    assert_eq!(recipients(&["scout"]).await, "3 1");
    let subject =
        async |wanted: &[&str]| list(&world, ThreadQuery { subject: strings(wanted), ..world.threads() }).await;
    assert_eq!(subject(&["übersicht", "die"]).await, "1");
    assert_eq!(subject(&["e"]).await, "1");
}

#[tokio::test]
async fn thread_search_matches_visible_messages() {
    let world = world().await;
    let mut first = world.mail(1);
    first.search_text = "needle".to_owned();
    let mut answer = world.mail(2);
    answer.message.item.thread_id = thread_id(1);
    let mut hidden = world.labelled(3, &["spam"]);
    hidden.message.item.thread_id = thread_id(1);
    hidden.search_text = "buried".to_owned();
    for mail in [&first, &answer, &hidden, &world.mail(4)] {
        world.deliver(mail).await;
    }
    let search = async |wanted: &str, included| {
        list(&world, ThreadQuery { search: Some(wanted.to_owned()), included, ..world.threads() }).await
    };
    assert_eq!(search("needle", HidingLabels::NONE).await, "1");
    assert_eq!(search("buried", HidingLabels::NONE).await, "");
    assert_eq!(search("buried", HidingLabels::ALL).await, "1");
    assert_eq!(search("dear", HidingLabels::NONE).await, "4 1");
}

#[tokio::test]
async fn threads_are_filtered_by_assignee() {
    let world = world().await;
    for number in 1..=3 {
        world.deliver(&world.mail(number)).await;
    }
    let key = Actor::ApiKey { api_key_id: Uuid::from_u128(4).into(), name: "worker".to_owned() };
    let mut tx = world.begin().await;
    let mut locked = tx.threads().lock(world.organization_id(), world.inbox_id(), &[thread_id(2)]).await.unwrap();
    let assigned = Thread { assignee: Some(key.clone()), ..locked.remove(0) };
    tx.threads().update(&[assigned]).await.unwrap();
    tx.commit().await.unwrap();
    let of = async |assignee| list(&world, ThreadQuery { assignee: Some(assignee), ..world.threads() }).await;
    assert_eq!(of(AssigneeFilter::Id(key.id())).await, "2");
    assert_eq!(of(AssigneeFilter::Nobody).await, "3 1");
    assert_eq!(of(AssigneeFilter::Id("mem_1".to_owned())).await, "");
}

#[tokio::test]
async fn lists_are_limited_to_existing_inbox() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    world.deliver(&world.mail(1)).await;
    deliver(&world.store, &mail(&second, 2)).await;
    assert_eq!(list(&world, world.threads()).await, "1");
    let foreign = organization(2, "other@example.org").organization_id;
    assert_eq!(list(&world, ThreadQuery { organization_id: foreign, ..world.threads() }).await, "");
    delete_inbox(&world.store, &world.inbox).await;
    assert_eq!(list(&world, world.threads()).await, "");
}

#[tokio::test]
async fn threads_are_listed_across_organization_and_within_pod() {
    let world = world().await;
    let other = inbox(&world.organization, "ranger@agents.example");
    add_pod(&world, Uuid::from_u128(77).into()).await;
    let far = Inbox { pod_id: Uuid::from_u128(77).into(), ..inbox(&world.organization, "far@agents.example") };
    let gone = inbox(&world.organization, "gone@agents.example");
    for inbox in [&other, &far, &gone] {
        add_inbox(&world.store, inbox).await;
    }
    for (number, inbox) in [(1, &world.inbox), (2, &other), (3, &far), (4, &gone), (5, &world.inbox), (6, &far)] {
        deliver(&world.store, &mail(inbox, number)).await;
    }
    delete_inbox(&world.store, &gone).await;
    let scopes = [
        (Scope::Organization, vec![6, 5, 3, 2, 1]),
        (Scope::Pod(world.inbox.pod_id), vec![5, 2, 1]),
        (Scope::Pod(far.pod_id), vec![6, 3]),
        (Scope::Inbox(gone.inbox_id.clone()), vec![]),
    ];
    for (scope, expected) in scopes {
        for labels in [vec![], vec!["unread".to_owned()]] {
            let mut found = Vec::new();
            let mut after = None;
            loop {
                let page = PageRequest { limit: 1, after, ..PageRequest::default() };
                let query = ThreadQuery { scope: scope.clone(), labels: labels.clone(), page, ..world.threads() };
                let page = world.store.list_threads(&query).await.unwrap();
                found.extend(page.items.iter().map(|thread| thread.thread_id));
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            assert_eq!(found, expected.iter().copied().map(thread_id).collect::<Vec<_>>(), "{scope:?} {labels:?}");
        }
    }
    let of = async |number| world.store.inbox_of_thread(world.organization_id(), thread_id(number)).await.unwrap();
    assert_eq!((of(3).await, of(4).await, of(9).await), (Some(far.inbox_id), None, None));
}
