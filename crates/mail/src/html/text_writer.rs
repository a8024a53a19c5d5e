//! Word-by-word writer of text with pending separators.

use crate::sanitize;

/// Maximum number of marked quotation levels; deeper ones look the same.
const MAX_QUOTE_LEVELS: usize = 8;
/// Maximum number of indented list levels.
const MAX_LIST_LEVELS: usize = 4;

/// Marker before the words of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemMarker {
    Bullet,
    Number(i64),
    /// Description of a term.
    Indented,
    /// Heading of Markdown with its level.
    Heading(usize),
}

#[derive(Default)]
pub(crate) struct TextWriter {
    text: String,
    /// Pending line breaks; 2 make an empty line.
    breaks: usize,
    /// Pending spaces.
    spaces: usize,
    /// Pending cell separators.
    cells: usize,
    /// Pending marker with its list depth.
    marker: Option<(ItemMarker, usize)>,
    pub(crate) quote: usize,
    /// Quotation level of the last word written.
    last_quote: usize,
    /// True until the next word is written.
    seeks_word: bool,
    /// Start of the first word after [`Self::seek_word`].
    word_start: Option<usize>,
    /// True if line breaks become spaces, as in a cell of a data table.
    pub(crate) is_flat: bool,
}

impl TextWriter {
    /// Returns the number of bytes written.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn written_from(&self, start: usize) -> &str {
        self.text.get(start..).unwrap_or_default()
    }

    pub(crate) fn finish(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        self.text
    }

    pub(crate) fn need_breaks(&mut self, breaks: usize) {
        if breaks == 0 {
            return;
        }
        if self.is_flat {
            self.spaces = 1;
        } else {
            self.breaks = self.breaks.max(breaks);
            self.spaces = 0;
        }
    }

    pub(crate) fn break_line(&mut self) {
        self.need_breaks((self.breaks + 1).min(2));
    }

    pub(crate) fn need_space(&mut self) {
        self.spaces = 1;
    }

    pub(crate) fn start_row(&mut self) {
        self.cells = 0;
    }

    pub(crate) fn end_cell(&mut self) {
        self.cells += 1;
    }

    /// Sets the marker before the next word.
    pub(crate) fn mark(&mut self, marker: ItemMarker, lists: usize) {
        self.marker = Some((marker, lists)).filter(|_| !self.is_flat);
    }

    /// Clears the marker of an item without words.
    pub(crate) fn unmark(&mut self) {
        self.marker = None;
    }

    /// Writes words; each run of white space becomes one space.
    pub(crate) fn words(&mut self, text: &str) {
        if text.starts_with(char::is_whitespace) {
            self.spaces = 1;
        }
        for word in text.split_whitespace() {
            let shown = sanitize::visible_text(word);
            if !shown.is_empty() {
                self.begin(false);
                self.text.push_str(&shown);
            }
            self.spaces = 1;
        }
        if !text.ends_with(char::is_whitespace) && !text.is_empty() {
            self.spaces = 0;
        }
    }

    /// Writes lines with their spaces.
    pub(crate) fn lines(&mut self, text: &str) {
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.break_line();
            }
            let end = line.trim_end();
            if !end.is_empty() {
                self.begin(true);
                self.text.push_str(&sanitize::visible_text(end));
            }
            self.spaces += line.len() - end.len();
        }
    }

    /// Writes text right after the last word.
    pub(crate) fn append(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Notes where the next word starts.
    pub(crate) fn seek_word(&mut self) {
        self.seeks_word = true;
        self.word_start = None;
    }

    /// Makes the words since [`Self::seek_word`] a link of Markdown; returns false without words.
    pub(crate) fn link_words(&mut self, target: &str) -> bool {
        let start = self.word_start.take().filter(|start| self.text.is_char_boundary(*start));
        if let Some(start) = start {
            self.text.insert(start, '[');
            self.text.push_str("](");
            self.text.push_str(target);
            self.text.push(')');
        }
        start.is_some()
    }

    /// Ends a row of a Markdown table, and writes the line below a header with this number of cells.
    pub(crate) fn end_row(&mut self, header_cells: Option<usize>) {
        self.text.extend(std::iter::repeat_n(" |", self.cells + 1));
        self.cells = 0;
        if let Some(cells) = header_cells {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n("> ", self.last_quote));
            self.text.push('|');
            self.text.extend(std::iter::repeat_n(" --- |", cells));
        }
    }

    /// Returns the last character written, unless a separator is pending.
    pub(crate) fn neighbour(&self) -> Option<char> {
        self.text.chars().next_back().filter(|_| self.breaks == 0 && self.spaces == 0 && self.cells == 0)
    }

    /// Writes the pending separators before a word.
    fn begin(&mut self, keeps_spaces: bool) {
        if self.text.is_empty() || self.breaks > 0 {
            self.begin_line();
            if keeps_spaces {
                self.text.extend(std::iter::repeat_n(' ', self.spaces));
            }
            self.text.extend(std::iter::repeat_n("| ", self.cells));
        } else if self.cells > 0 {
            self.text.extend(std::iter::repeat_n(" |", self.cells));
            self.text.push(' ');
        } else {
            self.text.extend(std::iter::repeat_n(' ', self.spaces));
        }
        self.breaks = 0;
        self.spaces = 0;
        self.cells = 0;
        if std::mem::take(&mut self.seeks_word) {
            self.word_start = Some(self.text.len());
        }
    }

    fn begin_line(&mut self) {
        let quotes = self.quote.min(MAX_QUOTE_LEVELS);
        if !self.text.is_empty() {
            // An empty line belongs to the quotation only if both neighbours do.
            let shared = quotes.min(self.last_quote);
            for _ in 1..self.breaks {
                self.text.push('\n');
                self.text.extend(std::iter::repeat_n("> ", shared));
                self.text.truncate(self.text.len() - usize::from(shared > 0));
            }
            self.text.push('\n');
        }
        self.last_quote = quotes;
        self.text.extend(std::iter::repeat_n("> ", quotes));
        let Some((marker, lists)) = self.marker.take() else {
            return;
        };
        self.text.extend(std::iter::repeat_n("  ", lists.saturating_sub(1).min(MAX_LIST_LEVELS)));
        match marker {
            ItemMarker::Bullet => self.text.push_str("- "),
            ItemMarker::Number(number) => {
                self.text.push_str(&number.to_string());
                self.text.push_str(". ");
            }
            ItemMarker::Indented => self.text.push_str("  "),
            ItemMarker::Heading(level) => {
                self.text.extend(std::iter::repeat_n('#', level));
                self.text.push(' ');
            }
        }
    }
}
