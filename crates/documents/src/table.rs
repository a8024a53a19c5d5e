//! CSV and tables with other separators (RFC 4180).

use crate::Document;
use crate::output::TextOutput;
use crate::text::decode;

const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// Writes a table: its lines as they are, or a Markdown table.
pub(crate) fn read(document: &Document<'_>, output: &mut TextOutput) {
    let text = decode(document);
    if !output.is_markdown() {
        output.raw(&text);
        return;
    }
    let separator = separator(&text);
    let mut rest = text.as_str();
    while !rest.is_empty() && !output.is_full() {
        let (cells, after) = record(rest, separator);
        output.row(&cells);
        rest = after;
    }
}

/// Returns the most frequent separator of the first line, outside of quotes.
fn separator(text: &str) -> char {
    let line = text.lines().next().unwrap_or_default();
    let mut is_quoted = false;
    let mut counts = [0_usize; SEPARATORS.len()];
    for character in line.chars() {
        is_quoted ^= character == '"';
        if let Some(at) = SEPARATORS.iter().position(|separator| *separator == character && !is_quoted)
            && let Some(count) = counts.get_mut(at)
        {
            *count += 1;
        }
    }
    let best = SEPARATORS.iter().zip(counts).rev().max_by_key(|(_, count)| *count);
    best.filter(|(_, count)| *count > 0).map_or(',', |(separator, _)| *separator)
}

/// Splits off the first record of a text that is not empty.
fn record(text: &str, separator: char) -> (Vec<String>, &str) {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let Some(cell) = cells.last_mut() else { break };
        match character {
            '"' if is_quoted && characters.next_if(|(_, next)| *next == '"').is_some() => cell.push('"'),
            '"' if is_quoted => is_quoted = false,
            '"' if cell.is_empty() => is_quoted = true,
            '\n' if !is_quoted => return (cells, text.get(at + 1..).unwrap_or_default()),
            _ if character == separator && !is_quoted => cells.push(String::new()),
            _ => cell.push(character),
        }
    }
    (cells, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_quoted_cells() {
        let (cells, rest) = record("a,\"b \"\"c\"\"\nd\",\"\"\nx", ',');
        assert_eq!(cells, ["a", "b \"c\"\nd", ""]);
        assert_eq!(rest, "x");
    }

    #[test]
    fn separator_is_most_frequent_one() {
        for (line, expected) in [("a,b", ','), ("\"a,b,c\";2;3", ';'), ("a\tb,c\td", '\t'), ("alone", ',')] {
            assert_eq!(separator(line), expected, "{line}");
        }
    }
}
