//! Sanitized HTML of a message.
//!
//! The frame and its policy stop scripts, forms and requests. This is the second line of defence: elements and
//! attributes that show something stay, all others go.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ammonia::{Builder, UrlRelative};
use inboxd_mail::well_nested_html;
use url::Url;

use super::images::InnerImages;
use super::style::{PROPERTIES, harmless_style};

/// Maximum size of HTML that is shown.
const MAX_HTML_BYTES: usize = 2_000_000;
/// Bytes of HTML by which its height is estimated.
const MEASURED_BYTES: usize = 100_000;

/// Elements that show text, tables and images.
const ELEMENTS: &str = "a abbr address article aside b bdi big blockquote br caption center cite code col colgroup dd \
    del dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li mark ol p pre q s samp \
    section small span strike strong sub sup table tbody td tfoot th thead tr u ul";
/// Attributes of all elements.
const ATTRIBUTES: &str = "align alt bgcolor border cellpadding cellspacing color colspan dir face height lang noshade nowrap \
    rowspan size span start style summary title type valign value width";
/// Start of the document. A link shows its address at the lower edge, as a browser does. No style of the message reaches the
/// address: it begins with `all:initial`, and no property that is left places anything above it.
const START: &str = "<!doctype html><html lang=\"und\"><head><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light\">\
    <title>Message</title><style>\
    :root{color-scheme:light}\
    body{margin:12px;background:#fff;color:#1b1d21;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\
    img,table{max-width:100%}img{height:auto}pre{white-space:pre-wrap}blockquote{margin:0 0 0 12px;padding-left:12px;\
    border-left:3px solid #d9dde3}\
    a:hover::after,a:focus::after{all:initial;content:attr(href);direction:ltr;unicode-bidi:isolate;position:fixed;left:0;\
    bottom:0;z-index:9;box-sizing:border-box;max-width:100%;max-height:50%;padding:2px 8px;overflow:hidden;\
    overflow-wrap:anywhere;background:#1b1d21;color:#fff;font:13px/1.5 system-ui,sans-serif}\
    a:hover::after{z-index:10}\
    a:focus-visible{outline:3px solid #0b57d0}\
    </style></head><body>";
const END: &str = "</body></html>";

/// Images that the document shows.
#[derive(Debug)]
pub(super) struct ShownImages {
    /// Those inside the message.
    pub(super) inner: InnerImages,
    /// Whether those on other servers too.
    pub(super) is_remote: bool,
}

/// Returns the document with the HTML of a message; `None` for HTML that is too large or too deep.
pub(super) fn document(html: &str, images: ShownImages) -> Option<String> {
    if html.len() > MAX_HTML_BYTES {
        return None;
    }
    let nested = well_nested_html(html)?;
    let body = sanitize(&nested, images);
    Some(format!("{START}{body}{END}"))
}

fn sanitize(html: &str, images: ShownImages) -> String {
    let words = |list: &'static str| list.split(' ').filter(|word| !word.is_empty()).collect::<HashSet<&str>>();
    let of_element = HashMap::from([("a", HashSet::from(["href"])), ("img", HashSet::from(["src"]))]);
    Builder::empty()
        .tags(words(ELEMENTS))
        .generic_attributes(words(ATTRIBUTES))
        .tag_attributes(of_element)
        .set_tag_attribute_value("a", "target", "_blank")
        .link_rel(Some("noopener noreferrer nofollow"))
        .url_schemes(HashSet::from(["http", "https", "mailto", "data", "cid"]))
        .url_relative(UrlRelative::Deny)
        .filter_style_properties(words(PROPERTIES))
        .attribute_filter(move |element, attribute, value| filtered(element, attribute, value, &images))
        .clean(html)
        .to_string()
        .replace(is_reordering, "")
}

/// Returns whether a character makes the text after it run in another direction than it is written (UAX 9, section 2).
fn is_reordering(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the value with which an attribute stays.
fn filtered<'v>(element: &str, attribute: &str, value: &'v str, images: &ShownImages) -> Option<Cow<'v, str>> {
    match (element, attribute) {
        ("a", "href") => link_target(value).map(Cow::Owned),
        ("img", "src") => image_source(value, images),
        (_, "style") => Some(harmless_style(element, value)),
        _ => Some(Cow::Borrowed(value)),
    }
}

/// Returns the target of a link, without a user name before its host: that could show another host.
fn link_target(value: &str) -> Option<String> {
    let mut url = Url::parse(value.trim()).ok()?;
    match url.scheme() {
        "http" | "https" => {
            url.set_username("").ok()?;
            url.set_password(None).ok()?;
            Some(url.into())
        }
        "mailto" => Some(url.into()),
        _ => None,
    }
}

/// Returns the address of an image: of a part of the message, inside the HTML, or remote.
fn image_source<'v>(value: &'v str, images: &ShownImages) -> Option<Cow<'v, str>> {
    let value = value.trim();
    let lower = value.get(..value.floor_char_boundary(16)).unwrap_or_default().to_ascii_lowercase();
    if lower.starts_with("cid:") {
        return images.inner.url(value.get(4..)?).map(Cow::Owned);
    }
    // The policy refuses remote images too; without an address a browser does not even try.
    let is_shown = lower.starts_with("data:image/") || images.is_remote && lower.starts_with("https://");
    is_shown.then_some(Cow::Borrowed(value))
}

