use std::net::IpAddr;

use inboxd_core::model::{AuthResult, Authentication, SpamReport};
use inboxd_core::ports::SuspectMail;
use inboxd_core::rules::spam::evaluate;
use inboxd_mail::parse;
use proptest::prelude::*;

const GTUBE: &str = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";

/// The header of legitimate mail.
const HONEST: &str = "From: Anna Berg <anna@example.org>\r\nTo: scout@inboxd.example\r\nSubject: Lunch\r\n\
    Date: Fri, 20 Nov 2026 10:00:00 +0000\r\nMessage-ID: <1@example.org>\r\n";

fn judged(raw: &str) -> SpamReport {
    judged_with(raw, None)
}

fn judged_with(raw: &str, authentication: Option<&Authentication>) -> SpamReport {
    let parsed = parse(raw.as_bytes());
    let client: (IpAddr, &str) = ([192, 0, 2, 1].into(), "mx.example.org");
    evaluate(&SuspectMail {
        client: Some(client),
        envelope_from: None,
        recipients: &[],
        raw: raw.as_bytes(),
        parsed: &parsed,
        authentication,
    })
}

fn text(body: &str) -> String {
    format!("{HONEST}\r\n{body}\r\n")
}

fn html(body: &str) -> String {
    format!("{HONEST}MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{body}\r\n")
}

fn attached(name: &str) -> String {
    format!(
        "{HONEST}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the file.\r\n--b\r\n\
         Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n\r\nMZ\r\n--b--\r\n"
    )
}

fn names(report: &SpamReport) -> Vec<&str> {
    report.reasons.iter().map(|reason| reason.name.as_str()).collect()
}

#[test]
fn gtube_line_is_spam_anywhere_in_any_encoding() {
    let encoded = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-T=\r\nEST-EMAIL*C.34X";
    let quoted =
        format!("{HONEST}MIME-Version: 1.0\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{encoded}\r\n");
    for mail in [text(GTUBE), html(&format!("<p>{GTUBE}</p>")), quoted] {
        let report = judged(&mail);
        assert!(report.is_spam && report.reasons[0].name == "GTUBE", "{report:?}");
        assert_eq!((report.filter.as_str(), report.threshold), ("built-in", 5.0));
    }
}

#[test]
fn checks_match_their_examples() {
    let table = [
        (HONEST.replace("From: Anna Berg <anna@example.org>\r\n", "") + "\r\nHello", "NO_FROM"),
        (HONEST.replace("Date:", "X-Date:") + "\r\nHello", "NO_DATE"),
        (HONEST.replace("Message-ID:", "X-Id:") + "\r\nHello", "NO_MESSAGE_ID"),
        (HONEST.replace("To:", "X-To:") + "\r\nHello", "TO_NOBODY"),
        (HONEST.replace("Anna Berg", "\"service@bank.example\"") + "\r\nHello", "FROM_CLAIMS_ANOTHER"),
        (format!("Reply-To: anna.berg@gmail.com\r\n{HONEST}\r\nHello"), "REPLY_TO_FREE_MAIL"),
        (HONEST.replace("Lunch", "ANSWER ME NOW PLEASE") + "\r\nHello", "SHOUTED_SUBJECT"),
        (html("<a href='https://evil.example/x'>www.bank.example</a>"), "LINK_LEADS_ELSEWHERE"),
        (html("<a href='http://198.51.100.7/x'>here</a>"), "LINK_TO_ADDRESS"),
        (html("<a href='http://bank.example@evil.example/'>here</a>"), "LINK_WITH_USER"),
        (html("<a href='https://xn--bnk-0na.example/'>here</a>"), "LINK_DISGUISED"),
        (html("<a href='javascript:alert(1)'>here</a>"), "LINK_IS_PROGRAM"),
        (html("<img src='cid:1'><p>Hi</p>"), "ONLY_PICTURES"),
        (attached("setup.exe"), "ATTACHED_PROGRAM"),
        (attached("invoice.pdf.SCR"), "DISGUISED_PROGRAM"),
        (text("Cheap meds,\r\nno prescription needed"), "PILLS"),
        (text("Buy V\u{ad}iag\u{200b}ra"), "PILLS"),
    ];
    for (mail, name) in table {
        let report = judged(&mail);
        assert!(names(&report).contains(&name), "{name}: {report:?}");
        assert!(report.reasons.iter().all(|reason| reason.description.is_some()));
    }
}

#[test]
fn checks_ignore_similar_legitimate_mail() {
    for mail in [
        text("Shall we meet on Monday?"),
        HONEST.replace("Anna Berg", "\"anna@example.org\"") + "\r\nHello",
        HONEST.replace("Anna Berg", "\"anna@mail.example.org\"") + "\r\nHello",
        format!("Reply-To: desk@example.org\r\n{HONEST}\r\nHello"),
        HONEST.replace("Lunch", "Re: NATO API") + "\r\nHello",
        HONEST.replace("Lunch", "打ち合わせの件につきましてご連絡") + "\r\nHello",
        html("<a href='https://www.example.org/x'>example.org</a>"),
        html("<a href='https://click.mailer.example/x'>Read more at example.org today</a>"),
        html("<a href='https://example.org/'>anna@example.net</a>"),
        html("<a href='mailto:anna@example.org'>anna@example.net</a>"),
        html("<a href='https://files.example/'>report.v2</a>"),
        html("<img src='cid:1'><p>A picture, and enough words beside it.</p>"),
        attached("report.pdf"),
        attached("archive.tar.gz"),
    ] {
        let report = judged(&mail);
        assert_eq!((report.reasons.len(), report.is_spam), (0, false), "{mail}\n{report:?}");
    }
}

