//! New text of replies.

use inboxd_mail::extract_text;

#[test]
fn date_without_year_counts_beside_time() {
    for line in [
        "On Fri, 20 Nov at 10:04 AM , Support <s@example.org> wrote:",
        "On Nov 20, 10:04, Support <s@example.org> wrote:",
    ] {
        assert_eq!(extract_text(&format!("Yes.\n\n{line}\n\nWhen does the lamp arrive?\nBo")), "Yes.");
    }
    let text = "On our call today at 10:04 with Bo Berg, Support <s@example.org> wrote:\n\nWhen?";
    assert_eq!(extract_text(&format!("Yes.\n\n{text}")), format!("Yes.\n\n{text}"));
}

#[test]
fn quotations_of_programs_are_removed() {
    for (program, text, expected) in [
        (
            "Gmail",
            "Yes, Monday.\n\nOn Fri, 20 Nov 2026 at 10:00, Anna <anna@example.org> wrote:\n\n> When?\n>\n> Anna\n",
            "Yes, Monday.",
        ),
        (
            "Gmail, wrapped",
            "Yes.\n\nOn Fri, 20 Nov 2026 at 10:00, Anna of the Very Long Name\n<anna@example.org> wrote:\n\n> When?\n",
            "Yes.",
        ),
        (
            "Gmail, wrapped over three lines",
            "Yes.\n\nOn Fri, 20 Nov 2026\nat 10:00, Anna <\nanna@example.org> wrote:\n\n> When?\n",
            "Yes.",
        ),
        ("Apple Mail", "Yes.\n\n> On 20 Nov 2026, at 10:00, Anna <a@b.c> wrote:\n> \n> When?\n", "Yes."),
        ("Thunderbird", "Yes.\n\nOn 11/20/26 10:00, Anna wrote:\n> When?\n>> Before\n", "Yes."),
        (
            "Outlook",
            "Yes.\n\n-----Original Message-----\nFrom: Anna\nSent: Friday\nTo: Bo\nSubject: x\n\nWhen?\n",
            "Yes.",
        ),
        (
            "Outlook on the web",
            "Yes.\n\n________________________________\nFrom: Anna <a@b.c>\nSent: Friday, November 20, 2026 10:00\nTo: Bo\nSubject: x\n\nWhen?",
            "Yes.",
        ),
        ("Outlook, bold", "Yes.\n\n*From:* Anna\n*Date:* Friday\n*To:* Bo\n*Subject:* x\n\nWhen?", "Yes."),
        ("unmarked behind its attribution", "Yes.\n\nOn Nov 20, 2026, at 10:00 AM, Anna wrote:\n\nWhen?\nAnna", "Yes."),
        ("attribution alone", "Yes.\n\nOn Nov 20, 2026, at 10:00 AM, Anna wrote:\n", "Yes."),
        ("an old Gmail", "Yes.\n\n2026-11-20 10:00 GMT+01:00 Anna <anna@example.org>:\n\n> When?\n", "Yes."),
        ("an attribution without a time", "Yes.\n\nOn Monday, Anna wrote:\n\n> When?\n", "Yes."),
        ("no attribution", "Yes.\n\n> When?\n", "Yes."),
        ("CRLF", "Yes.\r\n\r\nOn 20 Nov 2026 Anna wrote:\r\n> When?\r\n", "Yes."),
        ("an answer below", "On 20 Nov 2026 Anna wrote:\n> When?\n\nMonday.\n", "Monday."),
    ] {
        assert_eq!(extract_text(text), expected, "{program}");
    }
}

#[test]
fn signatures_are_removed() {
    for (text, expected) in [
        ("Yes.\n\n-- \nBo\nExample Ltd", "Yes."),
        ("Yes.\n--\nBo", "Yes."),
        ("Yes.\n\nSent from my iPhone", "Yes."),
        ("Yes.\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n", "Yes."),
        ("Yes.\n\nSent from my iPhone\n\nOn 20 Nov 2026 Anna wrote:\n> When?", "Yes."),
        ("Yes.\n\n-- \nBo\n\nOn 20 Nov 2026 Anna wrote:\n> When?\n> -- \n> Anna", "Yes."),
        ("> When?\n\nMonday.\n\n-- \nBo", "Monday."),
        (
            "Sent from my office, the plans are here.\nSee below.",
            "Sent from my office, the plans are here.\nSee below.",
        ),
        ("a --\nb", "a --\nb"),
    ] {
        assert_eq!(extract_text(text), expected, "{text:?}");
    }
}

#[test]
fn dashed_line_far_above_end_is_not_signature() {
    let text = format!("intro\n--\n{}end", "line\n".repeat(30));
    assert_eq!(extract_text(&text), text);
}

#[test]
fn replies_between_quotations_keep_their_quotations() {
    for (text, expected) in [
        (
            "Hi Anna,\n\nOn 20 Nov 2026 Anna wrote:\n> When?\n\nMonday.\n\n> Where?\n\nHere.\n\n> Thanks\n> Anna",
            "Hi Anna,\n\nOn 20 Nov 2026 Anna wrote:\n> When?\n\nMonday.\n\n> Where?\n\nHere.",
        ),
        ("> When?\nMonday.\n> Where?\nHere.\n-- \nBo", "> When?\nMonday.\n> Where?\nHere."),
        ("> When?\nMonday.\n> Where?", "> When?\nMonday.\n> Where?"),
    ] {
        assert_eq!(extract_text(text), expected);
    }
}

