use futures_util::future::join_all;
use inboxd_core::model::ApiKey;
use inboxd_core::ports::{SourceMessages, Sources, VersionReads, Versions};

use crate::members::{add, add_key, member};
use crate::support::*;

fn sources(world: &World, key: &ApiKey, messages: SourceMessages) -> Sources {
    Sources {
        organization_id: world.organization_id(),
        api_key_id: key.api_key_id,
        member_id: key.member_id,
        inbox_id: world.inbox_id().clone(),
        messages,
    }
}

/// What is asked: a message, the two newest of three, and all.
struct Watched {
    asked: [Sources; 3],
    known: [Option<Versions>; 3],
}

impl Watched {
    async fn new(world: &World, key: &ApiKey) -> Self {
        let one = SourceMessages::One(message_id("1"));
        let asked = [one, SourceMessages::Newest(1), SourceMessages::Newest(50)];
        let mut watched =
            Self { asked: asked.map(|messages| sources(world, key, messages)), known: [None, None, None] };
        watched.changed(world).await;
        watched
    }

    /// Which of them have changed since the last time.
    async fn changed(&mut self, world: &World) -> [bool; 3] {
        let [one, two, all] = &self.asked;
        let store = &world.store;
        let (one, two, all) = tokio::join!(store.versions(one), store.versions(two), store.versions(all));
        let now = [one, two, all].map(Result::unwrap);
        let known = std::mem::replace(&mut self.known, now.clone());
        [0, 1, 2].map(|place| known[place] != now[place])
    }
}

#[tokio::test]
async fn versions_change_with_whatever_is_shown_and_with_nothing_else() {
    let world = world().await;
    let (person, other) = (member(&world, 1, "maria@example.org"), member(&world, 2, "max@example.org"));
    for member in [&person, &other] {
        add(&world, member).await;
    }
    let key = add_key(&world, &person, 5).await;
    add_key(&world, &other, 6).await;
    let elsewhere = inbox(&world.organization, "other@agents.example");
    add_inbox(&world.store, &elsewhere).await;
    for number in 1..=3 {
        world.deliver(&world.mail(number)).await;
        deliver(&world.store, &mail(&elsewhere, number)).await;
    }
    let mut watched = Watched::new(&world, &key).await;
    assert!(watched.known.iter().all(Option::is_some));

    let of = |number: i64| {
        format!("inbox_id = 'scout@agents.example' AND message_id = '{}'", message_id(&number.to_string()))
    };
    let (none, all) = ([false; 3], [true; 3]);
    for (change, expected) in [
        ("SELECT 1".to_owned(), none),
        // Who only holds something changes nothing.
        (format!("BEGIN; SELECT FROM messages WHERE {} FOR UPDATE; COMMIT", of(1)), none),
        ("BEGIN; UPDATE messages SET subject = 'other'; ROLLBACK".to_owned(), none),
        (format!("UPDATE messages SET labels = labels || ARRAY['seen'] WHERE {}", of(1)), [true, false, true]),
        // As it was before, and yet another version.
        (format!("UPDATE messages SET labels = array_remove(labels, 'seen') WHERE {}", of(1)), [true, false, true]),
        (format!("UPDATE messages SET labels = labels WHERE {}", of(2)), [false, true, true]),
        ("UPDATE messages SET labels = labels WHERE inbox_id = 'other@agents.example'".to_owned(), none),
        (
            "UPDATE api_keys SET used_at = now() WHERE name = 'Sign-in' AND member_id = (
            SELECT member_id FROM members WHERE email = 'max@example.org')"
                .to_owned(),
            none,
        ),
        ("UPDATE members SET role = 'admin' WHERE email = 'max@example.org'".to_owned(), none),
        ("UPDATE members SET role = 'admin' WHERE email = 'maria@example.org'".to_owned(), all),
        ("UPDATE members SET removed_at = now() WHERE email = 'maria@example.org'".to_owned(), all),
        ("UPDATE inboxes SET display_name = 'x' WHERE inbox_id = 'other@agents.example'".to_owned(), none),
        ("UPDATE inboxes SET display_name = 'x' WHERE inbox_id = 'scout@agents.example'".to_owned(), all),
        ("UPDATE api_keys SET revoked_at = now()".to_owned(), all),
        // Hidden: the page has another message at its end.
        (format!("UPDATE messages SET hidden = 1 WHERE {}", of(3)), [false, true, true]),
        (format!("DELETE FROM messages WHERE {}", of(2)), [false, true, true]),
    ] {
        world.database.execute(&change).await;
        assert_eq!(watched.changed(&world).await, expected, "{change}");
    }
    world.deliver(&world.labelled(4, &["received", "spam"])).await;
    assert_eq!(watched.changed(&world).await, none, "hidden mail came");
    deliver(&world.store, &mail(&elsewhere, 5)).await;
    assert_eq!(watched.changed(&world).await, none, "mail came for another inbox");
    world.deliver(&world.mail(6)).await;
    assert_eq!(watched.changed(&world).await, [false, true, true], "mail came");

    world.database.execute("VACUUM FULL messages").await;
    let [is_other, ..] = watched.changed(&world).await;
    assert!(!is_other, "a message that lies elsewhere is the same");
    for (change, expected) in [
        (format!("DELETE FROM messages WHERE {}", of(1)), all),
        ("DELETE FROM messages".to_owned(), [false, true, true]),
    ] {
        world.database.execute(&change).await;
        assert_eq!(watched.changed(&world).await, expected, "{change}");
    }
    assert_eq!(watched.known.clone().map(|known| known.is_some()), [false, true, true], "an empty page is one");
    world.database.execute("DELETE FROM inboxes WHERE inbox_id = 'scout@agents.example'").await;
    watched.changed(&world).await;
    assert_eq!(watched.known, [None, None, None]);
}

