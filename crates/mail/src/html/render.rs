//! Renderer from HTML to readable text.

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::references::{attribute_references, references};
use super::style::{ComputedStyle, WhiteSpace};
use super::tables::data_tables;
use super::target::LinkTarget;
use super::text_writer::{ItemMarker, TextWriter};
use super::tokens::{HtmlToken, TokenKind};
use super::walk::{HtmlVisitor, walk};

/// Form of the rendered text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RenderMode {
    /// Text with link targets after the link words.
    Text,
    /// Text without link targets.
    Words,
    /// Text with the links, headings, tables and code blocks of Markdown.
    Markdown,
}

/// Renders HTML to text, up to `limit` bytes of output.
pub(crate) fn render(html: &str, mode: RenderMode, limit: usize) -> String {
    let mut page = PageRenderer {
        writer: TextWriter::default(),
        limit,
        mode,
        link: None,
        lists: Vec::new(),
        tables: Vec::new(),
        kinds: data_tables(html).into_iter(),
        is_raised: false,
        heading: None,
    };
    walk(html, &mut page);
    page.writer.finish()
}

struct PageRenderer {
    writer: TextWriter,
    limit: usize,
    mode: RenderMode,
    /// Target of the current link and the start of its words.
    link: Option<(LinkTarget, usize)>,
    /// Enclosing lists, with the next item number for numbered ones.
    lists: Vec<Option<i64>>,
    /// Enclosing tables; `None` for layout tables.
    tables: Vec<Option<DataTable>>,
    /// For each following table, true if it contains data.
    kinds: std::vec::IntoIter<bool>,
    /// True at the first word of a superscript.
    is_raised: bool,
    /// Level of the heading that the current token starts.
    heading: Option<usize>,
}

/// An open table with data.
#[derive(Debug, Clone, Copy, Default)]
struct DataTable {
    /// Number of cells of the current row.
    cells: usize,
    /// Length of the text before the current row.
    row_start: usize,
    /// True after the first row with words.
    has_header: bool,
}

impl HtmlVisitor for PageRenderer {
    fn token(&mut self, token: &HtmlToken<'_>) {
        self.heading = match token.kind {
            TokenKind::Open(name, _) if self.is_markdown() => heading_level(name),
            _ => None,
        };
    }

