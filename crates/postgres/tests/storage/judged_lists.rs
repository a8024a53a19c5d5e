//! Lists by verdict.

use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{HidingLabels, Scope};
use inboxd_core::ports::{MessageQuery, MessageReads, ThreadQuery, ThreadReads};
use inboxd_core::rules::trust::{Judgement, Verdict};

use crate::support::*;

use Verdict::{FirstContact, Known, Suspicious, Trusted};

/// Delivers messages 1 to 6 with their verdicts; the last one has none, and number 3 is spam.
async fn judged_world() -> World {
    let world = world().await;
    let verdicts = [Some(Known), Some(Suspicious), Some(Known), Some(FirstContact), Some(Known), None];
    for (number, verdict) in (1..).zip(verdicts) {
        let mut mail = world.labelled(number, if number == 3 { &["received", "spam"] } else { &["received"] });
        mail.message.item.trust = verdict.map(|verdict| Judgement { verdict, checks: None, reasons: vec![] });
        world.deliver(&mail).await;
    }
    world
}

fn page(direction: Direction) -> PageRequest {
    PageRequest { limit: 2, direction, after: None }
}

async fn messages(world: &World, query: MessageQuery) -> Vec<String> {
    let mut query = MessageQuery { page: page(Direction::Descending), ..query };
    let mut found = Vec::new();
    loop {
        let page = world.store.list_messages(&query).await.unwrap();
        found.extend(page.items.into_iter().map(|item| item.subject.unwrap().replace("Offer ", "")));
        query.page.after = page.next;
        if query.page.after.is_none() {
            return found;
        }
    }
}

async fn threads(world: &World, query: ThreadQuery) -> Vec<String> {
    let mut query = ThreadQuery { page: page(Direction::Ascending), ..query };
    let mut found = Vec::new();
    loop {
        let page = world.store.list_threads(&query).await.unwrap();
        found.extend(page.items.into_iter().map(|thread| thread.subject.unwrap().replace("Offer ", "")));
        query.page.after = page.next;
        if query.page.after.is_none() {
            return found;
        }
    }
}

#[tokio::test]
async fn messages_are_listed_by_verdict() {
    let world = judged_world().await;
    let by = |trust: &[Verdict]| MessageQuery { trust: trust.to_vec(), ..world.messages() };
    assert_eq!(messages(&world, by(&[Known])).await, ["5", "1"]);
    assert_eq!(messages(&world, by(&[Known, Suspicious, FirstContact])).await, ["5", "4", "2", "1"]);
    assert_eq!(messages(&world, by(&[Trusted])).await, Vec::<String>::new());
    assert_eq!(messages(&world, by(&[Trusted, Suspicious])).await, ["2"]);
    let with_spam = MessageQuery { included: HidingLabels::ALL, ..by(&[Known]) };
    assert_eq!(messages(&world, with_spam).await, ["5", "3", "1"]);
    let labelled = MessageQuery { labels: strings(&["received"]), ..by(&[Known, Suspicious]) };
    assert_eq!(messages(&world, labelled).await, ["5", "2", "1"]);
    let about = MessageQuery { subject: strings(&["offer"]), ..by(&[Suspicious]) };
    assert_eq!(messages(&world, about).await, ["2"]);
}

#[tokio::test]
async fn threads_are_listed_by_verdict_in_every_scope() {
    let world = judged_world().await;
    let scopes = [Scope::Inbox(world.inbox_id().clone()), Scope::Pod(world.inbox.pod_id), Scope::Organization];
    for scope in scopes {
        let by = |trust: &[Verdict]| ThreadQuery { scope: scope.clone(), trust: trust.to_vec(), ..world.threads() };
        assert_eq!(threads(&world, by(&[Known])).await, ["1", "5"], "{scope:?}");
        assert_eq!(threads(&world, by(&[Known, Suspicious])).await, ["1", "2", "5"], "{scope:?}");
        assert_eq!(threads(&world, by(&[Suspicious])).await, ["2"], "{scope:?}");
        let labelled = ThreadQuery { labels: strings(&["received"]), ..by(&[Suspicious, FirstContact]) };
        assert_eq!(threads(&world, labelled).await, ["2", "4"], "{scope:?}");
    }
}
