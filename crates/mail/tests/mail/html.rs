//! Text from HTML.

use inboxd_mail::text_from_html;

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
