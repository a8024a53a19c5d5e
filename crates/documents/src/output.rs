//! Writer of text or Markdown with a bound.

use crate::{DocumentText, TextFormat};

/// Maximum number of columns of a row; further cells are dropped.
const MAX_COLUMNS: usize = 256;
/// Maximum number of indented list levels.
const MAX_LIST_DEPTH: usize = 8;

/// Kind of the last block, which decides the gap before the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastBlock {
    None,
    Item,
    /// A row of a table with this number of columns.
    Row(usize),
    Other,
}

/// Collects the blocks of a document.
#[derive(Debug)]
pub(crate) struct TextOutput {
    format: TextFormat,
    text: String,
    /// Characters that may still be written.
    left: usize,
    is_cut: bool,
    last: LastBlock,
}

impl TextOutput {
    pub(crate) fn new(format: TextFormat, max_chars: usize) -> Self {
        Self { format, text: String::new(), left: max_chars, is_cut: false, last: LastBlock::None }
    }

    /// Creates an output of the same format for a part that may turn out empty.
    pub(crate) fn beside(other: &Self) -> Self {
        Self::new(other.format, other.left)
    }

    pub(crate) fn is_markdown(&self) -> bool {
        self.format == TextFormat::Markdown
    }

    /// Returns true if nothing more can be written. A reader stops then.
    pub(crate) fn is_full(&self) -> bool {
        self.left == 0
    }

    /// Notes that something of the document is missing.
    pub(crate) fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Writes a heading of level 1 to 6.
    pub(crate) fn heading(&mut self, level: usize, text: &str) {
        let line = one_line(text);
        if line.is_empty() {
            return;
        }
        self.begin(LastBlock::Other);
        if self.is_markdown() {
            let marks = "######";
            self.push(marks.get(..level.clamp(1, 6)).unwrap_or(marks));
            self.push(" ");
        }
        self.push(&line);
    }

    /// Writes a paragraph with its line breaks.
    pub(crate) fn paragraph(&mut self, text: &str) {
        let text = text.trim_matches(['\n', '\r', ' ']);
        if !text.trim().is_empty() {
            self.begin(LastBlock::Other);
            self.push(text);
        }
    }

    /// Writes an item of a list; depth 0 is the outermost.
    pub(crate) fn item(&mut self, depth: usize, text: &str) {
        let line = one_line(text);
        if line.is_empty() {
            return;
        }
        self.begin(LastBlock::Item);
        for _ in 0..depth.min(MAX_LIST_DEPTH) {
            self.push("  ");
        }
        self.push("- ");
        self.push(&line);
    }

    /// Writes a row of a table. The first row after another block is the header of a Markdown table.
    pub(crate) fn row(&mut self, cells: &[String]) {
        let cells = cells.get(..MAX_COLUMNS).unwrap_or(cells);
        if cells.iter().all(|cell| cell.trim().is_empty()) {
            return;
        }
        let is_markdown = self.is_markdown();
        let columns = match self.last {
            // Markdown drops the cells beyond the columns of the header: a wider row begins another table.
            LastBlock::Row(columns) if !is_markdown || cells.len() <= columns => Some(columns),
            _ => None,
        };
        if columns.is_none() {
            self.end_table();
        }
        self.begin(LastBlock::Row(columns.unwrap_or(cells.len())));
        for (at, cell) in cells.iter().enumerate() {
            let line = one_line(cell);
            if is_markdown {
                self.push(if at == 0 { "| " } else { " | " });
                self.push(&line.replace('|', "\\|"));
            } else {
                self.push(if at == 0 { "" } else { "\t" });
                self.push(&line);
            }
        }
        if is_markdown {
            self.push(" |");
            if columns.is_none() {
                self.push("\n|");
                self.push(&" --- |".repeat(cells.len()));
            }
        }
    }

    /// Ends a table: the next row begins another.
    pub(crate) fn end_table(&mut self) {
        if matches!(self.last, LastBlock::Row(_)) {
            self.last = LastBlock::Other;
        }
    }

    /// Writes lines as they are.
    pub(crate) fn raw(&mut self, text: &str) {
        self.push(text);
        self.last = LastBlock::Other;
    }

    pub(crate) fn finish(mut self) -> DocumentText {
        self.text.truncate(self.text.trim_end().len());
        let start = self.text.len() - self.text.trim_start_matches(['\n', '\r', ' ']).len();
        self.text.drain(..start);
        DocumentText { text: self.text, is_cut: self.is_cut }
    }

    fn begin(&mut self, next: LastBlock) {
        let gap = match (self.last, next) {
            (LastBlock::None, _) => "",
            (LastBlock::Item, LastBlock::Item) | (LastBlock::Row(_), LastBlock::Row(_)) => "\n",
            _ => "\n\n",
        };
        self.push(gap);
        self.last = next;
    }

    /// Appends text without control characters.
    fn push(&mut self, text: &str) {
        for character in text.chars() {
            if character.is_control() && !matches!(character, '\n' | '\t') {
                continue;
            }
            if self.left == 0 {
                self.is_cut = true;
                return;
            }
            self.left -= 1;
            self.text.push(character);
        }
    }
}

/// Joins the words of a text with single spaces.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: TextFormat) -> String {
        let mut output = TextOutput::new(format, 1000);
        output.heading(2, "Two\nlines");
        output.paragraph("First.\u{7}");
        output.item(0, "one");
        output.item(1, "two");
        output.row(&["a".to_owned(), "b|c".to_owned()]);
        output.row(&["1".to_owned(), String::new()]);
        output.row(&[String::new(), String::new()]);
        output.end_table();
        output.row(&["x".to_owned()]);
        output.finish().text
    }

    #[test]
    fn blocks_are_text_or_markdown() {
        assert_eq!(written(TextFormat::Plain), "Two lines\n\nFirst.\n\n- one\n  - two\n\na\tb|c\n1\t\n\nx");
        let markdown =
            "## Two lines\n\nFirst.\n\n- one\n  - two\n\n| a | b\\|c |\n| --- | --- |\n| 1 |  |\n\n| x |\n| --- |";
        assert_eq!(written(TextFormat::Markdown), markdown);
    }

    #[test]
    fn text_is_cut_at_limit() {
        let mut output = TextOutput::new(TextFormat::Plain, 3);
        output.paragraph("äöü");
        assert!(output.is_full());
        output.paragraph("more");
        assert_eq!(output.finish(), DocumentText { text: "äöü".to_owned(), is_cut: true });
    }
}