#[test]
fn legitimate_mail_is_not_spam() {
    for body in [
        "Your verification code is 482913. It expires within 24 hours. If you did not ask for it, ignore this mail.",
        "We raised 3 million dollars. The press release is attached, strictly confidential until Monday.",
        "Your mailbox is full, says our admin: please archive what you do not need.",
        "Our lottery pool at work: did you pay in this week?",
        "Payment by Western Union is possible, but a bank transfer would be cheaper.",
        "Your order has shipped. Track it here: https://parcel.example/1Z999. 100% free returns.",
        "I hacked your script a little so that it handles the empty file; all your contacts are still there.",
        "The pharmacy says the prescription is ready.",
    ] {
        let report = judged(&text(body));
        assert!(!report.is_spam, "{body}\n{report:?}");
    }
}

#[test]
fn typical_spam_is_spam() {
    let beneficiary = "Dear beneficiary, I am the barrister of your late client. He left 4.5 million dollars and no next of \
        kin. I want to transfer the fund with you as my foreign partner, 100% risk free.";
    let extortion = "I hacked your computer and recorded you through your webcam. Pay me 900 USD to my bitcoin wallet. \
        You have 48 hours, or all your contacts will see it.";
    let prize = "Congratulations! You have won the lottery, lucky winner. Claim your prize, winning number 5512.";
    let pills = "Viagra, Cialis and Levitra, no prescription needed, canadian pharmacy.";
    for body in [beneficiary, extortion, pills] {
        let report = judged(&text(body));
        assert!(report.is_spam, "{body}\n{report:?}");
    }
    let prize =
        HONEST.replace("Anna Berg", "\"desk@lottery.example\"").replace("Lunch", "YOU ARE A WINNER") + "\r\n" + prize;
    assert!(judged(&prize).is_spam);
    let bait = html(
        "<p>Your account will be suspended. Confirm your password within 24 hours to avoid suspension.</p>\
         <a href='http://198.51.100.7/login'>www.bank.example</a>",
    );
    assert!(judged(&bait).is_spam, "{:?}", judged(&bait));
}

#[test]
fn wording_alone_is_no_spam_in_authenticated_mail() {
    let newsletter = "How extortion works: I hacked your computer and recorded you through your webcam. Pay me, or all your \
        contacts will see it; you have 48 hours, here is my bitcoin wallet. Or: you have won the lottery, claim your prize.";
    let passed = Authentication {
        spf: AuthResult::Pass,
        dkim: AuthResult::Pass,
        dmarc: AuthResult::Pass,
        aligned_domain: Some("example.org".to_owned()),
        arc: None,
    };
    assert!(judged(&text(newsletter)).is_spam);
    let vouched = judged_with(&text(newsletter), Some(&passed));
    assert!(!vouched.is_spam, "{vouched:?}");
    let shouted = HONEST.replace("Lunch", "FINAL REMINDER INVOICE 5512") + "\r\n" + newsletter;
    assert!(!judged_with(&shouted, Some(&passed)).is_spam);
}

#[test]
fn authentication_contributes_to_score_but_does_not_decide() {
    let authentication = |spf, dkim, dmarc| Authentication { spf, dkim, dmarc, aligned_domain: None, arc: None };
    let failed = authentication(AuthResult::Fail, AuthResult::Fail, AuthResult::Fail);
    let report = judged_with(&text("Hello"), Some(&failed));
    assert_eq!(names(&report), ["SPF_FAIL", "DMARC_FAIL", "DKIM_BROKEN"]);
    assert!(!report.is_spam);
    let passed = authentication(AuthResult::Pass, AuthResult::Pass, AuthResult::Pass);
    assert_eq!(judged_with(&text("Hello"), Some(&passed)).score.to_bits(), (-0.5_f64).to_bits());
    let unknown = authentication(AuthResult::TempError, AuthResult::TempError, AuthResult::TempError);
    assert_eq!(judged_with(&text("Hello"), Some(&unknown)).reasons, []);
}

#[test]
fn reasons_are_sorted_by_weight_and_add_up() {
    let report = judged(&(HONEST.replace("Date:", "X-Date:").replace("To:", "X-To:") + "\r\nviagra"));
    assert_eq!(names(&report), ["PILLS", "NO_DATE", "TO_NOBODY"]);
    assert_eq!(report.score.to_bits(), 3.0_f64.to_bits());
}

proptest! {
    #[test]
    fn any_input_is_scored(raw in ".*", body in "[<>a=' \"/:.@\r\n-]{0,200}") {
        for mail in [raw, html(&body), text(&body)] {
            let report = judged(&mail);
            prop_assert!(report.score.is_finite());
            prop_assert_eq!(report.is_spam, report.score >= report.threshold);
        }
    }
}
