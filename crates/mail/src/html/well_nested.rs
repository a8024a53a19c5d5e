//! Well-nested copies of HTML, for programs that build a tree.
//!
//! The time and the memory of a tree grow with the depth times the number of elements, and strangers choose both.

use super::attributes::{ElementAttributes, all};
use super::elements::HtmlTag;
use super::style::ComputedStyle;
use super::tokens::{HtmlToken, TokenKind, tokens};
use super::walk::{HtmlVisitor, walk};

/// Maximum number of elements within one another.
const MAX_DEPTH: usize = 200;
/// Maximum number of formatting elements within one another. Browsers repeat them in each block.
const MAX_FORMATTING_DEPTH: usize = 16;
/// Maximum number of start tags.
const MAX_START_TAGS: usize = 50_000;

/// Elements that show text, tables and images. The content of other elements remains without them.
const ELEMENTS: &str = "a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd \
    del dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li mark \
    ol p pre q s samp section small span strike strong sub sup table tbody td tfoot th thead tr u ul";

/// Attributes that show or name something. None runs a script.
const ATTRIBUTES: &str = "align alt bgcolor border cellpadding cellspacing color colspan dir face height href lang noshade \
    nowrap rowspan size span src start style summary title type valign value width";

/// Returns a copy of HTML whose elements are all closed in order, with elements and attributes that show something.
///
/// The copy nests as browsers nest the original. It has neither scripts, style sheets, comments nor forms; `body`
/// becomes a `div`, and an image without a description gets an empty one. `None` stands for HTML that is too deep or has too many elements. The time is linear in the length.
#[must_use]
pub fn well_nested_html(html: &str) -> Option<String> {
    let mut copy = HtmlCopy {
        html,
        token: "",
        start: 0,
        copied: String::with_capacity(html.len()),
        open: Vec::new(),
        formatting: 0,
        start_tags: 0,
        is_refused: false,
    };
    walk(html, &mut copy);
    if copy.is_refused {
        return None;
    }
    copy.close_above(0);
    Some(copy.copied)
}

/// An open element of the copy.
struct CopiedElement {
    name: &'static str,
    /// Position of its start tag in the original.
    start: usize,
    is_formatting: bool,
    /// Whether the original has closed it already, before elements in it.
    is_ended: bool,
}

struct HtmlCopy<'a> {
    html: &'a str,
    /// Source of the current token, and its position.
    token: &'a str,
    start: usize,
    copied: String,
    open: Vec<CopiedElement>,
    /// Number of formatting elements among the open ones.
    formatting: usize,
    start_tags: usize,
    is_refused: bool,
}

impl HtmlCopy<'_> {
    /// Closes the innermost elements until `depth` remain open.
    fn close_above(&mut self, depth: usize) {
        while self.open.len() > depth
            && let Some(closed) = self.open.pop()
        {
            self.formatting -= usize::from(closed.is_formatting);
            self.copied.push_str("</");
            self.copied.push_str(closed.name);
            self.copied.push('>');
        }
    }

    fn copy_start_tag(&mut self, name: &str, attributes: &str) {
        self.copied.push('<');
        self.copied.push_str(name);
        let mut has_alt = false;
        for (attribute, value) in all(attributes) {
            if let Some(attribute) = known(ATTRIBUTES, attribute) {
                self.copied.push(' ');
                self.copied.push_str(attribute);
                self.copied.push_str("=\"");
                push_replaced(&mut self.copied, value, '"', "&quot;");
                self.copied.push('"');
                has_alt |= attribute == "alt";
            }
        }
        if name == "img" && !has_alt {
            self.copied.push_str(" alt=\"\"");
        }
        self.copied.push('>');
    }
}

impl HtmlVisitor for HtmlCopy<'_> {
    fn token(&mut self, token: &HtmlToken<'_>) {
        self.token = self.html.get(token.start..token.end).unwrap_or_default();
        self.start = token.start;
    }

    fn open(&mut self, tag: HtmlTag, _: &ElementAttributes<'_>, _: &ComputedStyle) {
        let (name, attributes) = match tokens(self.token).next().map(|token| token.kind) {
            Some(TokenKind::Open(name, attributes)) => (name, attributes),
            // `</br>` is a line break.
            Some(TokenKind::Close(name)) => (name, ""),
            _ => return,
        };
        let name = if name.eq_ignore_ascii_case("body") { "div" } else { name };
        let Some(name) = known(ELEMENTS, name) else { return };
        let is_formatting = matches!(tag, HtmlTag::Anchor | HtmlTag::Formatting);
        if is_formatting && self.formatting == MAX_FORMATTING_DEPTH {
            return;
        }
        self.start_tags += 1;
        self.is_refused |= self.start_tags > MAX_START_TAGS || self.open.len() >= MAX_DEPTH;
        self.copy_start_tag(name, attributes);
        if !tag.is_void() {
            self.formatting += usize::from(is_formatting);
            self.open.push(CopiedElement { name, start: self.start, is_formatting, is_ended: false });
        }
    }

    fn close(&mut self, _: HtmlTag, _: &ComputedStyle) {}

    fn ended(&mut self, start: usize) {
        // The search is short: the open elements are few.
        let Some(at) = self.open.iter().rposition(|open| open.start == start) else { return };
        if let Some(ended) = self.open.get_mut(at) {
            ended.is_ended = true;
        }
        let last_open = self.open.iter().rposition(|open| !open.is_ended);
        self.close_above(last_open.map_or(0, |at| at + 1));
    }

    fn text(&mut self, text: &str, _: &ComputedStyle) {
        push_replaced(&mut self.copied, text, '<', "&lt;");
    }

    fn is_done(&self) -> bool {
        self.is_refused
    }
}