    fn open(&mut self, tag: HtmlTag, attributes: &ElementAttributes<'_>, style: &ComputedStyle) {
        self.set_apart(tag, style);
        match tag {
            HtmlTag::Anchor => self.start_link(attributes),
            HtmlTag::Blockquote => self.writer.quote += 1,
            HtmlTag::Break if !style.is_gone() => self.writer.break_line(),
            HtmlTag::Cell | HtmlTag::HeadCell => self.start_cell(),
            HtmlTag::Definition => self.writer.mark(ItemMarker::Indented, self.lists.len()),
            HtmlTag::Image if style.shows_pictures() => self.image(attributes),
            HtmlTag::Input if style.shows_words() => self.input(attributes),
            HtmlTag::Item => self.start_item(attributes),
            HtmlTag::List => self.lists.push(None),
            HtmlTag::OrderedList => self.lists.push(Some(number(attributes.start).unwrap_or(1))),
            HtmlTag::Quotation if style.shows_words() => self.writer.words("“"),
            HtmlTag::Preformatted if style.shows_words() => self.fence(),
            HtmlTag::Row => {
                self.writer.start_row();
                if let Some(Some(table)) = self.tables.last_mut() {
                    (table.cells, table.row_start) = (0, self.writer.len());
                }
            }
            HtmlTag::Rule if style.shows_pictures() => {
                self.writer.words("---");
                self.writer.need_breaks(1);
            }
            HtmlTag::Spaced => {
                if let Some(level) = self.heading.take() {
                    self.writer.mark(ItemMarker::Heading(level), 0);
                }
            }
            HtmlTag::Superscript => self.is_raised = true,
            HtmlTag::Table => {
                let is_data = self.kinds.next().unwrap_or_default();
                if is_data && self.is_markdown() {
                    self.writer.need_breaks(2);
                }
                self.tables.push(is_data.then(DataTable::default));
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: HtmlTag, style: &ComputedStyle) {
        match tag {
            HtmlTag::Anchor => self.end_link(),
            HtmlTag::Blockquote => self.writer.quote = self.writer.quote.saturating_sub(1),
            HtmlTag::Cell | HtmlTag::HeadCell => {
                self.writer.is_flat = false;
                self.writer.need_space();
            }
            HtmlTag::Item => self.writer.unmark(),
            HtmlTag::Spaced if self.is_markdown() => self.writer.unmark(),
            HtmlTag::Preformatted if style.shows_words() => self.fence(),
            HtmlTag::List | HtmlTag::OrderedList => {
                self.lists.pop();
            }
            HtmlTag::Quotation if style.shows_words() => self.writer.append("”"),
            HtmlTag::Row => self.end_row(),
            HtmlTag::Superscript => self.is_raised = false,
            HtmlTag::Table => {
                let breaks = if self.tables.pop().flatten().is_some() && self.is_markdown() { 2 } else { 0 };
                self.writer.need_breaks(breaks);
            }
            _ => {}
        }
        self.set_apart(tag, style);
    }

    fn is_done(&self) -> bool {
        self.writer.len() >= self.limit
    }

    fn text(&mut self, text: &str, style: &ComputedStyle) {
        if !style.shows_words() {
            return;
        }
        let mut text = references(text);
        if self.is_markdown() && self.writer.is_flat && text.contains('|') {
            text = text.replace('|', "\\|").into();
        }
        if self.is_raised && !text.trim_start().is_empty() {
            self.raise(&text);
        }
        match style.white_space {
            WhiteSpace::Collapses => self.writer.words(&text),
            WhiteSpace::Stays => self.writer.lines(&text),
            WhiteSpace::Lines => {
                for (at, line) in text.split('\n').enumerate() {
                    if at > 0 {
                        self.writer.break_line();
                    }
                    self.writer.words(line);
                }
            }
        }
    }
}

impl PageRenderer {
    fn set_apart(&mut self, tag: HtmlTag, style: &ComputedStyle) {
        let is_in_list = matches!(tag, HtmlTag::List | HtmlTag::OrderedList) && !self.lists.is_empty();
        if !style.is_gone() {
            self.writer.need_breaks(if is_in_list { 1 } else { tag.gap() });
        }
    }

    fn start_link(&mut self, attributes: &ElementAttributes<'_>) {
        if self.mode != RenderMode::Words {
            let target = attributes.href.and_then(|target| LinkTarget::read(&attribute_references(target)));
            self.link = target.map(|target| (target, self.writer.len()));
            self.writer.seek_word();
        }
    }

    /// Writes the link target unless the words name it.
    fn end_link(&mut self) {
        let Some((target, start)) = self.link.take() else {
            return;
        };
        let words = self.writer.written_from(start).trim();
        if words.is_empty() || target.is_named_by(words) {
            return;
        }
        if !self.is_markdown() || words.contains('\n') || !self.writer.link_words(target.as_str()) {
            let shown = format!(" ({})", target.as_str());
            self.writer.append(&shown);
        }
    }

    fn start_cell(&mut self) {
        self.writer.need_space();
        let is_markdown = self.is_markdown();
        if let Some(Some(table)) = self.tables.last_mut() {
            table.cells += 1;
            // The rows of Markdown start with a separator too.
            if table.cells > 1 || is_markdown {
                self.writer.end_cell();
            }
            self.writer.is_flat = true;
        }
    }

    fn end_row(&mut self) {
        if let Some(Some(table)) = self.tables.last_mut()
            && self.mode == RenderMode::Markdown
            && self.writer.len() > table.row_start
        {
            self.writer.end_row((!table.has_header).then_some(table.cells));
            table.has_header = true;
        }
        self.writer.start_row();
    }

    fn is_markdown(&self) -> bool {
        self.mode == RenderMode::Markdown
    }

    /// Starts or ends a code block.
    fn fence(&mut self) {
        if self.is_markdown() && !self.writer.is_flat {
            self.writer.need_breaks(1);
            self.writer.words("```");
            self.writer.need_breaks(1);
        }
    }

    fn start_item(&mut self, attributes: &ElementAttributes<'_>) {
        let marker = match self.lists.last_mut() {
            Some(Some(next)) => {
                let number = number(attributes.value).unwrap_or(*next);
                *next = number.saturating_add(1);
                ItemMarker::Number(number)
            }
            _ => ItemMarker::Bullet,
        };
        self.writer.mark(marker, self.lists.len());
    }

    fn image(&mut self, attributes: &ElementAttributes<'_>) {
        if let Some(alt) = attributes.alt.filter(|_| !is_spacer(attributes)) {
            self.writer.words(&attribute_references(alt));
        }
    }

    fn input(&mut self, attributes: &ElementAttributes<'_>) {
        let kind = attributes.kind.unwrap_or("text").trim().to_ascii_lowercase();
        let words = match kind.as_str() {
            "hidden" | "password" | "checkbox" | "radio" | "file" | "range" | "color" => None,
            "image" => attributes.alt,
            _ => attributes.value,
        };
        if let Some(words) = words {
            self.writer.need_space();
            self.writer.words(&attribute_references(words));
            self.writer.need_space();
        }
    }

    /// Separates an exponent or a note from the preceding number or word.
    fn raise(&mut self, text: &str) {
        self.is_raised = false;
        let starts_with_digit = text.starts_with(|c: char| c.is_ascii_digit());
        if starts_with_digit && self.writer.neighbour().is_some_and(char::is_alphanumeric) {
            self.writer.append("^");
        }
    }
}

/// Returns the level of `h1` to `h6`.
fn heading_level(name: &str) -> Option<usize> {
    let level = name.strip_prefix(['h', 'H'])?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Returns true for an image too small to see.
pub(crate) fn is_spacer(attributes: &ElementAttributes<'_>) -> bool {
    [attributes.width, attributes.height].into_iter().any(|size| number(size).is_some_and(|size| size < 3))
}

/// Parses the number at the start of a value.
fn number(value: Option<&str>) -> Option<i64> {
    let value = value?.trim();
    let signs = value.bytes().take_while(|b| b.is_ascii_digit() || *b == b'-').count();
    value.get(..signs)?.parse().ok()
}
