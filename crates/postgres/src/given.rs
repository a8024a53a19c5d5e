//! Multi-row parameters: one array per column.
//!
//! `unnest` of several arrays first materializes each of them and then reads them side by side, which is most of the
//! cost for the few rows of a unit of work. So only the first array is unnested, and the others are indexed by its
//! ordinality. (23 columns, PostgreSQL 15: 20 to 30 µs without rows and 55 with four, beside 70 to 90 and 90 to 130 by
//! `unnest`; 90 to 170 with 64, beside 200 to 350.)

/// Maximum rows of a statement. A text in an array is found by a scan of those before it: 250 rows take as long as by
/// `unnest`, 500 twice as long, 5,000 six times.
pub(crate) const MOST: usize = 250;

/// Name and type of a column. A column of type `text[]` is bound by [`Sql::lists`](crate::sql::Sql::lists).
pub(crate) type Column = (&'static str, &'static str);

/// Joins the names of columns.
pub(crate) fn names(columns: &[Column]) -> String {
    columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Builds a subquery of rows with these columns. Their arrays are `$1` and so on, each as long as the first, which
/// contains no null.
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
