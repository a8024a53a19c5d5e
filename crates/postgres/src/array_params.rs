//! Multi-row parameters: one array per column.
//!
//! `unnest` of several arrays materializes each of them first, which is most of the cost of a few rows. So only the
//! first array is unnested, and the others are read by subscript. (23 columns, PostgreSQL 15: 20 to 30 µs without rows
//! and 55 with four, against 70 to 90 and 90 to 130 by `unnest`; 90 to 170 with 64, against 200 to 350.)

use diesel::sql_types::{
    Array, Binary, Bool, Date as SqlDate, Integer, Jsonb, Nullable, SmallInt, Text, Uuid as SqlUuid,
};
use inboxd_core::ports::StoreError;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::json::StoredJson;
use crate::sql::Sql;
use crate::text::storable;

/// Maximum rows of one statement. A subscript of a text array reads all texts before it: 250 rows take as long as by
/// `unnest`, 500 twice as long, 5,000 six times.
pub(crate) const MAX_ROWS: usize = 250;

/// A column of a multi-row statement: its name, and its value for each `T`.
pub(crate) type Column<T> = (&'static str, Values<T>);

/// Values of a column, which also determine its SQL type.
pub(crate) enum Values<T> {
    Bool(fn(&T) -> bool),
    SmallInt(fn(&T) -> i16),
    Integer(fn(&T) -> i32),
    OptionalInteger(fn(&T) -> Option<i32>),
    BigInt(fn(&T) -> i64),
    Date(fn(&T) -> Date),
    Time(fn(&T) -> OffsetDateTime),
    OptionalTime(fn(&T) -> Option<OffsetDateTime>),
    Uuid(fn(&T) -> Uuid),
    OptionalUuid(fn(&T) -> Option<Uuid>),
    Text(for<'a> fn(&'a T) -> &'a str),
    OptionalText(for<'a> fn(&'a T) -> Option<&'a str>),
    /// Computed text, which must be [`storable`].
    ComputedText(fn(&T) -> String),
    OptionalComputedText(fn(&T) -> Option<String>),
    /// List of texts in the form of [`text_list`]: PostgreSQL arrays cannot contain arrays of different lengths.
    Texts(fn(&T) -> String),
    Json(fn(&T) -> Result<StoredJson, StoreError>),
    OptionalJson(fn(&T) -> Result<Option<StoredJson>, StoreError>),
    Bytes(for<'a> fn(&'a T) -> &'a [u8]),
    OptionalBytes(for<'a> fn(&'a T) -> Option<&'a [u8]>),
}

impl<T> Values<T> {
    fn sql_type(&self) -> &'static str {
        match self {
            Self::Bool(_) => "boolean",
            Self::SmallInt(_) => "smallint",
            Self::Integer(_) | Self::OptionalInteger(_) => "integer",
            Self::BigInt(_) => "bigint",
            Self::Date(_) => "date",
            Self::Time(_) | Self::OptionalTime(_) => "timestamptz",
            Self::Uuid(_) | Self::OptionalUuid(_) => "uuid",
            Self::Text(_) | Self::OptionalText(_) | Self::ComputedText(_) | Self::OptionalComputedText(_) => "text",
            Self::Texts(_) => "text[]",
            Self::Json(_) | Self::OptionalJson(_) => "jsonb",
            Self::Bytes(_) | Self::OptionalBytes(_) => "bytea",
        }
    }

    /// Binds the values of all rows as one array.
    fn bind<'a>(&self, sql: Sql<'a>, rows: &'a [T]) -> Result<Sql<'a>, StoreError> {
        let rows = rows.iter();
        Ok(match self {
            Self::Bool(value) => sql.bind::<Array<Bool>, _>(rows.map(value).collect::<Vec<_>>()),
            Self::SmallInt(value) => sql.bind::<Array<SmallInt>, _>(rows.map(value).collect::<Vec<_>>()),
            Self::Integer(value) => sql.bind::<Array<Integer>, _>(rows.map(value).collect::<Vec<_>>()),
            Self::OptionalInteger(value) => {
                sql.bind::<Array<Nullable<Integer>>, _>(rows.map(value).collect::<Vec<_>>())
            }
            Self::BigInt(value) => sql.bigs(rows.map(value)),
            Self::Date(value) => sql.bind::<Array<SqlDate>, _>(rows.map(value).collect::<Vec<_>>()),
            Self::Time(value) => sql.times(rows.map(value)),
            Self::OptionalTime(value) => sql.optional_times(rows.map(value)),
            Self::Uuid(value) => sql.uuids(rows.map(value)),
            Self::OptionalUuid(value) => sql.bind::<Array<Nullable<SqlUuid>>, _>(rows.map(value).collect::<Vec<_>>()),
            Self::Text(value) => sql.texts(rows.map(value)),
            Self::OptionalText(value) => sql.optional_texts(rows.map(value)),
            Self::ComputedText(value) | Self::Texts(value) => {
                sql.bind::<Array<Text>, _>(rows.map(value).collect::<Vec<_>>())
            }
            Self::OptionalComputedText(value) => {
                sql.bind::<Array<Nullable<Text>>, _>(rows.map(value).collect::<Vec<_>>())
            }
            Self::Json(value) => sql.bind::<Array<Jsonb>, _>(rows.map(value).collect::<Result<Vec<_>, _>>()?),
            Self::OptionalJson(value) => {
                sql.bind::<Array<Nullable<Jsonb>>, _>(rows.map(value).collect::<Result<Vec<_>, _>>()?)
            }
            Self::Bytes(value) => sql.bind::<Array<Binary>, _>(rows.map(value).collect::<Vec<_>>()),
            Self::OptionalBytes(value) => sql.bind::<Array<Nullable<Binary>>, _>(rows.map(value).collect::<Vec<_>>()),
        })
    }
}

