//! Versions of what answers are made from.
//!
//! A row is never changed in place: a change writes it anew, and `xmin` is the transaction that wrote it. So what is asked
//! for by a key is as it was while its `xmin` is. The rows of a page are asked for by their order: which rows they are, the
//! places say at which they lie (`ctid`), within the file of their table. Numbers of transactions come again after four
//! thousand million, which is longer than anybody remembers them.
//!
//! Of an organization nothing is shown but its id, and the schema keeps bodies of messages from being changed: nobody has to
//! ask for these.

use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Binary, Nullable};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::MessageId;
use inboxd_core::ports::{SourceMessages, Sources, StoreError, VersionReads, Versions};
use uuid::Uuid;

use crate::keyset::rows_to_read;
use crate::messages::rows::WALKED;
use crate::shared::{Together, in_order};
use crate::sql::Sql;
use crate::store::PgStore;

static ONE: LazyLock<Texts> = LazyLock::new(|| Texts::of(one));
static PAGE: LazyLock<Texts> = LazyLock::new(|| Texts::of(page));

/// A statement in two texts: most keys belong to nobody, and whoever asks by them need not look for people.
struct Texts {
    without_people: String,
    with_people: String,
}

impl Texts {
    fn of(text: impl Fn(&People) -> String) -> Self {
        let member = version_in("members", "member_id = w.member_id");
        Self {
            without_people: text(&People { version: "NULL", from: String::new() }),
            with_people: text(&People { version: "p.version", from: format!("LEFT JOIN {member} p ON true") }),
        }
    }
}

/// How a statement asks for the person `w.member_id`: their version, and where it is looked for.
struct People {
    version: &'static str,
    from: String,
}

/// The message `w.message_id`.
fn one(people: &People) -> String {
    let message = version_in("messages", "inbox_id = w.inbox_id AND message_id = w.message_id");
    text(people, "text[]", "message_id", "|| m.version", &format!("CROSS JOIN {message} m"))
}

/// The `w.most` newest messages that nothing hides: one walk, as of a list of them.
fn page(people: &People) -> String {
    let page = format!(
        "CROSS JOIN LATERAL (
            SELECT array_agg(place) AS places, array_agg(version) AS versions FROM (
                SELECT m.ctid AS place, m.xmin AS version FROM messages m
                WHERE m.organization_id = w.organization_id AND m.inbox_id = w.inbox_id AND m.hidden = 0 AND {WALKED}
                ORDER BY m.timestamp DESC, m.message_id DESC LIMIT w.most) page) m"
    );
    text(people, "bigint[]", "most", ", m.places, m.versions, pg_relation_filenode('messages')", &page)
}

/// A statement over those who asked and their inboxes `w`, each with one value more of this type and name. It answers the
/// versions of key, person and inbox as an array, and what else is named.
fn text(people: &People, of: &str, name: &str, versions: &str, messages: &str) -> String {
    format!(
        "SELECT w.question, ARRAY[k.version, {person}, i.version] {versions}
        FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::{of}) WITH ORDINALITY
            AS w(organization_id, api_key_id, member_id, inbox_id, {name}, question)
        CROSS JOIN {key} k {people} CROSS JOIN {inbox} i {messages}",
        person = people.version,
        key = version_in("api_keys", "api_key_id = w.api_key_id"),
        people = people.from,
        inbox = version_in("inboxes", "inbox_id = w.inbox_id"),
    )
}

/// The version of a row: a step along the primary key, whatever the planner thinks of the table.
fn version_in(table: &str, row: &str) -> String {
    format!(
        "LATERAL (SELECT xmin AS version FROM {table} WHERE organization_id = w.organization_id AND {row} OFFSET 0)"
    )
}

/// One of these texts, with those who asked and their inboxes as its first values.
fn bound<'a, T>(texts: &'a Texts, questions: &'a [(Sources, T)]) -> Sql<'a> {
    let each = || questions.iter().map(|(sources, _)| sources);
    let is_nobody = |sources: &Sources| sources.member_id.is_none();
    let text = if each().all(is_nobody) { &texts.without_people } else { &texts.with_people };
    Sql::new(text.as_str())
        .uuids(each().map(|sources| sources.organization_id.0))
        .uuids(each().map(|sources| sources.api_key_id.0))
        .uuids(each().map(|sources| sources.member_id.map_or_else(Uuid::nil, |member_id| member_id.0)))
        .texts(each().map(|sources| sources.inbox_id.as_str()))
}

/// Versions of what the answer with one message is made from.
pub(crate) enum OneVersions {}

impl Together for OneVersions {
    type Question = (Sources, MessageId);
    type Answer = Option<Versions>;

    async fn answer(
        connection: &mut AsyncPgConnection,
        questions: &[Self::Question],
    ) -> Result<Vec<Option<Versions>>, StoreError> {
        // The array is read as its octets, whatever it is of.
        let found = bound(&ONE, questions)
            .texts(questions.iter().map(|(_, message_id)| message_id.as_str()))
            .columns::<(BigInt, Binary), (i64, Vec<u8>)>(connection)
            .await?;
        let found = found.into_iter().map(|(number, octets)| (number, Versions::of(octets)));
        Ok(in_order(questions.len(), found))
    }
}

/// Versions of what the answer with the newest messages is made from.
pub(crate) enum PageVersions {}

/// The number of a question, and the versions of whoever asked and the inbox; then of the page the places of its messages,
/// their versions, and the file.
type PageRow = (i64, Vec<u8>, Option<Vec<u8>>, Option<Vec<u8>>, Vec<u8>);

impl Together for PageVersions {
    type Question = (Sources, u32);
    type Answer = Option<Versions>;

    async fn answer(
        connection: &mut AsyncPgConnection,
        questions: &[Self::Question],
    ) -> Result<Vec<Option<Versions>>, StoreError> {
        let found = bound(&PAGE, questions)
            .bigs(questions.iter().map(|(_, limit)| rows_to_read(*limit)))
            .columns::<(BigInt, Binary, Nullable<Binary>, Nullable<Binary>, Binary), PageRow>(connection)
            .await?;
        // Each array begins with how long it is: nothing else has these octets.
        let found = found.into_iter().map(|(number, by_key, places, versions, file)| {
            let octets = [by_key, places.unwrap_or_default(), versions.unwrap_or_default(), file].concat();
            (number, Versions::of(octets))
        });
        Ok(in_order(questions.len(), found))
    }
}

#[async_trait]
impl VersionReads for PgStore {
    async fn versions(&self, sources: &Sources) -> Result<Option<Versions>, StoreError> {
        let near = self.near()?;
        match &sources.messages {
            SourceMessages::One(message_id) => near.one_versions.ask((sources.clone(), message_id.clone())).await,
            SourceMessages::Newest(limit) => near.page_versions.ask((sources.clone(), *limit)).await,
        }
    }
}
