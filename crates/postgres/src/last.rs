//! Commit batch: the last writes of a unit of work and its end.
//!
//! Both go out in one round trip, the writes as one statement. Locks are not held over a further round trip, and events
//! get their positions in it.

use std::borrow::Cow;
use std::sync::OnceLock;

use diesel::QueryableByName;
use diesel::sql_types::Bool;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{Event, MessageItem, NewMail, Thread};
use inboxd_core::ports::{Sequenced, StoreError};

use crate::contacts::count as contacts;
use crate::cte::{COMPLETE, CteFragment, CteStatement};
use crate::error::contention;
use crate::events::append;
use crate::feed::sequence::{SequencedRow, sequenced};
use crate::messages::body::NewBody;
use crate::messages::{insert, labels};
use crate::outgoing::enqueue;
use crate::sql::Sql;
use crate::threads::summaries as threads;
use crate::usage::change as usage;

/// Maximum idle time of a transaction between its last statement and its end, which are sent together.
const IDLE_IN_TRANSACTION_TIMEOUT: &str = "1s";

/// Deferred writes that no later read of the unit of work needed.
#[derive(Default)]
pub(crate) struct Kept {
    /// Final state of threads, each once.
    pub(crate) threads: Vec<Thread>,
    /// Messages with their new labels, each once.
    pub(crate) labelled: Vec<MessageItem>,
    /// Events.
    pub(crate) events: Vec<Event>,
}

impl Kept {
    /// Returns whether later reads of the unit of work may need a write; none needs an event.
    pub(crate) fn has_changes(&self) -> bool {
        !(self.threads.is_empty() && self.labelled.is_empty())
    }
}

/// All last writes of a unit of work.
pub(crate) struct Last<'a> {
    mail: &'a NewMail,
    bodies: &'a [NewBody],
    threads: &'a [Thread],
    labelled: &'a [MessageItem],
    events: Cow<'a, [Event]>,
}

impl<'a> Last<'a> {
    /// Combines new mail and its encoded bodies with deferred writes; threads are in one of them.
    pub(crate) fn of(kept: &'a Kept, mail: &'a NewMail, bodies: &'a [NewBody]) -> Self {
        debug_assert!(kept.threads.is_empty() || mail.joined.is_empty(), "a thread may be of both");
        let events = match (kept.events.as_slice(), mail.events.as_slice()) {
            ([], all) | (all, []) => Cow::Borrowed(all),
            (before, behind) => Cow::Owned([before, behind].concat()),
        };
        let threads = if kept.threads.is_empty() { &mail.joined } else { &kept.threads };
        Self { mail, bodies, threads, labelled: &kept.labelled, events }
    }

    /// Returns the events.
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the kinds of writes that are present.
    pub(crate) fn shape(&self) -> Shape {
        let NewMail { messages, begun, queued, sends, contacts, usage, .. } = self.mail;
        let kinds = [
            (Shape::MAIL, messages.is_empty() && begun.is_empty()),
            (Shape::THREADS, self.threads.is_empty()),
            (Shape::LABELS, self.labelled.is_empty()),
            (Shape::LEAVING, queued.is_empty() && sends.is_empty()),
            (Shape::CONTACTS, contacts.is_empty()),
            (Shape::USAGE, usage.is_empty()),
            (Shape::EVENTS, self.events.is_empty()),
        ];
        Shape(kinds.into_iter().filter(|(_, is_none)| !is_none).fold(0, |kinds, (kind, _)| kinds | kind))
    }

    /// Binds the writes to the statement of a shape, which includes their kinds. Returns the expected rows of each
    /// part.
    fn bind<'b>(&'b self, shape: Shape, mut statement: Sql<'b>) -> Result<(Sql<'b>, Vec<usize>), StoreError> {
        let NewMail { messages, begun, queued, sends, contacts, usage, .. } = self.mail;
        let mut rows = Vec::new();
        if shape.has(Shape::MAIL) {
            rows.extend([messages.len(), messages.len(), begun.len()]);
            statement = insert::bind(statement, messages, self.bodies)?;
            statement = threads::bind_inserted(statement, begun)?;
        }
        if shape.has(Shape::THREADS) {
            rows.push(self.threads.len());
            statement = threads::bind(statement, self.threads)?;
        }
        if shape.has(Shape::LABELS) {
            rows.push(self.labelled.len());
            statement = labels::bind(statement, self.labelled)?;
        }
        if shape.has(Shape::LEAVING) {
            rows.extend([queued.len(), sends.len()]);
            statement = usage::bind_sends(enqueue::bind(statement, queued)?, sends)?;
        }
        if shape.has(Shape::CONTACTS) {
            rows.push(contacts.len());
            statement = contacts::bind(statement, contacts)?;
        }
        if shape.has(Shape::USAGE) {
            rows.push(usage::rows_of(usage));
            statement = usage::bind(statement, usage)?;
        }
        if shape.has(Shape::EVENTS) {
            rows.push(self.events.len());
            statement = append::bind(statement, &self.events)?;
        }
        Ok((statement, rows))
    }
}

/// Kinds of writes as bits. Each set of them has its own statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape(u8);

