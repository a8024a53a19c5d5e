//! Several writes in one statement.
//!
//! Each separate statement would cost its own processing in the server and wake the client once.

use diesel::QueryableByName;
use diesel::sql_types::{Array, BigInt};
use diesel_async::AsyncPgConnection;
use inboxd_core::ports::StoreError;

use crate::error::contention;
use crate::sql::Sql;
use crate::usage::to_count;

/// Setting by which the last statement of a transaction reports that it wrote the expected rows: `1`, otherwise `0`.
pub(crate) const COMPLETE: &str = "inboxd.complete";

/// Ends a transaction in the round trip of its last statement. Fails unless that statement set [`COMPLETE`] in the same
/// transaction: a setting of another one is reset.
pub(crate) const END: &str = "SELECT 1 / current_setting('inboxd.complete')::integer; COMMIT";

/// One write as a part of a statement.
#[derive(Clone)]
pub(crate) struct CteFragment {
    /// Common table expressions with values from `$1` on.
    pub(crate) tables: String,
    /// Name of the expression with counted rows.
    pub(crate) counted: &'static str,
}

/// Numbers of written rows by part.
#[derive(QueryableByName)]
struct WrittenCounts {
    #[diesel(sql_type = Array<BigInt>)]
    counts: Vec<i64>,
}

/// Parts combined into one statement, with all values in order.
pub(crate) struct CteStatement {
    /// Common table expressions of all parts.
    pub(crate) tables: String,
    /// Array expression of the numbers of written rows by part.
    pub(crate) counts: String,
    /// Number of values.
    pub(crate) values: usize,
}

impl CteStatement {
    /// Combines parts.
    pub(crate) fn of(parts: &[CteFragment]) -> Self {
        let (mut tables, mut counts, mut values) = (Vec::new(), Vec::new(), 0);
        for part in parts {
            let (text, last) = renumbered(&part.tables, values);
            tables.push(text);
            counts.push(format!("(SELECT count(*) FROM {})", part.counted));
            values = last;
        }
        Self { tables: tables.join(", "), counts: format!("ARRAY[{}]", counts.join(", ")), values }
    }
}

/// Returns the text of one statement with these parts, for [`Sql::write`].
pub(crate) fn writing(parts: &[CteFragment]) -> String {
    let CteStatement { tables, counts, .. } = CteStatement::of(parts);
    format!("WITH {tables} SELECT {counts} AS counts")
}

/// Renumbers the values of a text behind `before` others, and returns the new total.
fn renumbered(text: &str, before: usize) -> (String, usize) {
    let mut pieces = text.split('$');
    let (mut renumbered, mut last) = (pieces.next().unwrap_or_default().to_owned(), before);
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
        let (number, rest) = piece.split_at(end);
        renumbered.push('$');
        if let Ok(number) = number.parse::<usize>() {
            last = last.max(before + number);
            renumbered.push_str(&(before + number).to_string());
        }
        renumbered.push_str(rest);
    }
    (renumbered, last)
}

impl Sql<'_> {
    /// Runs a statement of several parts with the expected rows of each.
    ///
    /// # Errors
    /// [`StoreError::Contention`] for other numbers of rows: another change came first.
    pub(crate) async fn write(self, connection: &AsyncPgConnection, expected: &[usize]) -> Result<(), StoreError> {
        let written = self.rows_among::<WrittenCounts>(connection).await?;
        let written = written.into_iter().flat_map(|row| row.counts).map(to_count);
        let expected = expected.iter().map(|rows| u64::try_from(*rows).unwrap_or(u64::MAX));
        if written.eq(expected) { Ok(()) } else { Err(contention()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_checks_setting_of_last_statement() {
        assert!(END.contains(&format!("'{COMPLETE}'")));
    }

    #[test]
    fn values_of_parts_are_renumbered() {
        let part = |tables: &'static str, counted| CteFragment { tables: tables.into(), counted };
        let parts = [
            part("a AS (INSERT INTO x SELECT $2, $1 || '$' RETURNING 1)", "a"),
            part("b AS (DELETE FROM y)", "b"),
            part("c AS (SELECT $1, $12)", "c"),
        ];
        assert_eq!(
            writing(&parts),
            "WITH a AS (INSERT INTO x SELECT $2, $1 || '$' RETURNING 1), b AS (DELETE FROM y), c AS (SELECT $3, $14) \
             SELECT ARRAY[(SELECT count(*) FROM a), (SELECT count(*) FROM b), (SELECT count(*) FROM c)] AS counts"
        );
    }
}
