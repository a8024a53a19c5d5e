//! Renderer from HTML to readable text.

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::references::{attribute_references, references};
use super::style::{ComputedStyle, WhiteSpace};
use super::tables::data_tables;
use super::target::LinkTarget;
use super::text_writer::{ItemMarker, TextWriter};
use super::walk::{HtmlVisitor, walk};

/// Display of link targets after the link words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkTargets {
    Shown,
    Hidden,
}

/// Renders HTML to text, up to `limit` bytes of output.
pub(crate) fn render(html: &str, links: LinkTargets, limit: usize) -> String {
    let mut page = PageRenderer {
        writer: TextWriter::default(),
        limit,
        links,
        link: None,
        lists: Vec::new(),
        tables: Vec::new(),
        kinds: data_tables(html).into_iter(),
        is_raised: false,
    };
    walk(html, &mut page);
    page.writer.finish()
}

struct PageRenderer {
    writer: TextWriter,
    limit: usize,
    links: LinkTargets,
    /// Target of the current link and the start of its words.
    link: Option<(LinkTarget, usize)>,
    /// Enclosing lists, with the next item number for numbered ones.
    lists: Vec<Option<i64>>,
    /// Enclosing tables, with the cell count of the current row for data tables.
    tables: Vec<Option<usize>>,
    /// For each following table, true if it contains data.
    kinds: std::vec::IntoIter<bool>,
    /// True at the first word of a superscript.
    is_raised: bool,
}

impl HtmlVisitor for PageRenderer {
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
            HtmlTag::Row => {
                self.writer.start_row();
                if let Some(cells) = self.tables.last_mut() {
                    *cells = cells.map(|_| 0);
                }
            }
            HtmlTag::Rule if style.shows_pictures() => {
                self.writer.words("---");
                self.writer.need_breaks(1);
            }
            HtmlTag::Superscript => self.is_raised = true,
            HtmlTag::Table => {
                let is_data = self.kinds.next().unwrap_or_default();
                self.tables.push(is_data.then_some(0));
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
            HtmlTag::List | HtmlTag::OrderedList => {
                self.lists.pop();
            }
            HtmlTag::Quotation if style.shows_words() => self.writer.append("”"),
            HtmlTag::Row => self.writer.start_row(),
            HtmlTag::Superscript => self.is_raised = false,
            HtmlTag::Table => {
                self.tables.pop();
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
        let text = references(text);
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
        if self.links == LinkTargets::Shown {
            let target = attributes.href.and_then(|target| LinkTarget::read(&attribute_references(target)));
            self.link = target.map(|target| (target, self.writer.len()));
        }
    }

    /// Writes the link target unless the words name it.
    fn end_link(&mut self) {
        let Some((target, start)) = self.link.take() else {
            return;
        };
        let words = self.writer.written_from(start).trim();
        if !words.is_empty() && !target.is_named_by(words) {
            let shown = format!(" ({})", target.as_str());
            self.writer.append(&shown);
        }
    }

    fn start_cell(&mut self) {
        self.writer.need_space();
        if let Some(Some(cells)) = self.tables.last_mut() {
            *cells += 1;
            if *cells > 1 {
                self.writer.end_cell();
            }
            self.writer.is_flat = true;
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
