//! The elements of HTML as browsers nest them, without building a tree (WHATWG HTML section 13.2.6, as far as it decides
//! what is within what): end tags that are missing, that close nothing, or that stand in the wrong order.

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::style::{ComputedStyle, StyleSheet};
use super::tokens::{HtmlToken, TokenKind, tokens};

/// How many open elements an end tag looks at for its start tag, which bounds the time.
const MAX_SEARCH_DEPTH: usize = 256;

const HTML: &str = "html";
const BODY: &str = "body";

/// Among how many of the outermost elements `html` and `body` are.
const MAX_PAGE_DEPTH: usize = 8;

/// Who is told of the elements and the text of HTML, well nested and in order.
pub(crate) trait HtmlVisitor {
    /// What is told next stands in this token.
    fn token(&mut self, _token: &HtmlToken<'_>) {}
    /// An element starts, of the look given. Elements without content have no end.
    fn open(&mut self, tag: HtmlTag, given: &ElementAttributes<'_>, style: &ComputedStyle);
    /// An element ends, or one ends that never started.
    fn close(&mut self, tag: HtmlTag, style: &ComputedStyle);
    /// The element just closed is the one whose start tag stands at `_start`, and the token at hand closed it. What is
    /// open at the end of the HTML is closed by no token.
    fn ended(&mut self, _start: usize) {}
    /// Text, character references not yet replaced.
    fn text(&mut self, text: &str, style: &ComputedStyle);
    /// Whether nothing more need be told.
    fn is_done(&self) -> bool {
        false
    }
}

/// Goes through `html` and tells `visitor` what is in it.
pub(crate) fn walk(html: &str, visitor: &mut impl HtmlVisitor) {
    let sheet = StyleSheet::of(html);
    let mut buffer = String::new();
    let mut bare = |around: ComputedStyle, name| {
        around.within(name, HtmlTag::Page, &ElementAttributes::default(), &sheet, &mut buffer)
    };
    let page = bare(ComputedStyle::PLAIN, HTML);
    let body = bare(page, BODY);
    let mut walk =
        ElementWalk { page, body, sheet, buffer, open: Vec::new(), paragraphs: 0, styles: Vec::new(), visitor };
    for token in tokens(html) {
        if walk.visitor.is_done() {
            break;
        }
        walk.visitor.token(&token);
        match token.kind {
            TokenKind::Text(text) => {
                let style = walk.style();
                walk.visitor.text(text, &style);
            }
            TokenKind::Open(name, attributes) => walk.start(name, attributes, token.start),
            TokenKind::Close(name) => walk.end(name, token.start),
            TokenKind::Unseen => {}
        }
    }
    while walk.close_last().is_some() {}
}

/// What an element is, and what its name is, for the many that are alike.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ElementName {
    tag: HtmlTag,
    name: u32,
}

impl ElementName {
    fn of(name: &str) -> Self {
        Self { tag: HtmlTag::of(name), name: hash(name) }
    }
}

/// An element that is open, and where its start tag stands.
#[derive(Clone, Copy)]
struct OpenElement {
    element: ElementName,
    start: usize,
}

struct ElementWalk<'v, V> {
    /// The looks of `html` and of `body`, which are there without their tags too.
    page: ComputedStyle,
    body: ComputedStyle,
    sheet: StyleSheet,
    buffer: String,
    open: Vec<OpenElement>,
    /// How many of the open elements are paragraphs.
    paragraphs: usize,
    /// The looks of those open elements that look different from what is around them, and how many elements are open
    /// within each at least.
    styles: Vec<(usize, ComputedStyle)>,
    visitor: &'v mut V,
}