/// Returns a name in the spelling of a list; `None` if the list lacks it.
fn known(list: &'static str, name: &str) -> Option<&'static str> {
    list.split(' ').find(|known| known.eq_ignore_ascii_case(name))
}

/// Appends a text with a replacement for one character.
fn push_replaced(target: &mut String, text: &str, sign: char, replacement: &str) {
    for (place, part) in text.split(sign).enumerate() {
        if place > 0 {
            target.push_str(replacement);
        }
        target.push_str(part);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn elements_are_closed_in_order() {
        for (html, expected) in [
            ("<p>a<p>b", "<p>a</p><p>b</p>"),
            ("<ul><li>a<li>b</ul>c", "<ul><li>a</li><li>b</li></ul>c"),
            ("<b><i>a</b>b</i>", "<b><i>a</i></b>b"),
            ("<b><div>a</b>b</div>c", "<b><div>ab</div></b>c"),
            ("<table><tr><td>a<td>b</table>c", "<table><tr><td>a</td><td>b</td></tr></table>c"),
            ("a</div>b<br>c</br>", "ab<br>c<br>"),
            ("<body bgcolor=red onload='x()'>a</body>", "<div bgcolor=\"red\">a</div>"),
            ("<script>a</script><style>b</style><!-- c -->d", "d"),
            ("<form action=x><input name=y>a<x-y>b</x-y></form>", "ab"),
            ("<A HREF='a\"b' OnClick=x>c</A>", "<a href=\"a&quot;b\">c</a>"),
            ("1 < 2 &lt; 3", "1 &lt; 2 &lt; 3"),
            ("<img src=a onerror=b", ""),
            ("<img src=a onerror=b>", "<img src=\"a\" alt=\"\">"),
            ("<img alt=b>", "<img alt=\"b\">"),
        ] {
            assert_eq!(well_nested_html(html).as_deref(), Some(expected), "{html}");
        }
    }

    #[test]
    fn deep_and_large_html_is_refused() {
        assert!(well_nested_html(&"<div>".repeat(MAX_DEPTH)).is_some());
        assert_eq!(well_nested_html(&"<div>".repeat(MAX_DEPTH + 1)), None);
        assert_eq!(well_nested_html(&"<div><!--</div>-->".repeat(MAX_DEPTH + 1)), None);
        assert_eq!(well_nested_html(&"<div><table></div></table>".repeat(MAX_DEPTH + 1)), None);
        assert_eq!(well_nested_html(&"<br>".repeat(MAX_START_TAGS + 1)), None);
        let fonts = well_nested_html(&"<font size=1>".repeat(1_000)).unwrap_or_default();
        assert_eq!(fonts.matches("<font").count(), MAX_FORMATTING_DEPTH);
    }

    proptest! {
        #[test]
        fn every_start_tag_has_its_end_tag(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "<b>", "</b>", "<div>", "</div>", "<table>", "</table>", "<tr>", "<td>", "</td>", "<p>", "</p>", "<a href=x>",
                    "</a>", "<li>", "<ul>", "</ul>", "<svg>", "</svg>", "x", "<", "</", "<!--", "-->", "<br>", "\"", "<p a=\"",
                ]),
                0..40,
            ),
        ) {
            let copy = well_nested_html(&pieces.concat()).unwrap_or_default();
            let mut open = Vec::new();
            for token in tokens(&copy) {
                match token.kind {
                    TokenKind::Open("br", _) => {}
                    TokenKind::Open(name, _) => open.push(name.to_owned()),
                    TokenKind::Close(name) => prop_assert_eq!(open.pop(), Some(name.to_owned())),
                    TokenKind::Text(text) => prop_assert!(!text.contains('<')),
                    TokenKind::Unseen => prop_assert!(false, "{}", copy),
                }
            }
            prop_assert!(open.is_empty());
        }
    }
}
