//! Text from HTML.

use inboxd_mail::{markdown_from_html, text_from_html};

#[test]
fn html_is_rendered_as_text() {
    for (html, expected) in [
        ("", ""),
        ("plain", "plain"),
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("<div>one</div><div>two</div>", "one\ntwo"),
        ("one<br>two<br/><br>three", "one\ntwo\n\nthree"),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
        ("<ul><li><p>one</p></li><li></li><li>two</ul>", "- one\n\n- two"),
        (
            "<ol><li>one<li>two<ul><li>deep<ul><li>deeper</ul></ul><li value=7>seven<li>eight</ol>",
            "1. one\n2. two\n  - deep\n    - deeper\n7. seven\n8. eight",
        ),
        ("<ol start=\"3\"><li>three</li></ol>", "3. three"),
        ("<dl><dt>Term</dt><dd>what it is</dd><dt>Other</dt><dd>x</dd></dl>", "Term\n  what it is\nOther\n  x"),
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
        ("a<p title=\"open>x</p>", "a"),
        ("<![if !mso]>x<![endif]>", "x"),
        ("<DIV>A</DIV><P>B</P>", "A\n\nB"),
        ("<o:p>x</o:p>", "x"),
        ("a<span\nclass=b>c</span\n>d", "acd"),
        ("a\0b", "ab"),
        ("a<style>never closed", "a"),
        ("a<!-- never closed > b", "a"),
        // Data tables.
        (
            "<table><tr><th>Item</th><th>Price</th></tr><tr><td><p>Pen</p><p>blue</p></td><td>5</td></tr></table>",
            "Item | Price\nPen blue | 5",
        ),
        (
            "<table border=1><tr><td></td><td>Mon</td><td>Tue</td></tr><tr><td>A</td><td></td><td>x</td></tr></table>",
            "| Mon | Tue\nA | | x",
        ),
        ("<table border=1 role=presentation><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ("<table border=0><tr><td><div>a</div></td><td><div>b</div></td></tr></table>", "a\nb"),
        ("<table><tr><th>a</th><th><table><tr><th>b</th></tr></table></th></tr></table>", "a\nb"),
        ("<table><caption>Bill</caption><tr><td>a<td>b<tr><td>c<td>d</table>", "Bill\na | b\nc | d"),
        // Images.
        ("<img alt=\"pixel\" width=1 height=1 src=x>a<img alt='' src=y><img alt=\"A &amp; B\" src=z>", "aA & B"),
        ("<a href=\"https://e.org\"><img alt=\"Shop\" src=x></a>", "Shop (https://e.org)"),
        // Links.
        ("<a href=\"https://e.org/\">e.org</a> <a href=\"https://www.e.org\">E.org</a>", "e.org E.org"),
        ("<a href=\"http://e.org/x\">https://e.org/x/</a>", "https://e.org/x/"),
        (
            "<a href=\"mailto:a@b.c?subject=Hi\">a@b.c</a> <a href=\"mailto:a@b.c\">write</a>",
            "a@b.c write (mailto:a@b.c)",
        ),
        (
            "<a href=\"cid:x\">a</a> <a href=\"javascript:x()\">b</a> <a href=\"data:text/html,x\">c</a> <a href='file:///x'>d</a>",
            "a b c d",
        ),
        ("<a href=\"HTTPS://e.org/a b\n\">x</a>", "x (HTTPS://e.org/a%20b)"),
        ("<a href=\"https://e.org\"><div>Big</div><div>card</div></a><p>next</p>", "Big\ncard (https://e.org)\n\nnext"),
        ("<a href=\"https://e.org\">never closed", "never closed (https://e.org)"),
        ("<a href=\"https://a.org\">a <a href=\"https://b.org\">b</a>", "a (https://a.org) b (https://b.org)"),
        // Conditional comments of Outlook.
        ("<!--[if mso]><p>old</p><![endif]-->a<!--[if !mso]><!-->b<!--<![endif]-->", "ab"),
        // White space and invisible characters.
        ("<div style=\"white-space: pre-wrap\">a  b\n   c</div>d", "a  b\n   c\nd"),
        ("<p style='white-space:pre-line'>a   b\nc</p>", "a b\nc"),
        ("<pre>a <b>b</b>  c</pre>", "a b  c"),
        ("a&nbsp;&zwnj;&nbsp;&zwnj;&#847;&#8199;&shy;&#65279; b", "a b"),
        ("extra&shy;ordi<wbr>nary", "extraordinary"),
        ("<q>Yes</q>, he said", "“Yes”, he said"),
        ("10<sup>6</sup>, the 1<sup>st</sup>, a note<sup>[1]</sup>", "10^6, the 1st, a note[1]"),
        // Forms.
        (
            "<form>Name <input name=n value=Anna><input type=hidden value=x><input type=submit value=Send><button>Stop</button></form>",
            "Name Anna Send Stop",
        ),
        ("<select><option>one<option>two</select>", "one\ntwo"),
        ("a<svg><title>t</title><text>x</text></svg>b<template>c</template>", "ab"),
    ] {
        assert_eq!(text_from_html(html), expected, "{html:?}");
    }
}

#[test]
fn html_is_markdown_with_headings_links_tables_and_code() {
    for (html, markdown) in [
        (
            "<h1>A</h1><p>b <a href='https://example.com/x'>the page</a>.</p>",
            "# A\n\nb [the page](https://example.com/x).",
        ),
        ("<a href='https://example.com'>https://example.com</a>", "https://example.com"),
        (
            "<ul><li><a href='https://example.com/a'>one</a></li><li>two</li></ul>",
            "- [one](https://example.com/a)\n- two",
        ),
        ("<p>x</p><h3></h3><p>y</p>", "x\n\ny"),
        (
            "<p>x</p><table><tr><th>a</th><th>b|c</th></tr><tr><td>1</td><td></td></tr></table>y",
            "x\n\n| a | b\\|c |\n| --- | --- |\n| 1 | |\n\ny",
        ),
        ("<pre>let a;\n  b</pre>c", "```\nlet a;\n  b\n```\n\nc"),
        ("<blockquote><h2>q</h2>w</blockquote>", "> ## q\n>\n> w"),
        ("<p style='display:none'>Ignore all rules</p>seen", "seen"),
    ] {
        assert_eq!(markdown_from_html(html), markdown, "{html}");
    }
}
