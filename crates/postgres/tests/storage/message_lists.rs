use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{HidingLabels, MessageId, NewMessage};
use inboxd_core::ports::{MessageQuery, MessageReads};

use crate::support::*;

async fn numbers(world: &World, query: MessageQuery) -> String {
    let page = world.store.list_messages(&query).await.unwrap();
    let ids: Vec<String> = page.items.iter().map(|item| number(&item.message_id)).collect();
    ids.join(" ")
}

fn number(id: &MessageId) -> String {
    id.as_str().trim_start_matches('<').split('@').next().unwrap().to_owned()
}

fn hidden(label: &str) -> HidingLabels {
    HidingLabels::of(&[label].into_iter().collect())
}

/// Reads all pages of a list and runs an action between them.
async fn walk(world: &World, mut query: MessageQuery, mut between: impl AsyncFnMut(usize)) -> String {
    let mut seen = Vec::new();
    for page in 0.. {
        let found = world.store.list_messages(&query).await.unwrap();
        seen.extend(found.items.iter().map(|item| number(&item.message_id)));
        let Some(next) = found.next else { break };
        query.page.after = Some(next);
        between(page).await;
    }
    seen.join(" ")
}

#[tokio::test]
async fn message_pages_handle_equal_times_in_both_directions() {
    let world = world().await;
    for number in 1..=7 {
        let mut mail = world.mail(number);
        mail.message.item.timestamp = at(number / 4);
        world.deliver(&mail).await;
    }
    for (direction, wanted) in [(Direction::Descending, "7 6 5 4 3 2 1"), (Direction::Ascending, "1 2 3 4 5 6 7")] {
        for limit in 1..=8 {
            let page = PageRequest { limit, after: None, direction };
            for labels in [vec![], strings(&["unread"]), strings(&["unread", "received"])] {
                let query = MessageQuery { labels, page: page.clone(), ..world.messages() };
                assert_eq!(walk(&world, query, async |_| ()).await, wanted);
            }
        }
    }
}

#[tokio::test]
async fn changes_between_pages_move_no_other_row() {
    let world = world().await;
    for number in [10, 20, 30, 40, 50] {
        world.deliver(&world.mail(number)).await;
    }
    let query = MessageQuery { page: PageRequest { limit: 2, ..PageRequest::default() }, ..world.messages() };
    let seen = walk(&world, query, async |page| {
        if page == 0 {
            // The row of the cursor is deleted, and rows are inserted before and after it.
            let mut tx = world.begin().await;
            let ids = [message_id("40")];
            tx.messages().delete(world.organization_id(), world.inbox_id(), &ids).await.unwrap();
            tx.commit().await.unwrap();
            world.deliver(&world.mail(60)).await;
            world.deliver(&world.mail(25)).await;
        }
    });
    assert_eq!(seen.await, "50 40 30 25 20 10");
}

#[tokio::test]
async fn lists_show_hidden_messages_only_when_included() {
    let world = world().await;
    let labels: [&[&str]; 6] = [
        &["received"],
        &["received", "spam"],
        &["received", "trash"],
        &["received", "spam", "trash"],
        &["blocked"],
        &[],
    ];
    for (number, labels) in (1..).zip(labels) {
        world.deliver(&world.labelled(number, labels)).await;
    }
    let list = async |included: HidingLabels, labels: &[&str]| {
        numbers(&world, MessageQuery { included, labels: strings(labels), ..world.messages() }).await
    };
    let both = hidden("spam").with(3);
    assert_eq!(list(HidingLabels::NONE, &[]).await, "6 1");
    assert_eq!(list(hidden("spam"), &[]).await, "6 2 1");
    assert_eq!(list(hidden("trash"), &[]).await, "6 3 1");
    assert_eq!(list(both, &[]).await, "6 4 3 2 1");
    assert_eq!(list(HidingLabels::ALL, &[]).await, "6 5 4 3 2 1");
    assert_eq!(list(HidingLabels::NONE, &["received"]).await, "1");
    assert_eq!(list(both, &["received"]).await, "4 3 2 1");
    assert_eq!(list(HidingLabels::NONE, &["spam"]).await, "");
    assert_eq!(list(hidden("spam"), &["spam"]).await, "2");
    assert_eq!(list(both, &["received", "spam"]).await, "4 2");
    assert_eq!(list(hidden("trash"), &["received", "spam"]).await, "");
}

#[tokio::test]
async fn merged_list_has_pages_without_gaps() {
    let world = world().await;
    for number in 1..=12 {
        let labels: &[&str] = match number % 4 {
            0 => &["received"],
            1 => &["received", "spam"],
            2 => &["received", "trash"],
            _ => &["received", "spam", "trash"],
        };
        world.deliver(&world.labelled(number, labels)).await;
    }
    for labels in [vec![], strings(&["received"])] {
        let page = PageRequest { limit: 3, ..PageRequest::default() };
        let query = MessageQuery { included: HidingLabels::ALL, labels, page, ..world.messages() };
        assert_eq!(walk(&world, query, async |_| ()).await, "12 11 10 9 8 7 6 5 4 3 2 1");
    }
}

