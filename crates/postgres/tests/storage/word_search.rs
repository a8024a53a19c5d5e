//! Searches by words: several inboxes, bounded work, damaged index, and agreement with the texts after any history.

use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{HidingLabels, Inbox, InboxId, NewMail, NewMessage, Scope};
use inboxd_core::ports::{IndexedInbox, SearchIndex, WordSearch, WordSearchReads};
use inboxd_core::rules::word_search::WordQuery;
use uuid::Uuid;

use crate::support::*;
use crate::walks::{long_value_pages_read_of, rows_read_of};

/// Returns a search in the organization.
pub(super) fn words(world: &World, query: &str) -> WordSearch {
    WordSearch {
        organization_id: world.organization_id(),
        scope: Scope::Organization,
        words: WordQuery::parse(query).unwrap(),
        labels: vec![],
        before: None,
        after: None,
        included: HidingLabels::NONE,
        delivered_to: None,
        tag: None,
        page: PageRequest { limit: 7, ..PageRequest::default() },
    }
}

fn saying(inbox: &Inbox, number: i64, text: &str) -> NewMessage {
    let mut mail = mail(inbox, number);
    mail.message.body.text = Some(text.to_owned());
    mail.search_text = format!("anna müller <anna@example.org>\noffer {number}\n{}", text.to_lowercase());
    mail
}

async fn store(world: &World, mails: Vec<NewMessage>) {
    world.begin().await.commit_with(&NewMail { messages: mails, ..NewMail::default() }).await.unwrap();
}

/// Returns the inboxes and times of all pages of messages, and the number of pages.
async fn all_messages(world: &World, mut search: WordSearch) -> (Vec<(InboxId, time::OffsetDateTime)>, usize) {
    let mut found = Vec::new();
    for pages in 1.. {
        let page = world.store.search_messages(&search).await.unwrap().unwrap();
        assert!(page.items.len() <= 7);
        found.extend(page.items.into_iter().map(|one| (one.item.inbox_id, one.item.timestamp)));
        let Some(next) = page.next else { return (found, pages) };
        search.page.after = Some(next);
    }
    unreachable!("the loop ends at the last page")
}

#[tokio::test]
async fn several_inboxes_are_one_list() {
    let world = world().await;
    let inboxes = ["a", "b", "c", "gone"].map(|name| inbox(&world.organization, &format!("{name}@agents.example")));
    for inbox in &inboxes {
        add_inbox(&world.store, inbox).await;
        let indexed = IndexedInbox { organization_id: inbox.organization_id, inbox_id: inbox.inbox_id.clone() };
        for round in 0..2 {
            // The same message in every inbox, at equal times.
            let text = |number: i64| if number % 3 == 0 { "the blue Chair" } else { "a chairman in blue" };
            store(&world, (0..70).map(|number| saying(inbox, round * 70 + number, text(number))).collect()).await;
            if round == 0 {
                world.store.index_some(&indexed, Uuid::new_v4()).await.unwrap();
            }
        }
    }
    delete_inbox(&world.store, &inboxes[3]).await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let foreign = inbox(&other, "foreign@agents.example");
    add_inbox(&world.store, &foreign).await;
    world
        .begin()
        .await
        .commit_with(&NewMail { messages: vec![saying(&foreign, 5, "blue chair")], ..NewMail::default() })
        .await
        .unwrap();
    for direction in [Direction::Descending, Direction::Ascending] {
        let mut search = words(&world, "blue \"chair\"");
        search.page.direction = direction;
        let (found, _) = all_messages(&world, search.clone()).await;
        assert_eq!(found.len(), 3 * 2 * 24);
        let is_sorted = match direction {
            Direction::Descending => found.is_sorted_by(|one, two| one.1 >= two.1),
            Direction::Ascending => found.is_sorted_by(|one, two| one.1 <= two.1),
        };
        assert!(is_sorted);
        search.scope = Scope::Inbox(inboxes[1].inbox_id.clone());
        let (found, _) = all_messages(&world, search.clone()).await;
        assert!(found.len() == 48 && found.iter().all(|(inbox_id, _)| *inbox_id == inboxes[1].inbox_id));
        search.scope = Scope::Pod(world.organization.default_pod_id);
        assert_eq!(all_messages(&world, search.clone()).await.0.len(), 144);
        search.scope = Scope::Pod(other.default_pod_id);
        assert_eq!(all_messages(&world, search.clone()).await.0.len(), 0);
    }
    let page = world.store.search_messages(&words(&world, "blue chair from:anna")).await.unwrap().unwrap();
    let highlights = page.items[0].highlights.clone().unwrap();
    assert_eq!(
        (highlights.text, highlights.from),
        (vec!["the **blue** **Chair**".to_owned()], vec!["**Anna** Müller <**Anna**@example.org>".to_owned()],)
    );
}

