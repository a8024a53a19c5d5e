//! Assembly of paragraphs, lists and nested tables from the events of an office document.

use crate::output::TextOutput;

/// Maximum depth of nested paragraphs and tables; deeper content joins the block around it.
const MAX_DEPTH: usize = 64;
/// Maximum length in bytes of one paragraph or cell; the rest is dropped.
const MAX_BLOCK_BYTES: usize = 4 * 1024 * 1024;

/// Role of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ParagraphRole {
    #[default]
    Body,
    /// A heading of level 1 to 6.
    Heading(usize),
    /// An item of a list at a depth that starts with 0.
    Item(usize),
}

#[derive(Debug, Default)]
struct OpenParagraph {
    text: String,
    role: ParagraphRole,
}

/// An open table with the cells of its current row.
#[derive(Debug, Default)]
struct OpenTable {
    cells: Vec<String>,
    is_in_cell: bool,
}

/// Collects text until a paragraph or a row is complete.
#[derive(Debug, Default)]
pub(crate) struct BlockBuilder {
    paragraphs: Vec<OpenParagraph>,
    tables: Vec<OpenTable>,
}

impl BlockBuilder {
    pub(crate) fn open_paragraph(&mut self) {
        if self.paragraphs.len() < MAX_DEPTH {
            self.paragraphs.push(OpenParagraph::default());
        }
    }

    pub(crate) fn set_role(&mut self, role: ParagraphRole) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.role = role;
        }
    }

    /// Appends text to the open paragraph; text outside is dropped.
    pub(crate) fn text(&mut self, text: &str) {
        if let Some(paragraph) = self.paragraphs.last_mut().filter(|open| open.text.len() < MAX_BLOCK_BYTES) {
            paragraph.text.push_str(text);
        }
    }

    /// Returns the length of the open paragraph.
    pub(crate) fn position(&self) -> usize {
        self.paragraphs.last().map_or(0, |paragraph| paragraph.text.len())
    }

    /// Turns the text of the open paragraph from a position into a link.
    pub(crate) fn link_from(&mut self, start: usize, target: &str, is_markdown: bool) {
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        let words = paragraph.text.get(start..).unwrap_or_default().trim();
        if words.is_empty() || words == target || target.contains(char::is_whitespace) {
            return;
        }
        let link = if is_markdown { format!("[{words}]({target})") } else { format!("{words} ({target})") };
        paragraph.text.truncate(start);
        paragraph.text.push_str(&link);
    }

    pub(crate) fn close_paragraph(&mut self, output: &mut TextOutput) {
        let Some(OpenParagraph { text, role }) = self.paragraphs.pop() else { return };
        if self.append_to_cell(&text) {
            return;
        }
        match role {
            ParagraphRole::Body => output.paragraph(&text),
            ParagraphRole::Heading(level) => output.heading(level, &text),
            ParagraphRole::Item(depth) => output.item(depth, &text),
        }
    }

    pub(crate) fn open_table(&mut self) {
        if self.tables.len() < MAX_DEPTH {
            self.tables.push(OpenTable::default());
        }
    }

    pub(crate) fn open_cell(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            table.cells.push(String::new());
            table.is_in_cell = true;
        }
    }

    pub(crate) fn close_cell(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            table.is_in_cell = false;
        }
    }

    /// Repeats the last cell; an empty one only stands for space.
    pub(crate) fn repeat_cell(&mut self, times: usize) {
        if let Some(table) = self.tables.last_mut()
            && let Some(cell) = table.cells.last().cloned()
        {
            table.cells.extend(std::iter::repeat_n(cell, times));
        }
    }

    pub(crate) fn is_in_table(&self) -> bool {
        !self.tables.is_empty()
    }

    /// Ends a row. Empty cells at its end are dropped. The row of a nested table joins the cell around it.
    pub(crate) fn close_row(&mut self, output: &mut TextOutput) {
        let Some(table) = self.tables.last_mut() else { return };
        let mut cells = std::mem::take(&mut table.cells);
        table.is_in_cell = false;
        let used = cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        cells.truncate(used);
        match self.tables.len() {
            1 => output.row(&cells),
            _ => self.append_to_outer_cell(&cells.join(" ")),
        }
    }

    pub(crate) fn close_table(&mut self, output: &mut TextOutput) {
        self.tables.pop();
        if self.tables.is_empty() {
            output.end_table();
        }
    }

    fn append_to_outer_cell(&mut self, text: &str) {
        if let Some(inner) = self.tables.pop() {
            self.append_to_cell(text);
            self.tables.push(inner);
        }
    }

    /// Appends text to the cell of the innermost table; returns false outside tables.
    fn append_to_cell(&mut self, text: &str) -> bool {
        let Some(table) = self.tables.last_mut() else { return false };
        if let Some(cell) = table.cells.last_mut().filter(|cell| table.is_in_cell && cell.len() < MAX_BLOCK_BYTES) {
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(text.trim());
        }
        true
    }
}