impl<V: HtmlVisitor> ElementWalk<'_, V> {
    fn style(&self) -> ComputedStyle {
        self.styles.last().map_or(self.body, |(_, style)| *style)
    }

    /// The look of an element that starts here.
    fn style_of(&mut self, name: &str, tag: HtmlTag, given: &ElementAttributes<'_>) -> ComputedStyle {
        let is_outermost = tag == HtmlTag::Page && self.open.len() < MAX_PAGE_DEPTH;
        if !is_outermost || self.open.iter().any(|open| open.element.tag != HtmlTag::Page) {
            return self.style().within(name, tag, given, &self.sheet, &mut self.buffer);
        }
        if name.eq_ignore_ascii_case(BODY) {
            self.body = self.page.within(BODY, tag, given, &self.sheet, &mut self.buffer);
        } else {
            self.page = ComputedStyle::PLAIN.within(HTML, tag, given, &self.sheet, &mut self.buffer);
            self.body = self.page.within(BODY, tag, &ElementAttributes::default(), &self.sheet, &mut self.buffer);
        }
        self.body
    }

    fn start(&mut self, name: &str, attributes: &str, start: usize) {
        let element = ElementName::of(name);
        let tag = element.tag;
        let given = ElementAttributes::read(attributes);
        let is_allowed = self.prepare_for(element);
        if !is_allowed {
            let style = self.style();
            self.visitor.open(tag, &given, &style);
            self.visitor.close(tag, &style);
            self.visitor.ended(start);
            return;
        }
        let around = self.style();
        let style = self.style_of(name, tag, &given);
        self.visitor.open(tag, &given, &style);
        if !tag.is_void() {
            self.open.push(OpenElement { element, start });
            self.paragraphs += usize::from(tag == HtmlTag::Paragraph);
            if style != around {
                self.styles.push((self.open.len(), style));
            }
        }
    }

    /// Closes what the start of an element closes. Whether the element may be here at all.
    fn prepare_for(&mut self, element: ElementName) -> bool {
        let tag = element.tag;
        match tag {
            HtmlTag::Page => return !self.open.iter().take(MAX_PAGE_DEPTH).any(|open| open.element == element),
            HtmlTag::Caption | HtmlTag::Rows => return self.clear_to(&[HtmlTag::Table]),
            HtmlTag::Row => return self.clear_to(&[HtmlTag::Table, HtmlTag::Rows]),
            HtmlTag::Cell | HtmlTag::HeadCell => return self.clear_to(&[HtmlTag::Table, HtmlTag::Rows, HtmlTag::Row]),
            HtmlTag::Anchor => self.end_formatting(element),
            HtmlTag::Item => {
                self.close_nearest(
                    |open| open == HtmlTag::Item,
                    |open| matches!(open, HtmlTag::List | HtmlTag::OrderedList),
                );
            }
            HtmlTag::Definition | HtmlTag::Term => {
                let is_alike = |open| matches!(open, HtmlTag::Definition | HtmlTag::Term);
                self.close_nearest(is_alike, |open| matches!(open, HtmlTag::List | HtmlTag::OrderedList));
            }
            HtmlTag::Option if self.open.last().is_some_and(|open| open.element == element) => {
                self.close_to(self.open.len() - 1);
            }
            _ => {}
        }
        if self.paragraphs > 0 && tag.ends_paragraph() {
            self.close_nearest(|open| open == HtmlTag::Paragraph, |open| open == HtmlTag::Button);
        }
        true
    }

    /// Closes everything within the nearest of `context`; whether there is one.
    fn clear_to(&mut self, context: &[HtmlTag]) -> bool {
        let found = self.find(|open| context.contains(&open.tag), |open| open == HtmlTag::Foreign);
        if let Some(at) = found {
            self.close_to(at + 1);
        }
        found.is_some()
    }

    fn close_nearest(&mut self, is_sought: impl Fn(HtmlTag) -> bool, is_limit: impl Fn(HtmlTag) -> bool) -> bool {
        let found = self.find(|open| is_sought(open.tag), |open| open.is_barrier() || is_limit(open));
        if let Some(at) = found {
            self.close_to(at);
        }
        found.is_some()
    }

    fn end(&mut self, name: &str, start: usize) {
        let element = ElementName::of(name);
        let tag = element.tag;
        let is_same = |open: ElementName| open == element;
        let found = match tag {
            HtmlTag::Page => return,
            HtmlTag::Break => return self.start(name, "", start),
            HtmlTag::Anchor | HtmlTag::Formatting => return self.end_formatting(element),
            HtmlTag::Table => self.find(is_same, |open| open == HtmlTag::Foreign),
            _ if tag.is_of_table() => self.find(is_same, |open| matches!(open, HtmlTag::Foreign | HtmlTag::Table)),
            _ if tag.is_special() => self.find(is_same, HtmlTag::is_barrier),
            _ => self.find(is_same, HtmlTag::is_special),
        };
        match found {
            Some(at) => self.close_to(at),
            // Browsers take an end tag that closes no paragraph for an empty one.
            None if tag == HtmlTag::Paragraph => {
                let style = self.style();
                self.visitor.close(tag, &style);
            }
            None => {}
        }
    }

    /// Ends an element that may be closed in any order: what else was opened within it goes on without its look.
    fn end_formatting(&mut self, element: ElementName) {
        let Some(at) = self.find(|open| open == element, HtmlTag::is_barrier) else {
            return;
        };
        let inner = self.open.get(at + 1..).unwrap_or_default();
        if !inner.iter().any(|open| open.element.tag.is_special()) {
            self.close_to(at);
            return;
        }
        let style = self.style();
        self.visitor.close(element.tag, &style);
        let removed = self.open.remove(at);
        self.visitor.ended(removed.start);
        let first = self.styles.partition_point(|(depth, _)| *depth <= at);
        let around = first.checked_sub(1).and_then(|last| self.styles.get(last)).map_or(self.body, |(_, style)| *style);
        if let Some((_, left)) = self.styles.get(first).copied().filter(|(depth, _)| *depth == at + 1) {
            self.styles.remove(first);
            for (_, style) in self.styles.iter_mut().skip(first) {
                *style = style.without(left, around);
            }
        }
        for (depth, _) in self.styles.iter_mut().skip(first) {
            *depth -= 1;
        }
    }

    /// The nearest open element that is sought, if it is before any limit.
    fn find(&self, is_sought: impl Fn(ElementName) -> bool, is_limit: impl Fn(HtmlTag) -> bool) -> Option<usize> {
        for (at, OpenElement { element, .. }) in self.open.iter().enumerate().rev().take(MAX_SEARCH_DEPTH) {
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

    fn close_last(&mut self) -> Option<OpenElement> {
        let style = self.style();
        let closed = self.open.pop()?;
        self.paragraphs -= usize::from(closed.element.tag == HtmlTag::Paragraph);
        self.visitor.close(closed.element.tag, &style);
        while self.styles.last().is_some_and(|(least, _)| *least > self.open.len()) {
            self.styles.pop();
        }
        Some(closed)
    }
}

/// A number for a name, whatever its case (FNV-1a). Names that matter differ in their tag.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, b| (hash ^ u32::from(b.to_ascii_lowercase())).wrapping_mul(0x0100_0193))
}
