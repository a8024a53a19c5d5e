//! Error reference: an HTML page generated from the table of codes.

use std::fmt::Write as _;

use super::ErrorCode;

const HEAD: &str = r#"<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>inboxd: error reference</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h2 { font: 600 1rem ui-monospace, monospace; margin: 2rem 0 0; }
h2 a { color: inherit; text-decoration: none; }
h2 small { font-weight: 400; color: #666; }
p { margin: .25rem 0; }
:target { background: #fff3bf; }
code { background: #f4f4f4; padding: 0 .2em; }
</style></head><body>
<h1>Error reference</h1>
<p>Every error response has <code>name</code>, <code>code</code>, <code>message</code>,
<code>fix</code> (the next step) and <code>docs</code> (a link to this page). A 422 lists all invalid fields in
<code>errors</code>. See also the <a href="../docs">API documentation</a>.</p>
"#;

/// Returns the page, with one anchor per code.
pub(crate) fn page() -> String {
    let mut page = HEAD.to_owned();
    for code in ErrorCode::ALL {
        let (anchor, status, name) = (code.as_str(), code.status().as_u16(), code.name());
        let (meaning, fix) = (html(code.meaning()), html(&sentence(code.fix())));
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "<h2 id=\"{anchor}\"><a href=\"#{anchor}\">{anchor}</a> <small>{status} {name}</small></h2>\n\
             <p>{meaning}</p>\n<p><b>Next step:</b> {fix}</p>\n"
        );
    }
    page.push_str("</body></html>\n");
    page
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).chain(['.']).collect()
}

/// Converts a sentence to HTML; text in backticks becomes code.
fn html(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut is_code = false;
    escaped.split('`').fold(String::new(), |mut page, piece| {
        if is_code {
            let _ = write!(page, "<code>{piece}</code>");
        } else {
            page.push_str(piece);
        }
        is_code = !is_code;
        page
    })
}