#[test]
fn forwards_remain_whole() {
    for text in [
        "FYI\n\n---------- Forwarded message ---------\nFrom: Anna <a@b.c>\nDate: Fri\nSubject: x\nTo: Bo\n\nNews.\n-- \nAnna",
        "FYI\n\nBegin forwarded message:\n\nFrom: Anna\nDate: Fri\nTo: Bo\nSubject: x\n\nNews.",
        "FYI\n\nBegin forwarded message:\n\n> From: Anna\n> Subject: x\n> \n> News.",
        "FYI\n\n> Begin forwarded message:\n> \n> From: Anna\n> Subject: x\n> \n> News.",
        "-------- Forwarded Message --------\nSubject: x\nDate: Fri\nFrom: Anna\nTo: Bo\n\nOn 20 Nov 2026 C wrote:\n> old",
    ] {
        assert_eq!(extract_text(text), text);
    }
}

#[test]
fn message_of_quotations_alone_remains_whole() {
    for text in [
        "> all\n> of it",
        "On 20 Nov 2026 Anna wrote:\n> When?",
        "-----Original Message-----\nFrom: Anna\n\nWhen?",
        "-- \nBo",
        "Sent from my iPhone",
    ] {
        assert_eq!(extract_text(text), text);
    }
    assert_eq!(extract_text("\n> a\n\n"), "> a");
    assert_eq!(extract_text(""), "");
    assert_eq!(extract_text(" \n\t\n"), "");
}

#[test]
fn ordinary_text_remains() {
    for text in [
        "Hello\n\nHow are you?",
        "On Monday I wrote:\nthe plan is fine.",
        "From: the whole team\n\nThank you!",
        "a > b\nc < d",
        "He said:\nyes",
        "The meeting is on 5 May.\nOn that day we met.",
        "Subject: x\nTo: y",
    ] {
        assert_eq!(extract_text(text), text);
    }
}

#[test]
fn quotations_of_rare_programs_are_removed() {
    for (program, text, expected) in [
        ("an unknown language", "Yes.\n\nLaupäev 20.11.2026 10:00 Anna <a@b.c> ütles nii:\n> When?", "Yes."),
        ("GroupWise", "Yes.\n\n>>> Anna Berg <a@b.c> 20.11.2026 10:00 >>>\nWhen?\n\nAnna", "Yes."),
        (
            "Lotus Notes",
            "Yes.\n\n\nAnna Berg/Sales/Example\n20.11.2026 10:00\n\nTo\nBo Berg/Example\ncc\n\nSubject\nFigures\n\n\nWhen?",
            "Yes.",
        ),
        ("The Bat!", "Yes.\n\nAnna wrote:\n\nAB> When?\nAB> Where?", "Yes."),
        ("full-width marks", "はい。\n\nAnnaさんは書きました:\n＞いつ？\n＞どこ？", "はい。"),
        (
            "Yahoo on mobiles",
            "Yes.\n\nSent from Yahoo Mail on Android\n\n  On Fri, 20 Nov 2026 at 10:00, Anna<a@b.c> wrote:   When?",
            "Yes.",
        ),
        (
            "Yandex",
            "Yes.\n\n----------------\nКому: Bo (b@c.d);\nТема: x;\n20.11.2026, 10:00, \"Anna\" <a@b.c>:\n\n> When?",
            "Yes.",
        ),
        ("Exchange in plain text", "Yes.\n\n> From: Anna\n> Sent: Friday\n> To: Bo\n> Subject: x\n> \n> When?", "Yes."),
        (
            "marked below its header lines",
            "Yes.\n\n-----Original Message-----\nFrom: Anna\nTo: Bo\nSubject: x\nDate: Friday\n\n> When?\n> Where?",
            "Yes.",
        ),
        (
            "names below their fields",
            "Yes.\n\nFrom:\nAnna <a@b.c>\nSent:\n20.11.2026 10:00\nTo:\nBo\nSubject:\nx\n\nWhen?",
            "Yes.",
        ),
        ("a mark that is a sign", "Yes.\n>50 % agreed.\n\nOn 20 Nov 2026 Anna wrote:\n> When?", "Yes.\n>50 % agreed."),
        ("an empty mark behind", "> When?\n\nMonday.\n\n>\n>", "Monday."),
    ] {
        assert_eq!(extract_text(text), expected, "{program}");
    }
}

#[test]
fn list_footers_below_rule_are_removed() {
    let rule = "_".repeat(47);
    for (text, expected) in [
        (format!("Yes.\n{rule}\nusers mailing list\nusers@lists.example.org\n"), "Yes."),
        (format!("Yes.\n\n> When?\n\n{rule}\nusers mailing list\nhttps://lists.example.org/users"), "Yes."),
        ("Yes.\n\n-=-=-=-=-=-=-=-=-=-=-=-\nLinks: https://groups.example.org\n-=-=-=-".to_owned(), "Yes."),
        ("> When?\n\nYes.\n\n-- \nYou receive this mail because you are on the list.".to_owned(), "Yes."),
    ] {
        assert_eq!(extract_text(&text), expected, "{text}");
    }
    let news = format!("News\n{rule}\nMore news\n{rule}\nThe end");
    assert_eq!(extract_text(&news), news);
}

#[test]
fn wrapped_quoted_lines_are_not_replies() {
    let long = "> The figures of last year are not quite what we had hoped for, but they";
    for (text, expected) in [
        (format!("Yes.\n\nOn 20 Nov 2026 Anna wrote:\n{long}\nare fine.\n> When?"), "Yes."),
        (format!("Yes.\n\n{long}\nare fine.\n{long}\nare good\n\n> When?"), "Yes."),
        (format!("{long}\nare fine.\n> When?\n\nMonday."), "Monday."),
    ] {
        assert_eq!(extract_text(&text), expected, "{text}");
    }
    for text in [
        "> When?\nMonday.\n> Where?\nHere.",
        "> When? And where shall we meet, at your place or mine, or at hers?\nHere.\n> Why?",
    ] {
        assert_eq!(extract_text(text), text);
    }
}