/// Stores unindexed messages of one sender, numbered from 1, with this SQL expression as their texts.
async fn load(world: &World, messages: u32, text: &str) {
    let load = format!(
        "INSERT INTO messages
        SELECT i.organization_id, i.inbox_id, '<' || n || '@x>', md5(n::text)::uuid, '{{}}', 0,
            '2026-11-18 11:06:40Z'::timestamptz + n * interval '1 ms', 'Anna Miller', '{{}}', '{{}}', '{{}}', '{{}}', NULL,
            NULL, '[]', NULL, '{{}}', 100, NULL, NULL, NULL, now(), now(), NULL, NULL
        FROM inboxes i, generate_series(1, {messages}) n;
        INSERT INTO message_bodies (organization_id, inbox_id, message_id, search_text, folded_from, folded_to,
            folded_subject, body, body_bytes)
        SELECT organization_id, inbox_id, message_id, 'anna miller ' || t.text, 'anna miller', '{{}}', '',
            plain_body(t.text), 6
        FROM messages, LATERAL (SELECT substring(message_id from 2 for position('@' in message_id) - 2)::integer) m(n),
            LATERAL (SELECT {text}) t(text);
        INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
        SELECT organization_id, inbox_id, 0, timestamp, message_id FROM messages"
    );
    world.database.execute(&format!("{PLAIN_BODY}; {load}")).await;
}

#[tokio::test]
async fn search_continues_after_bounded_work() {
    let world = world().await;
    // Each text has the letters, but only the oldest at the beginning of a word.
    load(&world, 25_000, "CASE WHEN n = 1 THEN 'omega' ELSE 'some' END").await;
    let (found, pages) = all_messages(&world, words(&world, "om")).await;
    assert_eq!((found.len(), pages), (1, 2));
    let (found, pages) = all_messages(&world, words(&world, "omnibus")).await;
    assert_eq!((found.len(), pages), (0, 2));
}

#[tokio::test]
async fn search_reads_few_posting_lists_and_texts() {
    let world = world().await;
    let indexed = IndexedInbox { organization_id: world.organization_id(), inbox_id: world.inbox_id().clone() };
    let texts = "'some words' || CASE n % 1000 WHEN 1 THEN ' xylophonist' WHEN 2 THEN ' fjord' WHEN 3 THEN ' lantern' ELSE '' END
        || CASE WHEN n <= 1024 THEN ' lantern' ELSE '' END";
    load(&world, 10 * 512, texts).await;
    for number in 0..10 {
        assert!(world.store.index_some(&indexed, Uuid::from_u128(number)).await.unwrap());
    }
    let mut read = Vec::new();
    for (query, found) in [
        ("xylophonist", 6),
        ("\"xylophonist\" from:\"anna miller\"", 6),
        ("words from:\"anna miller\"", 7),
        ("fjord from:\"anna miller\"", 6),
    ] {
        let search = words(&world, query);
        let blocks = rows_read_of(&world, "search_blocks", async |store| {
            assert_eq!(store.search_messages(&search).await.unwrap().unwrap().items.len(), found, "{query}");
        });
        read.push(blocks.await);
    }
    // Each gram is a block of a segment, and eight segments are queried before the two others. The four grams of the rare
    // word suffice. The page of the common word needs eight segments, with the three grams of `miller`, which is longer, and
    // the three of `words` and `anna`. The two grams of `fjord` lead in the last two segments, together with that of `anna`.
    assert_eq!(read, [10 * 4, 10 * 4, 8 * (3 + 3), 8 * (3 + 3) + 2 * 3]);
    // Eight segments have four matches. Of the many in the others, the page needs four.
    // A sender that all messages have changes nothing.
    for query in ["lantern", "\"lantern\" from:\"anna miller\""] {
        let search = words(&world, query);
        let texts = rows_read_of(&world, "message_bodies", async |store| {
            assert_eq!(store.search_messages(&search).await.unwrap().unwrap().items.len(), 7, "{query}");
        });
        assert_eq!(texts.await, 4 + 4 + 15, "{query}");
    }
}

