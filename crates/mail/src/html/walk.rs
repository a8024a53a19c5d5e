//! The elements of HTML as browsers nest them, without building a tree (WHATWG HTML section 13.2.6, as far as it decides
//! what is within what): end tags that are missing, that close nothing, or that stand in the wrong order.

use super::attributes::Given;
use super::elements::Tag;
use super::style::{Look, Sheet};
use super::tokens::{Kind, Token, tokens};

/// How many open elements an end tag looks at for its start tag, which bounds the time.
const REACH: usize = 256;

const HTML: &str = "html";
const BODY: &str = "body";

/// Among how many of the outermost elements `html` and `body` are.
const FIRST: usize = 8;

/// Who is told of the elements and the text of HTML, well nested and in order.
pub(crate) trait Visitor {
    /// What is told next stands in this token.
    fn token(&mut self, _token: &Token<'_>) {}
    /// An element starts, of the look given. Elements without content have no end.
    fn open(&mut self, tag: Tag, given: &Given<'_>, look: &Look);
    /// An element ends, or one ends that never started.
    fn close(&mut self, tag: Tag, look: &Look);
    /// The element just closed is the one whose start tag stands at `_start`, and the token at hand closed it. What is
    /// open at the end of the HTML is closed by no token.
    fn ended(&mut self, _start: usize) {}
    /// Text, character references not yet replaced.
    fn text(&mut self, text: &str, look: &Look);
    /// Whether nothing more need be told.
    fn is_done(&self) -> bool {
        false
    }
}

/// Goes through `html` and tells `visitor` what is in it.
pub(crate) fn walk(html: &str, visitor: &mut impl Visitor) {
    let sheet = Sheet::of(html);
    let mut buffer = String::new();
    let mut bare = |around: Look, name| around.within(name, Tag::Page, &Given::default(), &sheet, &mut buffer);
    let page = bare(Look::PLAIN, HTML);
    let body = bare(page, BODY);
    let mut walk = Walk { page, body, sheet, buffer, open: Vec::new(), paragraphs: 0, looks: Vec::new(), visitor };
    for token in tokens(html) {
        if walk.visitor.is_done() {
            break;
        }
        walk.visitor.token(&token);
        match token.kind {
            Kind::Text(text) => {
                let look = walk.look();
                walk.visitor.text(text, &look);
            }
            Kind::Open(name, attributes) => walk.start(name, attributes, token.start),
            Kind::Close(name) => walk.end(name, token.start),
            Kind::Unseen => {}
        }
    }
    while walk.close_last().is_some() {}
}

/// What an element is, and what its name is, for the many that are alike.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Element {
    tag: Tag,
    name: u32,
}

impl Element {
    fn of(name: &str) -> Self {
        Self { tag: Tag::of(name), name: hash(name) }
    }
}

/// An element that is open, and where its start tag stands.
#[derive(Clone, Copy)]
struct Open {
    element: Element,
    start: usize,
}

struct Walk<'v, V> {
    /// The looks of `html` and of `body`, which are there without their tags too.
    page: Look,
    body: Look,
    sheet: Sheet,
    buffer: String,
    open: Vec<Open>,
    /// How many of the open elements are paragraphs.
    paragraphs: usize,
    /// The looks of those open elements that look different from what is around them, and how many elements are open
    /// within each at least.
    looks: Vec<(usize, Look)>,
    visitor: &'v mut V,
}