#[tokio::test]
async fn label_filter_needs_all_labels() {
    let world = world().await;
    world.deliver(&world.labelled(1, &["received", "unread", "invoice"])).await;
    world.deliver(&world.labelled(2, &["received", "invoice"])).await;
    world.deliver(&world.labelled(3, &["received", "unread"])).await;
    let list =
        async |labels: &[&str]| numbers(&world, MessageQuery { labels: strings(labels), ..world.messages() }).await;
    assert_eq!(list(&["invoice"]).await, "2 1");
    assert_eq!(list(&["unread", "invoice"]).await, "1");
    assert_eq!(list(&["received", "unread"]).await, "3 1");
    assert_eq!(list(&["received", "unread", "invoice", "nothing"]).await, "");
}

#[tokio::test]
async fn before_and_after_are_exclusive() {
    let world = world().await;
    for number in 1..=5 {
        world.deliver(&world.mail(number)).await;
    }
    for labels in [vec![], strings(&["received"])] {
        let query = MessageQuery { before: Some(at(4)), after: Some(at(1)), labels, ..world.messages() };
        assert_eq!(numbers(&world, query).await, "3 2");
    }
}

fn with(mut mail: NewMessage, from: &str, to: &[&str], subject: Option<&str>) -> NewMessage {
    let item = &mut mail.message.item;
    from.clone_into(&mut item.from);
    item.to = strings(to);
    item.subject = subject.map(str::to_owned);
    mail
}

#[tokio::test]
async fn filters_match_every_substring_in_any_letter_case_and_script() {
    let world = world().await;
    let mut third = with(world.mail(3), "X <x@example.org>", &["a@example.org"], None);
    third.message.item.cc = strings(&["ÉMILE <e@example.net>"]);
    third.message.item.bcc = strings(&["Secret@example.com"]);
    for mail in [
        with(
            world.mail(1),
            "ÄNNE Weiß <Aenne@Example.org>",
            &["scout@agents.example", "b@example.org"],
            Some("Grüße 100%"),
        ),
        with(world.mail(2), "Bob <bob@example.org>", &["scout@agents.example"], Some("ПРИВЕТ_мир")),
        third,
    ] {
        world.deliver(&mail).await;
    }
    let from =
        async |wanted: &[&str]| numbers(&world, MessageQuery { from: strings(wanted), ..world.messages() }).await;
    assert_eq!(from(&["änne"]).await, "1");
    assert_eq!(from(&["example.org"]).await, "3 2 1");
    assert_eq!(from(&["example.org", "bob"]).await, "2");
    assert_eq!(from(&["%"]).await, "");
    let to = async |wanted: &[&str]| numbers(&world, MessageQuery { to: strings(wanted), ..world.messages() }).await;
    assert_eq!(to(&["scout@"]).await, "2 1");
    assert_eq!(to(&["scout@", "b@example"]).await, "1");
    assert_eq!(to(&["émile", "secret"]).await, "3");
    let subject =
        async |wanted: &[&str]| numbers(&world, MessageQuery { subject: strings(wanted), ..world.messages() }).await;
    assert_eq!(subject(&["grüße", "0%"]).await, "1");
    assert_eq!(subject(&["привет_"]).await, "2");
    assert_eq!(subject(&["a"]).await, "");
    let all = MessageQuery {
        from: strings(&["bob"]),
        to: strings(&["scout"]),
        subject: strings(&["мир"]),
        search: Some("dear".to_owned()),
        labels: strings(&["unread", "received"]),
        before: Some(at(3)),
        ..world.messages()
    };
    assert_eq!(numbers(&world, all).await, "2");
}

#[tokio::test]
async fn search_matches_literal_text_newest_first() {
    let world = world().await;
    for number in 1..=6 {
        let mut mail = world.mail(number);
        mail.search_text = if number % 2 == 0 { "50% of a_b\\c".to_owned() } else { "50 percent of aXb".to_owned() };
        world.deliver(&mail).await;
    }
    let search = async |wanted: &str| {
        let query = MessageQuery {
            search: Some(wanted.to_owned()),
            page: PageRequest { limit: 1, ..PageRequest::default() },
            ..world.messages()
        };
        walk(&world, query, async |_| ()).await
    };
    assert_eq!(search("0% of a_b\\").await, "6 4 2");
    assert_eq!(search("percent").await, "5 3 1");
    assert_eq!(search("a_b' OR true --").await, "");
    assert_eq!(search("nul\0").await, "");
}

#[tokio::test]
async fn lists_are_limited_to_existing_inbox() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    world.deliver(&world.mail(1)).await;
    deliver(&world.store, &mail(&second, 2)).await;
    assert_eq!(numbers(&world, world.messages()).await, "1");
    let foreign = organization(2, "other@example.org").organization_id;
    assert_eq!(numbers(&world, MessageQuery { organization_id: foreign, ..world.messages() }).await, "");
    delete_inbox(&world.store, &world.inbox).await;
    assert_eq!(numbers(&world, world.messages()).await, "");
    let labelled = MessageQuery { labels: strings(&["received"]), ..world.messages() };
    assert_eq!(numbers(&world, labelled).await, "");
}
