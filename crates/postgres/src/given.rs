//! Rows that a statement is given, however many there are: an array for each of their columns.
//!
//! `unnest` of several arrays first lays each of them down in a store of its own, and then reads these side by side: for the
//! few rows of a unit of work that is most of what they take. So only the first array is unnested, and the others are asked
//! for what they hold at its place. (23 columns, PostgreSQL 15: 20 to 30 µs without rows and 55 with four, beside 70 to 90
//! and 90 to 130 by `unnest`; 90 to 170 with 64, beside 200 to 350.)

/// How many rows a statement is given at most, where there may be many. The place of a text in an array is found by walking
/// along those before it: 250 rows take as long as by `unnest`, 500 twice as long, 5,000 six times.
pub(crate) const MOST: usize = 250;

/// A column: its name, and the type of its values. One of type `text[]` is bound by [`Sql::lists`](crate::sql::Sql::lists).
pub(crate) type Column = (&'static str, &'static str);

/// The names of columns.
pub(crate) fn names(columns: &[Column]) -> String {
    columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// A statement for the rows of these columns, whose arrays are `$1` and so on, each as long as the first, in which nothing is
/// null.
pub(crate) fn rows(columns: &[Column]) -> String {
    let value = |(place, (name, kind)): (usize, &Column)| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_array_says_how_many_rows_there_are() {
        let columns = [("inbox_id", "text"), ("labels", "text[]"), ("size", "bigint")];
        assert_eq!(names(&columns), "inbox_id, labels, size");
        assert_eq!(
            rows(&columns),
            "SELECT inbox_id, (($2::text[])[place])::text[] AS labels, ($3::bigint[])[place] AS size \
             FROM unnest($1::text[]) WITH ORDINALITY AS given(inbox_id, place)"
        );
    }
}