impl Shape {
    const MAIL: u8 = 1;
    const THREADS: u8 = 1 << 1;
    const LABELS: u8 = 1 << 2;
    const LEAVING: u8 = 1 << 3;
    const USAGE: u8 = 1 << 4;
    const EVENTS: u8 = 1 << 5;
    const CONTACTS: u8 = 1 << 6;
    /// Number of shapes.
    const ALL: usize = 1 << 7;

    fn has(self, kind: u8) -> bool {
        self.0 & kind != 0
    }

    /// Returns whether there is nothing to write.
    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }

    /// Returns the parts of the statement in bind order.
    fn parts(self) -> Vec<CteFragment> {
        let mut parts = Vec::new();
        if self.has(Self::MAIL) {
            parts.extend([insert::messages(), insert::bodies(), threads::insert_threads()]);
        }
        if self.has(Self::THREADS) {
            parts.push(threads::update_threads());
        }
        if self.has(Self::LABELS) {
            parts.push(labels::update_label_rows());
        }
        if self.has(Self::LEAVING) {
            parts.extend([enqueue::insert_queued(), usage::update_sends()]);
        }
        if self.has(Self::CONTACTS) {
            parts.push(contacts::count_contacts());
        }
        if self.has(Self::USAGE) {
            parts.push(usage::update_usage());
        }
        if self.has(Self::EVENTS) {
            parts.push(append::insert_events());
        }
        parts
    }

    /// Returns the statement.
    ///
    /// It sets whether it wrote the expected rows, for [`END`](crate::cte::END), and returns the positions of events.
    /// If the end does not arrive, the idle limit ends the transaction; until then no other one assigns positions.
    ///
    /// The rows are counted first: the usage rows, which may be locked by others, come before the feed heads, which are
    /// read with the positions.
    fn text(self) -> &'static str {
        static TEXTS: [OnceLock<String>; Shape::ALL] = [const { OnceLock::new() }; Shape::ALL];
        let Some(text) = TEXTS.get(usize::from(self.0)) else { return "" };
        text.get_or_init(|| {
            let CteStatement { tables, counts, values } = CteStatement::of(&self.parts());
            let expected = values + 1;
            let placed = if self.has(Self::EVENTS) { PLACED } else { NOTHING_PLACED };
            format!(
                "WITH {tables}
                SELECT written.*, false AS is_more, p.organization_id, p.sequenced_at, p.position, p.event_id, p.created_at,
                    p.has_deliveries IS TRUE AS has_deliveries
                FROM (SELECT set_config('{COMPLETE}', ({counts} = ${expected}::bigint[])::integer::text, true) = '1'
                        AS is_complete,
                    set_config('idle_in_transaction_session_timeout', '{IDLE_IN_TRANSACTION_TIMEOUT}', true) AS longest) written
                    LEFT JOIN ({placed}) p ON true
                ORDER BY p.organization_id, p.position"
            )
        })
    }
}

const PLACED: &str = "SELECT organization_id, sequenced_at, position, event_id, created_at,
    organization_id IN (SELECT organization_id FROM for_webhooks) AS has_deliveries FROM placed";

const NOTHING_PLACED: &str = "SELECT NULL::uuid AS organization_id, NULL::timestamptz AS sequenced_at,
    NULL::bigint AS position, NULL::uuid AS event_id, NULL::timestamptz AS created_at, false AS has_deliveries";

/// Result row of the statement, which states whether it is complete.
#[derive(QueryableByName)]
struct WrittenRow {
    #[diesel(sql_type = Bool)]
    is_complete: bool,
    #[diesel(embed)]
    sequenced: SequencedRow,
}

/// Runs the last writes by the statement of their shape and returns the positions of events. [`END`](crate::cte::END)
/// follows.
///
/// # Errors
/// [`StoreError::Contention`] if it wrote other rows than expected.
pub(crate) async fn write(connection: &AsyncPgConnection, last: &Last<'_>) -> Result<Vec<Sequenced>, StoreError> {
    let shape = last.shape();
    let (statement, rows) = last.bind(shape, Sql::new(shape.text()))?;
    let expected = rows.into_iter().map(|rows| i64::try_from(rows).unwrap_or(i64::MAX));
    let written = statement.bigs(expected).rows_among::<WrittenRow>(connection).await?;
    if written.iter().any(|row| !row.is_complete) {
        return Err(contention());
    }
    Ok(sequenced(written.into_iter().map(|row| row.sequenced)))
}

/// Prepares the statement of a shape on a connection: it writes nothing and reports incompleteness.
pub(crate) async fn prepare(connection: &AsyncPgConnection, shape: Shape) -> Result<(), StoreError> {
    let (kept, mail) = (Kept::default(), NewMail::default());
    let nothing = Last::of(&kept, &mail, &[]);
    let (statement, _) = nothing.bind(shape, Sql::new(shape.text()))?;
    // No part writes zero rows as expected here.
    statement.bigs([]).rows_among::<WrittenRow>(connection).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use diesel_async::AsyncConnection;
    use inboxd_testkit::database::database;

    use super::*;

    #[tokio::test]
    async fn every_shape_is_a_valid_statement() {
        let database = database().await;
        crate::migrate(&database.url()).await.unwrap();
        let connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
        for kinds in 1..Shape::ALL {
            let shape = Shape(kinds.try_into().unwrap());
            assert_eq!(prepare(&connection, shape).await, Ok(()), "{shape:?}");
        }
    }
}