/// Returns the names of columns, separated by commas.
pub(crate) fn names<T: 'static>(columns: impl IntoIterator<Item = &'static Column<T>>) -> String {
    columns.into_iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Returns a query for the rows that [`Sql::bind_rows`] binds from `$1` on. The first column must not have nulls.
pub(crate) fn unnest_rows<T: 'static>(columns: impl IntoIterator<Item = &'static Column<T>>) -> String {
    query(&types(columns).collect::<Vec<_>>())
}

/// Returns a query like [`unnest_rows`] for rows in two parts, which are bound one after the other.
pub(crate) fn unnest_joined_rows<T: 'static, U: 'static>(
    columns: impl IntoIterator<Item = &'static Column<T>>,
    others: impl IntoIterator<Item = &'static Column<U>>,
) -> String {
    query(&types(columns).chain(types(others)).collect::<Vec<_>>())
}

/// Returns the names and SQL types of columns.
fn types<T: 'static>(
    columns: impl IntoIterator<Item = &'static Column<T>>,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    columns.into_iter().map(|(name, values)| (*name, values.sql_type()))
}

fn query(columns: &[(&str, &str)]) -> String {
    let value = |(place, (name, kind)): (usize, &(&str, &str))| {
        let number = place + 1;
        match (place, kind.strip_suffix("[]")) {
            (0, _) => (*name).to_owned(),
            (_, Some(of)) => format!("((${number}::{of}[])[place])::{kind} AS {name}"),
            (_, None) => format!("(${number}::{kind}[])[place] AS {name}"),
        }
    };
    let values = columns.iter().enumerate().map(value).collect::<Vec<_>>().join(", ");
    let (first, kind) = columns.first().copied().unwrap_or_default();
    format!("SELECT {values} FROM unnest($1::{kind}[]) WITH ORDINALITY AS given({first}, place)")
}

impl<'a> Sql<'a> {
    /// Binds the values of columns for rows, as [`unnest_rows`] reads them.
    pub(crate) fn bind_rows<T: 'static>(
        self,
        columns: impl IntoIterator<Item = &'static Column<T>>,
        rows: &'a [T],
    ) -> Result<Self, StoreError> {
        columns.into_iter().try_fold(self, |sql, (_, values)| values.bind(sql, rows))
    }
}

/// Returns a list of texts as a PostgreSQL array literal for `::text[]`.
pub(crate) fn text_list<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> String {
    let mut list = "{".to_owned();
    for text in texts {
        if list.len() > 1 {
            list.push(',');
        }
        list.push('"');
        for c in storable(text.as_ref()).chars() {
            if matches!(c, '"' | '\\') {
                list.push('\\');
            }
            list.push(c);
        }
        list.push('"');
    }
    list.push('}');
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_array_decides_number_of_rows() {
        const COLUMNS: &[Column<String>] = &[
            ("inbox_id", Values::Text(|text| text)),
            ("labels", Values::Texts(|text| text_list([text]))),
            ("size", Values::BigInt(|_| 1)),
        ];
        assert_eq!(names(COLUMNS), "inbox_id, labels, size");
        assert_eq!(
            unnest_rows(COLUMNS),
            "SELECT inbox_id, (($2::text[])[place])::text[] AS labels, ($3::bigint[])[place] AS size \
             FROM unnest($1::text[]) WITH ORDINALITY AS given(inbox_id, place)"
        );
    }
}
