//! New content of HTML.

use inboxd_mail::{extract_html, text_from_html};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

#[test]
fn quotations_of_mail_programs_are_removed() {
    for (program, html, expected) in [
        (
            "Gmail",
            "<div dir=\"ltr\">Yes</div><br><div class=\"gmail_quote gmail_quote_container\"><div class=\"gmail_attr\">On x \
             wrote:<br></div><blockquote class=\"gmail_quote\"><div>old</div></blockquote></div>",
            "<div dir=\"ltr\">Yes</div><br>",
        ),
        (
            "Apple Mail",
            "<html><body>Yes<div><br><blockquote type=\"cite\"><div>On x wrote:</div>old</blockquote></div></body></html>",
            "<html><body>Yes<div><br></div></body></html>",
        ),
        (
            "Outlook on the web",
            "<body><div>Yes</div><div id=\"appendonsend\"></div><hr><div id=\"divRplyFwdMsg\"><b>From:</b> a</div>old</body>",
            "<body><div>Yes</div></body>",
        ),
        (
            "Outlook, passed through another Outlook",
            "<div>Yes</div><div id=\"x_divRplyFwdMsg\"><b>From:</b> a</div>old",
            "<div>Yes</div>",
        ),
        (
            "Outlook on the desktop",
            "<p>Yes</p><div><div style=\"border:none;border-top:solid #E1E1E1 1.0pt;padding:3pt\"><p><b>From:</b> a<br>\
             <b>Sent:</b> Friday<br><b>To:</b> b<br><b>Subject:</b> x</p></div></div>old",
            "<p>Yes</p>",
        ),
        (
            "Thunderbird",
            "<p>Yes</p><div class=\"moz-cite-prefix\">On x wrote:</div><blockquote type=\"cite\" cite=\"mid:a\">old</blockquote>",
            "<p>Yes</p>",
        ),
        (
            "Yahoo",
            "<div>Yes</div><div id=\"ydp1\" class=\"yahoo_quoted\"><div>On x wrote:</div>old</div>",
            "<div>Yes</div>",
        ),
        (
            "Gmail with a signature",
            "<div>Yes</div><div class=\"gmail_signature\">Anna</div><div class=\"gmail_quote\"><div class=\"gmail_attr\">On x \
             wrote:</div><blockquote class=\"gmail_quote\">old</blockquote></div>",
            "<div>Yes</div>",
        ),
        (
            "within an element that ends first",
            "<p>Yes</p><b><blockquote type=cite>old</b>still quoted</blockquote>",
            "<p>Yes</p>",
        ),
        (
            "below a paragraph that its own quotation ends",
            "<p id=qt><blockquote>&gt; q</blockquote>When? </p>When?",
            "When? </p>When?",
        ),
        (
            "below a hidden paragraph",
            "<style>p{color:#fff}</style><p>a<div class=gmail_attr>On x wrote:</div>Yes",
            "<style>p{color:#fff}</style>Yes",
        ),
        (
            "a picture that tells of reading behind a quotation",
            "<p>Yes</p><blockquote type=cite>old</blockquote><img src=https://e.org/1 style=\"width:1px;height:1px\">\
             <p><img src=https://e.org/2 alt=''></p>",
            "<p>Yes</p>",
        ),
        (
            "a picture of the writer's behind a quotation",
            "<blockquote type=cite>old</blockquote><img src=\"cid:a\">",
            "<img src=\"cid:a\">",
        ),
        ("behind a tag that looks ended", "<blockquote type=cite>old</blockquote><div/>Yes", "<div/>Yes"),
        ("an answer below", "<blockquote type=cite>old</blockquote><p>Yes</p>", "<p>Yes</p>"),
        ("unclosed", "<p>Yes</p><blockquote type=cite>old", "<p>Yes</p>"),
        (
            "closed by its parent",
            "<div><p>Yes</p><blockquote type=cite>old</div><p>x</p>",
            "<div><p>Yes</p><blockquote type=cite>old</div><p>x</p>",
        ),
        (
            "nothing quoted",
            "<p>Yes</p><blockquote>a saying</blockquote>",
            "<p>Yes</p><blockquote>a saying</blockquote>",
        ),
    ] {
        assert_eq!(extract_html(html), expected, "{program}");
    }
}