impl<V: Visitor> Walk<'_, V> {
    fn look(&self) -> Look {
        self.looks.last().map_or(self.body, |(_, look)| *look)
    }

    /// The look of an element that starts here.
    fn look_of(&mut self, name: &str, tag: Tag, given: &Given<'_>) -> Look {
        let is_outermost = tag == Tag::Page && self.open.len() < FIRST;
        if !is_outermost || self.open.iter().any(|open| open.element.tag != Tag::Page) {
            return self.look().within(name, tag, given, &self.sheet, &mut self.buffer);
        }
        if name.eq_ignore_ascii_case(BODY) {
            self.body = self.page.within(BODY, tag, given, &self.sheet, &mut self.buffer);
        } else {
            self.page = Look::PLAIN.within(HTML, tag, given, &self.sheet, &mut self.buffer);
            self.body = self.page.within(BODY, tag, &Given::default(), &self.sheet, &mut self.buffer);
        }
        self.body
    }

    fn start(&mut self, name: &str, attributes: &str, start: usize) {
        let element = Element::of(name);
        let tag = element.tag;
        let given = Given::read(attributes);
        let is_in_place = self.make_place(element);
        if !is_in_place {
            let look = self.look();
            self.visitor.open(tag, &given, &look);
            self.visitor.close(tag, &look);
            self.visitor.ended(start);
            return;
        }
        let around = self.look();
        let look = self.look_of(name, tag, &given);
        self.visitor.open(tag, &given, &look);
        if !tag.is_void() {
            self.open.push(Open { element, start });
            self.paragraphs += usize::from(tag == Tag::Paragraph);
            if look != around {
                self.looks.push((self.open.len(), look));
            }
        }
    }

    /// Closes what the start of an element closes. Whether the element may be here at all.
    fn make_place(&mut self, element: Element) -> bool {
        let tag = element.tag;
        match tag {
            Tag::Page => return !self.open.iter().take(FIRST).any(|open| open.element == element),
            Tag::Caption | Tag::Rows => return self.clear_to(&[Tag::Table]),
            Tag::Row => return self.clear_to(&[Tag::Table, Tag::Rows]),
            Tag::Cell | Tag::HeadCell => return self.clear_to(&[Tag::Table, Tag::Rows, Tag::Row]),
            Tag::Anchor => self.end_formatting(element),
            Tag::Item => {
                self.close_nearest(|open| open == Tag::Item, |open| matches!(open, Tag::List | Tag::OrderedList));
            }
            Tag::Definition | Tag::Term => {
                let is_alike = |open| matches!(open, Tag::Definition | Tag::Term);
                self.close_nearest(is_alike, |open| matches!(open, Tag::List | Tag::OrderedList));
            }
            Tag::Option if self.open.last().is_some_and(|open| open.element == element) => {
                self.close_to(self.open.len() - 1);
            }
            _ => {}
        }
        if self.paragraphs > 0 && tag.ends_paragraph() {
            self.close_nearest(|open| open == Tag::Paragraph, |open| open == Tag::Button);
        }
        true
    }

    /// Closes everything within the nearest of `context`; whether there is one.
    fn clear_to(&mut self, context: &[Tag]) -> bool {
        let found = self.find(|open| context.contains(&open.tag), |open| open == Tag::Foreign);
        if let Some(at) = found {
            self.close_to(at + 1);
        }
        found.is_some()
    }

    fn close_nearest(&mut self, is_sought: impl Fn(Tag) -> bool, is_limit: impl Fn(Tag) -> bool) -> bool {
        let found = self.find(|open| is_sought(open.tag), |open| open.is_barrier() || is_limit(open));
        if let Some(at) = found {
            self.close_to(at);
        }
        found.is_some()
    }

    fn end(&mut self, name: &str, start: usize) {
        let element = Element::of(name);
        let tag = element.tag;
        let is_same = |open: Element| open == element;
        let found = match tag {
            Tag::Page => return,
            Tag::Break => return self.start(name, "", start),
            Tag::Anchor | Tag::Formatting => return self.end_formatting(element),
            Tag::Table => self.find(is_same, |open| open == Tag::Foreign),
            _ if tag.is_of_table() => self.find(is_same, |open| matches!(open, Tag::Foreign | Tag::Table)),
            _ if tag.is_special() => self.find(is_same, Tag::is_barrier),
            _ => self.find(is_same, Tag::is_special),
        };
        match found {
            Some(at) => self.close_to(at),
            // Browsers take an end tag that closes no paragraph for an empty one.
            None if tag == Tag::Paragraph => {
                let look = self.look();
                self.visitor.close(tag, &look);
            }
            None => {}
        }
    }

    /// Ends an element that may be closed in any order: what else was opened within it goes on without its look.
    fn end_formatting(&mut self, element: Element) {
        let Some(at) = self.find(|open| open == element, Tag::is_barrier) else {
            return;
        };
        let inner = self.open.get(at + 1..).unwrap_or_default();
        if !inner.iter().any(|open| open.element.tag.is_special()) {
            self.close_to(at);
            return;
        }
        let look = self.look();
        self.visitor.close(element.tag, &look);
        let removed = self.open.remove(at);
        self.visitor.ended(removed.start);
        let first = self.looks.partition_point(|(depth, _)| *depth <= at);
        let around = first.checked_sub(1).and_then(|last| self.looks.get(last)).map_or(self.body, |(_, look)| *look);
        if let Some((_, left)) = self.looks.get(first).copied().filter(|(depth, _)| *depth == at + 1) {
            self.looks.remove(first);
            for (_, look) in self.looks.iter_mut().skip(first) {
                *look = look.without(left, around);
            }
        }
        for (depth, _) in self.looks.iter_mut().skip(first) {
            *depth -= 1;
        }
    }

    /// The nearest open element that is sought, if it is before any limit.
    fn find(&self, is_sought: impl Fn(Element) -> bool, is_limit: impl Fn(Tag) -> bool) -> Option<usize> {
        for (at, Open { element, .. }) in self.open.iter().enumerate().rev().take(REACH) {
            if is_sought(*element) {
                return Some(at);
            }
            if is_limit(element.tag) {
                return None;
            }
        }
        None
    }

    /// Closes the innermost elements until `depth` are open.
    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth
            && let Some(closed) = self.close_last()
        {
            self.visitor.ended(closed.start);
        }
    }

    fn close_last(&mut self) -> Option<Open> {
        let look = self.look();
        let closed = self.open.pop()?;
        self.paragraphs -= usize::from(closed.element.tag == Tag::Paragraph);
        self.visitor.close(closed.element.tag, &look);
        while self.looks.last().is_some_and(|(least, _)| *least > self.open.len()) {
            self.looks.pop();
        }
        Some(closed)
    }
}

/// A number for a name, whatever its case (FNV-1a). Names that matter differ in their tag.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, b| (hash ^ u32::from(b.to_ascii_lowercase())).wrapping_mul(0x0100_0193))
}
