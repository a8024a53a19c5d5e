//! Assignment of parts to text, HTML and attachments (RFC 8621, section 4.1.4).

use super::disposition::Disposition;
use super::tree::ParsedPart;

/// Part numbers by use, each list in order.
#[derive(Debug, Default)]
pub(crate) struct PartSelection {
    pub(crate) text: Vec<usize>,
    pub(crate) html: Vec<usize>,
    pub(crate) attachments: Vec<usize>,
}

/// Assigns every part without children.
pub(crate) fn select(parts: &[ParsedPart]) -> PartSelection {
    let mut selection = PartSelection::default();
    let position = PartContext {
        parent: "",
        is_first: true,
        target: BodyTarget { text: true, html: true },
        in_alternative: false,
    };
    visit(parts, 0, position, &mut selection);
    selection
}

/// Bodies that a part may belong to.
#[derive(Debug, Clone, Copy)]
struct BodyTarget {
    text: bool,
    html: bool,
}

/// Position of a part in the tree.
#[derive(Debug, Clone, Copy)]
struct PartContext<'a> {
    /// Type of the parent multipart; empty for the message itself.
    parent: &'a str,
    is_first: bool,
    target: BodyTarget,
    in_alternative: bool,
}

fn visit(parts: &[ParsedPart], number: usize, position: PartContext<'_>, found: &mut PartSelection) {
    let Some(part) = parts.get(number) else {
        return;
    };
    if part.children.is_empty() {
        leaf(part, number, position, found);
        return;
    }
    let media = part.content.media();
    let (texts, htmls) = (found.text.len(), found.html.len());
    let mut inner = PartContext {
        parent: media,
        in_alternative: position.in_alternative || media == "multipart/alternative",
        ..position
    };
    let root = root_of(parts, part);
    for (at, child) in part.children.iter().enumerate() {
        inner.is_first = at == root;
        if inner.in_alternative && media != "multipart/alternative" && is_leaf(parts, *child) {
            // Within one alternative, for instance a related part, the first body decides between text and HTML.
            match parts.get(*child).map(|part| part.content.media()) {
                Some("text/plain") => inner.target.html = false,
                Some("text/html") => inner.target.text = false,
                _ => {}
            }
        }
        visit(parts, *child, inner, found);
    }
    if media == "multipart/alternative" && position.target.text && position.target.html {
        let (no_text, no_html) = (found.text.len() == texts, found.html.len() == htmls);
        if no_text && !no_html {
            found.text.extend(found.html.iter().skip(htmls));
        } else if no_html && !no_text {
            found.html.extend(found.text.iter().skip(texts));
        }
    }
}

/// Returns the index of the root part of a multipart.
///
/// For `multipart/related` it is the one that `start` names (RFC 2387, section 3.2), or the first readable one.
fn root_of(parts: &[ParsedPart], part: &ParsedPart) -> usize {
    if part.content.media() != "multipart/related" {
        return 0;
    }
    let start = part.content.parameters.get("start");
    let start = start.as_deref().map(|id| id.trim_matches(['<', '>', ' ']));
    let children = || part.children.iter().map(|child| parts.get(*child).map(|child| &child.content));
    let named = children().position(|child| start.is_some() && child.is_some_and(|child| child.id.as_deref() == start));
    let is_readable = |media: &str| media.starts_with("multipart/") || matches!(media, "text/plain" | "text/html");
    let readable = || children().position(|child| child.is_some_and(|child| is_readable(child.media())));
    named.or_else(readable).unwrap_or_default()
}

fn is_leaf(parts: &[ParsedPart], number: usize) -> bool {
    parts.get(number).is_some_and(|part| part.children.is_empty())
}

fn leaf(part: &ParsedPart, number: usize, position: PartContext<'_>, found: &mut PartSelection) {
    if !is_body(part, position) {
        if !is_other_rendering(part, position) {
            found.attachments.push(number);
        }
        return;
    }
    if position.parent == "multipart/alternative" {
        if part.content.media() == "text/html" {
            found.html.push(number);
        } else {
            found.text.push(number);
        }
        return;
    }
    if position.target.text {
        found.text.push(number);
    }
    if position.target.html {
        found.html.push(number);
    }
}

/// Returns true if the part is message text rather than a file.
fn is_body(part: &ParsedPart, position: PartContext<'_>) -> bool {
    let content = &part.content;
    if content.disposition == Some(Disposition::Attachment) {
        return false;
    }
    let readable = match content.media() {
        "text/plain" | "text/html" => true,
        // A message with a single text of another kind counts as plain text (RFC 2046, section 4.1.4), and so does a
        // multipart without parts.
        media if position.parent.is_empty() => {
            let is_file = content.name.is_some() || matches!(media, "text/calendar" | "text/csv" | "text/vcard");
            media.starts_with("multipart/") || (media.starts_with("text/") && !is_file)
        }
        _ => false,
    };
    readable && (position.is_first || (position.parent != "multipart/related" && content.name.is_none()))
}

/// Returns true for renderings of the same text for other devices, which are ignored.
fn is_other_rendering(part: &ParsedPart, position: PartContext<'_>) -> bool {
    position.parent == "multipart/alternative" && matches!(part.content.media(), "text/x-amp-html" | "text/watch-html")
}
