//! URLs in HTML: in attributes and in CSS, also in comments, which some programs read.

use std::borrow::Cow;

use super::references::{attribute_references, references};

/// Attributes with a URL or with several. `url` stands in `content` of a `meta` element.
const URL_ATTRIBUTES: [&str; 18] = [
    "action",
    "archive",
    "background",
    "codebase",
    "data",
    "dynsrc",
    "formaction",
    "href",
    "imagesrcset",
    "longdesc",
    "lowsrc",
    "manifest",
    "ping",
    "poster",
    "src",
    "srcdoc",
    "srcset",
    "url",
];
/// Beginnings of URLs in CSS, in lower case.
const CSS_URLS: [&str; 3] = ["url(", "@import", "image-set("];
/// Maximum bytes that are read of a URL.
const MAX_URL_BYTES: usize = 256;

/// Visits the beginnings of all URLs in HTML: of the values of attributes with a URL, whatever they hold, and in CSS.
/// Character references, escapes of CSS, and the white space that programs ignore are replaced.
pub fn visit_html_urls(html: &str, mut visit: impl FnMut(&str)) {
    for at in memchr::memchr_iter(b'=', html.as_bytes()) {
        if html.get(..at).is_some_and(ends_with_url_attribute) {
            let value = attribute_value(html.get(at + 1..).unwrap_or_default());
            visit(&plain_url(&attribute_references(value)));
        }
    }
    let css = without_escapes(&references(html)).to_ascii_lowercase();
    for begin in CSS_URLS {
        for (at, _) in css.match_indices(begin) {
            let value = css.get(at + begin.len()..).unwrap_or_default();
            let value = beginning(value.trim_start().trim_start_matches(['"', '\'']));
            visit(&plain_url(value.split(['"', '\'', ')']).next().unwrap_or_default()));
        }
    }
}

fn ends_with_url_attribute(before: &str) -> bool {
    let before = before.trim_ascii_end().as_bytes();
    URL_ATTRIBUTES.iter().any(|name| {
        let Some(start) = before.len().checked_sub(name.len()) else { return false };
        let is_name = before.get(start..).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
        let previous = start.checked_sub(1).and_then(|at| before.get(at));
        is_name && previous.is_none_or(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'_'))
    })
}

/// Returns the beginning of the value behind `=`.
fn attribute_value(rest: &str) -> &str {
    let rest = rest.trim_ascii_start();
    match rest.bytes().next().filter(|quote| matches!(quote, b'"' | b'\'')) {
        Some(quote) => {
            let inner = beginning(rest.get(1..).unwrap_or_default());
            inner.split(char::from(quote)).next().unwrap_or(inner)
        }
        None => beginning(rest)
            .split(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '"' | '\''))
            .next()
            .unwrap_or_default(),
    }
}

fn beginning(text: &str) -> &str {
    crate::sanitize::truncate(text, MAX_URL_BYTES)
}

/// Returns a URL without the white space that programs ignore (WHATWG URL, section 4.4).
fn plain_url(value: &str) -> String {
    value.trim_matches(|c: char| c <= ' ').replace(['\t', '\n', '\r'], "")
}

/// Replaces the escapes of CSS (CSS Syntax, section 4.3.7).
fn without_escapes(css: &str) -> Cow<'_, str> {
    if !css.contains('\\') {
        return Cow::Borrowed(css);
    }
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, behind)) = rest.split_once('\\') {
        out.push_str(before);
        let digits = behind.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        let (number, after) = behind.split_at_checked(digits).unwrap_or(("", behind));
        let decoded = u32::from_str_radix(number, 16).ok().and_then(char::from_u32);
        out.extend(decoded);
        rest = if digits > 0 { after.strip_prefix([' ', '\t', '\n']).unwrap_or(after) } else { after };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(html: &str) -> Vec<String> {
        let mut urls = Vec::new();
        visit_html_urls(html, |url| urls.push(url.to_owned()));
        urls
    }

    #[test]
    fn urls_are_found_wherever_a_program_reads_them() {
        for (html, expected) in [
            ("<img src=\"h&#116;tps://a.example/p\">", "https://a.example/p"),
            ("<img src = ht\ntps://a.example/p>", "ht"),
            ("<img src='ht\ntps://a.example/p'>", "https://a.example/p"),
            ("<A HREF='  //a.example'>x</A>", "//a.example"),
            ("<form action=https:\\\\a.example>", "https:\\\\a.example"),
            ("<button formaction=x>", "x"),
            ("<meta http-equiv=refresh content='0;url=h&#116;tps://a.example'>", "https://a.example"),
            ("<iframe src=x></iframe>", "x"),
            ("<svg><image xlink:href='//a.example/p'/></svg>", "//a.example/p"),
            ("<!--[if mso]><v:fill src='//a.example/p'><![endif]-->", "//a.example/p"),
            ("<p style='background:url( &quot;h&#116;tps://a.example/p&quot;)'>", "https://a.example/p"),
            ("<style>p{background:u\\72l(\\2f/a.example)}</style>", "//a.example"),
            ("<style>@IMPORT '//a.example/p'</style>", "//a.example/p"),
            ("<img srcset='data:,x 1x'>", "data:,x 1x"),
        ] {
            assert!(urls(html).iter().any(|url| url == expected), "{html} {:?}", urls(html));
        }
        for html in ["<p class=src data-src=x title='a=b'>a = b, my_url=c</p>", "", "=", "<style>p{color:red}</style>"]
        {
            assert!(urls(html).is_empty(), "{html} {:?}", urls(html));
        }
        assert!(urls(&format!("<a href={}", "x".repeat(1_000))).iter().all(|url| url.len() <= MAX_URL_BYTES));
    }
}