/// Returns whether HTML names images on other servers.
pub(super) fn has_remote_images(html: &str) -> bool {
    let lower = html.to_ascii_lowercase();
    let mut images = lower.split("<img").skip(1).map(|rest| rest.split('>').next().unwrap_or_default());
    images.any(|tag| tag.contains("http:") || tag.contains("https:") || tag.contains("//"))
}

/// Height of the frame at first. It cannot tell its own height without scripts, but people can change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FrameHeight {
    Short,
    Medium,
    Tall,
}

impl FrameHeight {
    /// Estimates the height of HTML by its text, its blocks and its images.
    pub(super) fn of(html: &str) -> Self {
        let html = crate::console::text::start_of(html, MEASURED_BYTES).to_ascii_lowercase();
        let count = |tag: &str| html.matches(tag).count();
        let text: usize =
            html.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text.trim().len()).sum();
        let blocks = ["<p", "<br", "<tr", "<li", "<div", "<h1", "<h2", "<h3"].into_iter().map(count).sum::<usize>();
        let lines = text / 80 + blocks + 4 * count("<img");
        match lines {
            0..=7 => Self::Short,
            8..=20 => Self::Medium,
            _ => Self::Tall,
        }
    }

    /// Returns the class of the frame.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Medium => "medium",
            Self::Tall => "tall",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images(is_remote: bool) -> ShownImages {
        ShownImages { inner: InnerImages::with("logo@x", b"x"), is_remote }
    }

    fn cleaned(html: &str, is_remote: bool) -> String {
        let document = document(html, images(is_remote)).unwrap_or_default();
        document.trim_start_matches(START).trim_end_matches(END).to_owned()
    }

    #[test]
    fn active_content_goes() {
        for html in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<svg onload=alert(1)><script>alert(1)</script></svg>",
            "<iframe src=https://evil.example></iframe>",
            "<object data=https://evil.example></object>",
            "<meta http-equiv=refresh content=0;url=https://evil.example>",
            "<base href=https://evil.example>",
            "<form action=https://evil.example><input name=a><button>x</button></form>",
            "<a href=javascript:alert(1)>x</a>",
            "<a href=\" java\tscript:alert(1)\">x</a>",
            "<a href=data:text/html,x>x</a>",
            "<style>@import url(https://evil.example)</style>",
            "<link rel=stylesheet href=https://evil.example>",
            "<p style=\"background:url(https://evil.example)\">x</p>",
            "<p style=\"background:u\\72l(https://evil.example)\">x</p>",
            "<p style=\"position:fixed;top:0\">x</p>",
            "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
            "<template><script>alert(1)</script></template>",
        ] {
            let cleaned = cleaned(html, true).to_ascii_lowercase();
            for sign in
                ["script", "alert", "onerror", "onload", "evil", "javascript", "data:", "position", "<form", "<input"]
            {
                assert!(!cleaned.contains(sign), "{html}: {cleaned}");
            }
        }
    }

    #[test]
    fn content_stays() {
        for (html, expected) in [
            ("<p>a<p>b", "<p>a</p><p>b</p>"),
            ("<p style=\"color:red;position:fixed\">a</p>", "<p style=\"color:red\">a</p>"),
            ("<img src=cid:logo@x width=9>", "<img src=\"data:image/png;base64,eA==\" width=\"9\" alt=\"\">"),
            ("<img src=cid:other>", "<img alt=\"\">"),
            ("<img src=https://r.example/p.png alt=a>", "<img alt=\"a\">"),
            ("<img src=http://r.example/p.png>", "<img alt=\"\">"),
            ("<img src=data:image/png;base64,AAAA>", "<img src=\"data:image/png;base64,AAAA\" alt=\"\">"),
            (
                "<a href=https://bank.example@evil.example/x>a</a>",
                "<a href=\"https://evil.example/x\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">a</a>",
            ),
            ("<body bgcolor=red><td>a", "<div bgcolor=\"red\">a</div>"),
            ("<bdo dir=rtl>lapyap</bdo>&#x202e;a\u{2067}b", "lapyapab"),
        ] {
            assert_eq!(cleaned(html, false), expected, "{html}");
        }
    }

    #[test]
    fn remote_images_are_shown_on_request() {
        let html = "<img src=https://r.example/p.png><img src=http://r.example/p.png>";
        assert_eq!(cleaned(html, true), "<img src=\"https://r.example/p.png\" alt=\"\"><img alt=\"\">");
    }

    #[test]
    fn large_and_deep_html_is_not_shown() {
        assert!(document(&"x".repeat(MAX_HTML_BYTES), images(false)).is_some());
        assert_eq!(document(&"x".repeat(MAX_HTML_BYTES + 1), images(false)), None);
        assert_eq!(document(&"<div>".repeat(10_000), images(false)), None);
    }

    #[test]
    fn remote_images_are_found() {
        for (html, expected) in [
            ("<p>x</p>", false),
            ("<img src=cid:a>", false),
            ("<IMG width=1 SRC='HTTPS://t.example/p.gif'>", true),
            ("<img src=//t.example/p.gif>", true),
            ("<a href=https://x.example>x</a><img src=cid:a>", false),
        ] {
            assert_eq!(has_remote_images(html), expected, "{html}");
        }
    }

    #[test]
    fn height_follows_content() {
        assert_eq!(FrameHeight::of("<p>Hello</p>"), FrameHeight::Short);
        assert_eq!(FrameHeight::of(&"<p>Hello</p>".repeat(10)), FrameHeight::Medium);
        assert_eq!(FrameHeight::of(&"<tr><td>Hello</td></tr>".repeat(40)), FrameHeight::Tall);
    }
}
