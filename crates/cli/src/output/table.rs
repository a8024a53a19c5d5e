//! Tables, fitted to the terminal.

use serde_json::Value;
use time::OffsetDateTime;

use super::columns::{ColumnKind, TableColumn, value};
use super::text::{clip, one_line, width};
use super::{Terminal, clock};

/// Space between columns.
const GAP: &str = "  ";
/// Width below which no column is cut.
const MIN_WIDTH: usize = 10;
/// Width that texts keep as long as there are columns to leave out.
const FAIR_WIDTH: usize = 20;

/// Renders items as a table. Where standard output is no terminal, nothing is cut.
pub(crate) fn render(columns: &[TableColumn], items: &[Value], terminal: Terminal, now: OffsetDateTime) -> String {
    let columns = &shown(columns, items, terminal, now);
    let rows = cells(columns, items, now);
    let widths = fitted(columns, &rows, terminal);
    let mut table = String::new();
    let headers: Vec<String> = columns.iter().map(|column| column.header.to_string()).collect();
    table.push_str(&terminal.bold(&line(&headers, &widths)));
    table.push('\n');
    for row in &rows {
        table.push_str(&line(row, &widths));
        table.push('\n');
    }
    table
}

/// Returns the columns that have room: all, or those that are not left out.
fn shown(columns: &[TableColumn], items: &[Value], terminal: Terminal, now: OffsetDateTime) -> Vec<TableColumn> {
    let natural = natural(columns, &cells(columns, items, now));
    let is_text = |column: &TableColumn| column.kind == ColumnKind::Text;
    let fair =
        columns.iter().zip(natural).map(|(column, width)| if is_text(column) { width.min(FAIR_WIDTH) } else { width });
    let has_room = terminal.columns().is_none_or(|available| fair.sum::<usize>() + gaps(columns) <= available);
    columns.iter().filter(|column| has_room || column.kind != ColumnKind::Extra).cloned().collect()
}

fn cells(columns: &[TableColumn], items: &[Value], now: OffsetDateTime) -> Vec<Vec<String>> {
    items.iter().map(|item| columns.iter().map(|column| cell(column, item, now)).collect()).collect()
}

fn gaps(columns: &[TableColumn]) -> usize {
    GAP.len() * columns.len().saturating_sub(1)
}

/// Returns the widths of columns that are not cut.
fn natural(columns: &[TableColumn], rows: &[Vec<String>]) -> Vec<usize> {
    let widest = |index: usize| rows.iter().filter_map(|row| row.get(index)).map(|cell| width(cell)).max().unwrap_or(0);
    columns.iter().enumerate().map(|(index, column)| widest(index).max(width(&column.header))).collect()
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, limit) in cells.iter().zip(widths) {
        let cell = clip(cell, *limit);
        line.push_str(&cell);
        line.push_str(&" ".repeat(limit.saturating_sub(width(&cell))));
        line.push_str(GAP);
    }
    line.trim_end().to_owned()
}

fn cell(column: &TableColumn, item: &Value, now: OffsetDateTime) -> String {
    let value = value(item, &column.field);
    match (column.kind, value.as_str()) {
        (ColumnKind::Time, Some(text)) => clock::relative(&one_line(text), now),
        _ => plain(value),
    }
}

/// Returns a value as one line of text.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => one_line(text),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => one_line(&other.to_string()),
    }
}

/// Returns the widths of columns. The widest texts shrink first until all columns fit the terminal.
fn fitted(columns: &[TableColumn], rows: &[Vec<String>], terminal: Terminal) -> Vec<usize> {
    let mut widths = natural(columns, rows);
    let Some(available) = terminal.columns() else { return widths };
    let gaps = gaps(columns);
    while widths.iter().sum::<usize>() + gaps > available {
        let texts = columns.iter().zip(widths.iter_mut()).filter(|(column, _)| column.kind == ColumnKind::Text);
        match texts.map(|(_, width)| width).max_by_key(|width| **width) {
            Some(width) if *width > MIN_WIDTH => *width -= 1,
            _ => break,
        }
    }
    widths
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::OffsetDateTime;

    use super::*;
    use crate::output::columns;

    fn messages() -> Vec<Value> {
        vec![
            json!({"timestamp": "1970-01-01T00:00:00Z", "from": "Alice <alice@outside.example>", "labels": ["unread"],
                "subject": "A subject that is longer than any narrow terminal", "message_id": "<1@inboxd.localhost>"}),
            json!({"timestamp": "1969-12-31T23:00:00Z", "from": "b@x", "subject": "\u{1b}[2Jevil\nsubject", "message_id": "<2@x>"}),
        ]
    }

    #[test]
    fn table_fits_the_terminal_and_keeps_ids() {
        let (items, now) = (messages(), OffsetDateTime::UNIX_EPOCH);
        let columns = columns::of("messages", &items);
        let shown = render(&columns, &items, Terminal::colored(80), now);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines.first().is_some_and(|header| header.starts_with("\u{1b}[1mWHEN")));
        assert!(lines.iter().skip(1).all(|line| width(line) <= 80 && !line.contains('\u{1b}')), "{shown}");
        assert!(shown.contains("<1@inboxd.localhost>") && shown.contains('…') && shown.contains("1 h ago"), "{shown}");
        assert!(shown.contains("[2Jevil subject"), "{shown}");
        assert!(!shown.contains("LABELS") && render(&columns, &items, Terminal::colored(120), now).contains("LABELS"));
    }

    #[test]
    fn output_to_a_file_is_not_cut() {
        let (items, now) = (messages(), OffsetDateTime::UNIX_EPOCH);
        let shown = render(&columns::of("messages", &items), &items, Terminal::none(), now);
        assert!(shown.contains("A subject that is longer than any narrow terminal"), "{shown}");
        assert!(!shown.contains('\u{1b}'));
    }

    #[test]
    fn unknown_items_show_their_plain_fields() {
        let items = [json!({"thing_id": "t", "size": 5, "empty": null, "inner": {"a": 1}})];
        let shown = render(&columns::of("things", &items), &items, Terminal::none(), OffsetDateTime::UNIX_EPOCH);
        assert_eq!(shown, "SIZE  THING ID\n5     t\n");
    }
}
