//! Text from HTML: what a person reads in it.

use super::attributes::Given;
use super::elements::Tag;
use super::references::{attribute_references, references};
use super::style::{Look, WhiteSpace};
use super::tables::data_tables;
use super::target::Target;
use super::walk::{Visitor, walk};
use super::writer::{Marker, Writer};

/// Whether the targets of links are written behind their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Shown,
    Hidden,
}

/// The text of HTML, until `limit` octets of it are written.
pub(crate) fn render(html: &str, links: Links, limit: usize) -> String {
    let mut page = Page {
        writer: Writer::default(),
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

struct Page {
    writer: Writer,
    limit: usize,
    links: Links,
    /// The target of the link at hand, and where its words start.
    link: Option<(Target, usize)>,
    /// The lists around: the number of the next item in those that are numbered.
    lists: Vec<Option<i64>>,
    /// The tables around: of those that hold data, how many cells of the row there were.
    tables: Vec<Option<usize>>,
    /// Of the tables to come, whether they hold data.
    kinds: std::vec::IntoIter<bool>,
    /// Whether the next word is the first of a superscript.
    is_raised: bool,
}

impl Visitor for Page {
    fn open(&mut self, tag: Tag, given: &Given<'_>, look: &Look) {
        self.set_apart(tag, look);
        match tag {
            Tag::Anchor => self.start_link(given),
            Tag::Blockquote => self.writer.quote += 1,
            Tag::Break if !look.is_gone() => self.writer.break_line(),
            Tag::Cell | Tag::HeadCell => self.start_cell(),
            Tag::Definition => self.writer.mark(Marker::Indented, self.lists.len()),
            Tag::Image if look.shows_pictures() => self.image(given),
            Tag::Input if look.shows_words() => self.input(given),
            Tag::Item => self.start_item(given),
            Tag::List => self.lists.push(None),
            Tag::OrderedList => self.lists.push(Some(number(given.start).unwrap_or(1))),
            Tag::Quotation if look.shows_words() => self.writer.words("“"),
            Tag::Row => {
                self.writer.start_row();
                if let Some(cells) = self.tables.last_mut() {
                    *cells = cells.map(|_| 0);
                }
            }
            Tag::Rule if look.shows_pictures() => {
                self.writer.words("---");
                self.writer.need_breaks(1);
            }
            Tag::Superscript => self.is_raised = true,
            Tag::Table => {
                let is_data = self.kinds.next().unwrap_or_default();
                self.tables.push(is_data.then_some(0));
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: Tag, look: &Look) {
        match tag {
            Tag::Anchor => self.end_link(),
            Tag::Blockquote => self.writer.quote = self.writer.quote.saturating_sub(1),
            Tag::Cell | Tag::HeadCell => {
                self.writer.is_flat = false;
                self.writer.need_space();
            }
            Tag::Item => self.writer.unmark(),
            Tag::List | Tag::OrderedList => {
                self.lists.pop();
            }
            Tag::Quotation if look.shows_words() => self.writer.append("”"),
            Tag::Row => self.writer.start_row(),
            Tag::Superscript => self.is_raised = false,
            Tag::Table => {
                self.tables.pop();
            }
            _ => {}
        }
        self.set_apart(tag, look);
    }

    fn is_done(&self) -> bool {
        self.writer.len() >= self.limit
    }

    fn text(&mut self, text: &str, look: &Look) {
        if !look.shows_words() {
            return;
        }
        let text = references(text);
        if self.is_raised && !text.trim_start().is_empty() {
            self.raise(&text);
        }
        match look.white_space {
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

impl Page {
    fn set_apart(&mut self, tag: Tag, look: &Look) {
        let is_in_list = matches!(tag, Tag::List | Tag::OrderedList) && !self.lists.is_empty();
        if !look.is_gone() {
            self.writer.need_breaks(if is_in_list { 1 } else { tag.gap() });
        }
    }

    fn start_link(&mut self, given: &Given<'_>) {
        if self.links == Links::Shown {
            let target = given.href.and_then(|target| Target::read(&attribute_references(target)));
            self.link = target.map(|target| (target, self.writer.len()));
        }
    }

    /// Writes where the link leads, unless its words say so.
    fn end_link(&mut self) {
        let Some((target, start)) = self.link.take() else {
            return;
        };
        let words = self.writer.written_from(start).trim();
        if !words.is_empty() && !target.is_said_by(words) {
            let shown = format!(" ({})", target.shown());
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

    fn start_item(&mut self, given: &Given<'_>) {
        let marker = match self.lists.last_mut() {
            Some(Some(next)) => {
                let number = number(given.value).unwrap_or(*next);
                *next = number.saturating_add(1);
                Marker::Number(number)
            }
            _ => Marker::Bullet,
        };
        self.writer.mark(marker, self.lists.len());
    }

    fn image(&mut self, given: &Given<'_>) {
        if let Some(alt) = given.alt.filter(|_| !is_spacer(given)) {
            self.writer.words(&attribute_references(alt));
        }
    }

    fn input(&mut self, given: &Given<'_>) {
        let kind = given.kind.unwrap_or("text").trim().to_ascii_lowercase();
        let words = match kind.as_str() {
            "hidden" | "password" | "checkbox" | "radio" | "file" | "range" | "color" => None,
            "image" => given.alt,
            _ => given.value,
        };
        if let Some(words) = words {
            self.writer.need_space();
            self.writer.words(&attribute_references(words));
            self.writer.need_space();
        }
    }

    /// Sets a power or a note apart from the number or the word it belongs to.
    fn raise(&mut self, text: &str) {
        self.is_raised = false;
        let starts_with_digit = text.starts_with(|c: char| c.is_ascii_digit());
        if starts_with_digit && self.writer.neighbour().is_some_and(char::is_alphanumeric) {
            self.writer.append("^");
        }
    }
}

/// Whether an image is too small to be seen.
pub(crate) fn is_spacer(given: &Given<'_>) -> bool {
    [given.width, given.height].into_iter().any(|size| number(size).is_some_and(|size| size < 3))
}

/// The number a value starts with.
fn number(value: Option<&str>) -> Option<i64> {
    let value = value?.trim();
    let signs = value.bytes().take_while(|b| b.is_ascii_digit() || *b == b'-').count();
    value.get(..signs)?.parse().ok()
}