#[tokio::test]
async fn pages_with_the_same_places_in_another_file_are_others() {
    let world = world().await;
    let key = add_key(&world, &member(&world, 1, "maria@example.org"), 5).await;
    world.deliver(&world.mail(1)).await;
    let mut watched = Watched::new(&world, &key).await;
    world.database.execute("VACUUM FULL messages").await;
    assert_eq!(watched.changed(&world).await, [false, true, true]);
}

#[tokio::test]
async fn what_no_organization_of_the_key_has_is_not_there() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let key = add_key(&world, &member(&world, 1, "maria@example.org"), 5).await;
    world.deliver(&world.mail(1)).await;
    for messages in [SourceMessages::One(message_id("1")), SourceMessages::Newest(5)] {
        let right = sources(&world, &key, messages);
        assert!(world.store.versions(&right).await.unwrap().is_some());
        let foreign = Sources { organization_id: other.organization_id, ..right.clone() };
        assert_eq!(world.store.versions(&foreign).await.unwrap(), None);
        let no_key = Sources { api_key_id: uuid::Uuid::from_u128(77).into(), ..right.clone() };
        assert_eq!(world.store.versions(&no_key).await.unwrap(), None);
        let no_inbox = Sources { inbox_id: inbox(&other, "x@agents.example").inbox_id, ..right };
        assert_eq!(world.store.versions(&no_inbox).await.unwrap(), None);
    }
}

#[tokio::test]
async fn versions_do_not_depend_on_who_else_asks_at_the_same_moment() {
    let world = world().await;
    let person = member(&world, 1, "maria@example.org");
    add(&world, &person).await;
    let (of_person, of_nobody) = (add_key(&world, &person, 5).await, add_key(&world, &person, 6).await);
    let of_nobody = ApiKey { member_id: None, ..of_nobody };
    world.deliver(&world.mail(1)).await;
    let mut asked = Vec::new();
    for messages in [SourceMessages::One(message_id("1")), SourceMessages::Newest(5)] {
        asked.extend([&of_person, &of_nobody].map(|key| sources(&world, key, messages.clone())));
    }
    let mut alone = Vec::new();
    for sources in &asked {
        alone.push(world.store.versions(sources).await.unwrap().unwrap());
    }
    for _ in 0..20 {
        // The first of them is asked for alone, and the others together while it is.
        let together = join_all(asked.iter().map(|sources| world.store.versions(sources))).await;
        assert_eq!(together.into_iter().map(|found| found.unwrap().unwrap()).collect::<Vec<_>>(), alone);
        asked.rotate_left(1);
        alone.rotate_left(1);
    }
    assert!(alone.iter().enumerate().all(|(place, one)| !alone[..place].contains(one)), "each is another");
}

#[tokio::test]
async fn bodies_never_change() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    let refused = world.database.try_execute("UPDATE message_bodies SET text = 'other'").await;
    assert!(refused.unwrap_err().contains("never change"));
}