#[tokio::test]
async fn messages_of_other_senders_are_excluded_without_their_texts() {
    let world = world().await;
    let indexed = IndexedInbox { organization_id: world.organization_id(), inbox_id: world.inbox_id().clone() };
    // The texts are too long for a row, even compressed. All of them name the sender of every tenth message.
    let text = "(SELECT 'report for nora ' || string_agg(md5(n || ' ' || k), ' ') FROM generate_series(1, 200) k)";
    load(&world, 300, text).await;
    let rename = "UPDATE messages SET from_ = 'Nora Berg' WHERE message_id LIKE '%0@x>';
        UPDATE message_bodies SET folded_from = 'nora berg' WHERE message_id LIKE '%0@x>'";
    world.database.execute(rename).await;
    let message = |number: i64| (world.inbox_id().clone(), at(number));
    for is_indexed in [false, true] {
        if is_indexed {
            assert!(world.store.index_some(&indexed, Uuid::from_u128(1)).await.unwrap());
        }
        for direction in [Direction::Descending, Direction::Ascending] {
            let mut search = words(&world, "report from:nora");
            search.page.direction = direction;
            let (found, pages) = all_messages(&world, search).await;
            let mut expected: Vec<_> = (1..=30).map(|tenth| message(tenth * 10)).collect();
            if direction == Direction::Descending {
                expected.reverse();
            }
            assert_eq!((found, pages), (expected, 5), "seven messages a page");
        }
        let search = WordSearch { before: Some(at(35)), ..words(&world, "report from:nora") };
        assert_eq!(all_messages(&world, search).await.0, [30, 20, 10].map(message));
        // Of 22, 44 and 88 candidates 16 are of this sender. Both texts of each lie in two pages or fewer.
        let search = words(&world, "report from:nora");
        let pages = long_value_pages_read_of(&world, "message_bodies", async |store| {
            assert_eq!(store.search_messages(&search).await.unwrap().unwrap().items.len(), 7);
        });
        let pages = pages.await;
        assert!(pages < 150, "{pages} pages: texts of other senders were read");
    }
}

#[tokio::test]
async fn search_ends_page_after_large_texts() {
    let world = world().await;
    let large = format!("omega {}", "x".repeat(6 << 20));
    for number in 0..4 {
        store(&world, vec![saying(&world.inbox, number, if number == 0 { "omega" } else { &large })]).await;
    }
    let (found, pages) = all_messages(&world, words(&world, "omega")).await;
    assert_eq!((found.len(), pages), (4, 2), "three texts have more than 16 MiB");
}

#[tokio::test]
async fn damaged_index_excludes_nothing() {
    let world = world().await;
    let indexed = IndexedInbox { organization_id: world.organization_id(), inbox_id: world.inbox_id().clone() };
    store(&world, (0..64).map(|number| saying(&world.inbox, number, &format!("word w{number:x}"))).collect()).await;
    assert!(world.store.index_some(&indexed, Uuid::from_u128(1)).await.unwrap());
    world.database.execute("UPDATE search_blocks SET block = '\\xff'").await;
    assert_eq!(all_messages(&world, words(&world, "w3f")).await.0.len(), 1);
}

#[tokio::test]
async fn too_many_inboxes_are_refused_together() {
    let world = world().await;
    let load =
        "INSERT INTO inboxes (organization_id, inbox_id, pod_id, metadata, created_at, updated_at, retention_due_at)
        SELECT organization_id, 'n' || n || '@x.example', pod_id, '{}', now(), now(), now()
        FROM inboxes, generate_series(1, 1000) n";
    world.database.execute(load).await;
    assert_eq!(world.store.search_threads(&words(&world, "a")).await.unwrap(), None);
    let inbox = WordSearch { scope: Scope::Inbox(world.inbox_id().clone()), ..words(&world, "a") };
    assert!(world.store.search_threads(&inbox).await.unwrap().is_some());
}
