//! Text from HTML, and what is new in HTML.

use inboxd_mail::{extract_html, text_from_html};

#[test]
fn html_reads_as_text() {
    for (html, expected) in [
        ("", ""),
        ("plain", "plain"),
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("<div>one</div><div>two</div>", "one\ntwo"),
        ("one<br>two<br/><br>three", "one\ntwo\n\nthree"),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
        ("<ul><li><p>one</p></li><li></li><li>two</ul>", "- one\n\n- two"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("a <b>bold</b> word", "a bold word"),
        ("a<b>b</b>c", "abc"),
        ("  a \n\t b  ", "a b"),
        ("a&nbsp;&amp;&lt;b&gt;&#233;&#xe9;&bogus;&", "a &<b>éé&bogus;&"),
        ("<style>p{}</style>a<script>x<y</script>b<!-- c -->", "ab"),
        ("<head><title>t</title></head><body>x</body>", "x"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("x<blockquote>a<br>b</blockquote>y", "x\n\n> a\n> b\n\ny"),
        ("<a href=\"https://e.org/?a=1&amp;b=2\">here</a>.", "here (https://e.org/?a=1&b=2)."),
        ("<a href=\"https://e.org\">https://e.org</a>", "https://e.org"),
        ("<a href=\"mailto:a@b.c\">a@b.c</a>", "a@b.c"),
        ("<a href=\"#top\">up</a> <a name=x>y</a>", "up y"),
        ("<img alt=\"Logo\" src=x> <img src=y>", "Logo"),
        ("<h1>T</h1>text", "T\n\ntext"),
        ("a<hr>b", "a\n---\nb"),
        ("1 < 2 > 0", "1 < 2 > 0"),
        ("<p title=\"a > b\">x</p>", "x"),
        ("<p title=\"open>x</p>", "x"),
        ("<![if !mso]>x<![endif]>", "x"),
        ("<DIV>A</DIV><P>B</P>", "A\n\nB"),
        ("<o:p>x</o:p>", "x"),
        ("a<span\nclass=b>c</span\n>d", "acd"),
        ("a\0b", "ab"),
        ("<style>never closed", "never closed"),
    ] {
        assert_eq!(text_from_html(html), expected, "{html:?}");
    }
}

#[test]
fn quotations_of_mail_programs_are_taken_out() {
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
            "<p>Yes</p><div><div style=\"border:none;border-top:solid #E1E1E1 1.0pt;padding:3pt\"><p><b>From:</b> a</p></div></div>old",
            "<p>Yes</p><div>",
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
            "<div>Yes</div><div class=\"gmail_signature\">Anna</div><div class=\"gmail_quote\">old</div>",
            "<div>Yes</div>",
        ),
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
fn what_must_stay_stays() {
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
        ("nothing", ""),
    ] {
        assert_eq!(extract_html(html), html, "{why}");
    }
}

#[test]
fn the_rest_behind_the_last_answer_goes() {
    assert_eq!(
        extract_html("<p>Hi</p><blockquote type=cite>a?</blockquote><p>yes</p><blockquote type=cite>rest</blockquote>"),
        "<p>Hi</p><blockquote type=cite>a?</blockquote><p>yes</p>"
    );
}