#[test]
fn other_content_remains() {
    for (why, html) in [
        ("all is quotation", "<div class=\"gmail_quote\">old</div>"),
        (
            "a forward of Gmail",
            "FYI<div class=\"gmail_quote\"><div class=\"gmail_attr\">---------- Forwarded message ---------<br></div>\
             news<blockquote class=\"gmail_quote\">older</blockquote></div>",
        ),
        (
            "a forward of Apple Mail",
            "FYI<blockquote type=\"cite\"><div>Begin forwarded message:</div>news</blockquote>",
        ),
        (
            "answers between quotations",
            "<p>Hi</p><blockquote type=cite>a?</blockquote><p>yes</p><blockquote type=cite>b?</blockquote><p>no</p>",
        ),
        (
            "a link that points onwards",
            "<p>Welcome to us.</p><p><a href=https://e.org/verify?token=1>&gt; Confirm your email</a></p>",
        ),
        ("a signature without its end", "<p>Hi</p><div class=\"gmail_signature\"><p>Yes, Monday.</p>"),
        ("a signature that looks ended", "<div>Hi<div class=\"gmail_signature\"/><p>Yes, Monday.</p></div>"),
        ("only a picture from elsewhere", "<blockquote type=cite>old</blockquote><img src=https://e.org/1>"),
        ("nothing", ""),
    ] {
        assert_eq!(extract_html(html), html, "{why}");
    }
}

#[test]
fn long_marked_signature_is_text() {
    let with_lines = |count: usize| format!("<p>Yes</p><div id=signature>{}</div>", "<p>line</p>".repeat(count));
    assert_eq!(extract_html(&with_lines(10)), "<p>Yes</p>");
    assert_eq!(extract_html(&with_lines(50)), with_lines(50));
}

#[test]
fn content_after_last_reply_is_removed() {
    assert_eq!(
        extract_html("<p>Hi</p><blockquote type=cite>a?</blockquote><p>yes</p><blockquote type=cite>rest</blockquote>"),
        "<p>Hi</p><blockquote type=cite>a?</blockquote><p>yes</p>"
    );
}

/// Generates parts of replies from mail programs, in random order.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = vec![
        "<html><body>",
        "</body></html>",
        "<div>",
        "</div>",
        "<p>",
        "</p>",
        "<br>",
        "<b>",
        "</b>",
        "<table><tr><td>",
        "</td></tr></table>",
        "<blockquote type=\"cite\">",
        "<blockquote class=\"gmail_quote\">",
        "<blockquote>",
        "</blockquote>",
        "<div class=\"gmail_quote\">",
        "<div class=\"gmail_attr\">On 20 Nov 2026, Anna wrote:</div>",
        "<div class=\"gmail_signature\">",
        "<div id=\"divRplyFwdMsg\">",
        "<div id=\"appendonsend\"></div><hr>",
        "<p id=qt>",
        "<b class=\"gmail_quote\">",
        "<div/>",
        "<td>",
        "<li>",
        "<a href=x>",
        "</a>",
        "<style>p { color: red }</style>",
        "<img src=\"cid:a\">",
        "<!-- note -->",
        "Yes, Monday.",
        "When?",
        "On 20 Nov 2026, Anna &lt;a@b.c&gt; wrote:",
        "<b>From:</b> Anna<br><b>Sent:</b> Friday 10:00<br><b>To:</b> Bo<br><b>Subject:</b> x<br>",
        "-----Original Message-----",
        "---------- Forwarded message ---------",
        "Sent from my iPhone",
        "-- <br>Bo",
        "&gt; quoted",
        "&nbsp;",
    ];
    vec(select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

/// Returns true if the tags and texts of `part` occur in `whole`, in order.
fn is_subsequence(part: &str, whole: &str) -> bool {
    let tokens = |html: &str| -> Vec<String> {
        html.replace('<', "\u{1}<").replace('>', ">\u{1}").split('\u{1}').map(str::to_owned).collect()
    };
    let mut whole = tokens(whole).into_iter();
    // A text is cut where another message starts in it.
    let is_piece =
        |token: &str, other: &str| !token.starts_with('<') && (other.starts_with(token) || other.ends_with(token));
    let mut tokens = tokens(part).into_iter().filter(|token| !token.is_empty());
    tokens.all(|token| whole.any(|other| other == token || is_piece(&token, &other)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn extraction_is_idempotent(html in pieces()) {
        let new = extract_html(&html);
        prop_assert!(is_subsequence(&new, &html), "{new}");
        prop_assert_eq!(extract_html(&new), new.clone());
        let says_nothing = |html: &str| text_from_html(html).is_empty();
        prop_assert!(!says_nothing(&new) || says_nothing(&html) || new.contains("<img"), "a picture says enough: {new}");
    }
}
