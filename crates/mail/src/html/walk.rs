//! Traversal of HTML elements with browser nesting rules, without a tree (WHATWG HTML, section 13.2.6).
//!
//! It covers missing, unmatched and misplaced end tags, as far as they affect nesting.

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::style::{ComputedStyle, StyleSheet};
use super::tokens::{HtmlToken, TokenKind, tokens};

/// Number of open elements searched for the start tag of an end tag; it bounds the time.
const MAX_SEARCH_DEPTH: usize = 256;

const HTML: &str = "html";
const BODY: &str = "body";

/// Maximum depth of `html` and `body`.
const MAX_PAGE_DEPTH: usize = 8;

/// Receiver of elements and text, well nested and in order.
pub(crate) trait HtmlVisitor {
    /// Announces the token of the following events.
    fn token(&mut self, _token: &HtmlToken<'_>) {}
    /// Starts an element with its computed style. Elements without content have no end.
    fn open(&mut self, tag: HtmlTag, attributes: &ElementAttributes<'_>, style: &ComputedStyle);
    /// Ends an element, or one that never started.
    fn close(&mut self, tag: HtmlTag, style: &ComputedStyle);
    /// Reports that the current token closed the element whose start tag is at `_start`. Elements open at the end of
    /// the HTML get no call.
    fn ended(&mut self, _start: usize) {}
    /// Receives text with its character references.
    fn text(&mut self, text: &str, style: &ComputedStyle);
    /// Returns true to stop the traversal.
    fn is_done(&self) -> bool {
        false
    }
}

/// Traverses `html` and reports its content to `visitor`.
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
            TokenKind::Open(name, source_attributes) => walk.start(name, source_attributes, token.start),
            TokenKind::Close(name) => walk.end(name, token.start),
            TokenKind::Unseen => {}
        }
    }
    while walk.close_last().is_some() {}
}

/// Kind of an element and a hash of its name.
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

/// An open element and the position of its start tag.
#[derive(Clone, Copy)]
struct OpenElement {
    element: ElementName,
    start: usize,
}

struct ElementWalk<'v, V> {
    /// Styles of `html` and `body`, which exist without their tags too.
    page: ComputedStyle,
    body: ComputedStyle,
    sheet: StyleSheet,
    buffer: String,
    open: Vec<OpenElement>,
    /// Number of paragraphs among the open elements.
    paragraphs: usize,
    /// Styles of open elements that differ from their parent, each with the minimum number of open elements inside.
    styles: Vec<(usize, ComputedStyle)>,
    visitor: &'v mut V,
}

impl<V: HtmlVisitor> ElementWalk<'_, V> {
    fn style(&self) -> ComputedStyle {
        self.styles.last().map_or(self.body, |(_, style)| *style)
    }

    /// Computes the style of an element that starts here.
    fn style_of(&mut self, name: &str, tag: HtmlTag, attributes: &ElementAttributes<'_>) -> ComputedStyle {
        let is_outermost = tag == HtmlTag::Page && self.open.len() < MAX_PAGE_DEPTH;
        if !is_outermost || self.open.iter().any(|open| open.element.tag != HtmlTag::Page) {
            return self.style().within(name, tag, attributes, &self.sheet, &mut self.buffer);
        }
        if name.eq_ignore_ascii_case(BODY) {
            self.body = self.page.within(BODY, tag, attributes, &self.sheet, &mut self.buffer);
        } else {
            self.page = ComputedStyle::PLAIN.within(HTML, tag, attributes, &self.sheet, &mut self.buffer);
            self.body = self.page.within(BODY, tag, &ElementAttributes::default(), &self.sheet, &mut self.buffer);
        }
        self.body
    }

    fn start(&mut self, name: &str, source_attributes: &str, start: usize) {
        let element = ElementName::of(name);
        let tag = element.tag;
        let attributes = ElementAttributes::read(source_attributes);
        let is_allowed = self.prepare_for(element);
        if !is_allowed {
            let style = self.style();
            self.visitor.open(tag, &attributes, &style);
            self.visitor.close(tag, &style);
            self.visitor.ended(start);
            return;
        }
        let around = self.style();
        let style = self.style_of(name, tag, &attributes);
        self.visitor.open(tag, &attributes, &style);
        if !tag.is_void() {
            self.open.push(OpenElement { element, start });
            self.paragraphs += usize::from(tag == HtmlTag::Paragraph);
            if style != around {
                self.styles.push((self.open.len(), style));
            }
        }
    }

    /// Closes the elements that a new element closes; returns false if it is not allowed here.
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

    /// Closes everything inside the nearest element of `context`; returns false without one.
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
            // Browsers treat an end tag without a paragraph as an empty paragraph.
            None if tag == HtmlTag::Paragraph => {
                let style = self.style();
                self.visitor.close(tag, &style);
            }
            None => {}
        }
    }

    /// Ends an element that may close in any order; elements opened inside continue without its style.
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

    /// Finds the nearest matching open element before any limit.
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

    /// Closes the innermost elements until `depth` remain open.
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

/// Returns a hash of a name, case-insensitive (FNV-1a). Known names differ by their kind already.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, b| (hash ^ u32::from(b.to_ascii_lowercase())).wrapping_mul(0x0100_0193))
}
