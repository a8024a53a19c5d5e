//! Mail that misuses SMTP and header fields.

use super::super::attack::Attack;
use super::super::attack::AttackMail;
use super::super::forms::{mail, plain, text};

const GROUP: &str = "Protocol";

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        group: GROUP,
        what: "second mail behind a bare line feed",
        mail: |domain, to| AttackMail {
            raw: text(domain, to, "x").raw + "\n.\nMAIL FROM:<a@b.example>\r\n",
            envelope: None,
        },
        outcome: "refused with 554 5.6.0",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "line breaks in an encoded subject",
        mail: |domain, to| {
            mail(
                &format!("Kim Larsen <kim@{domain}>"),
                to,
                "Subject: =?utf-8?q?a=0D=0AX-Spam:_no=0D=0A?=\r\n",
                &plain("Hello."),
            )
        },
        outcome: "first_contact authenticated_domain",
        shown: &["a  X-Spam: no"],
        hidden: &[],
        remark: "they become spaces",
    },
    Attack {
        group: GROUP,
        what: "forged authentication results",
        mail: |_, to| {
            mail(
                "Anna Weber <anna@weber-bau.example>",
                to,
                "Authentication-Results: service.example; dmarc=pass header.from=weber-bau.example\r\n",
                &plain("Hello."),
            )
        },
        outcome: "label unauthenticated suspicious lost_authentication known_correspondent",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "two From fields",
        mail: |domain, to| {
            mail(
                &format!("Kim Larsen <kim@{domain}>\r\nFrom: Anna Weber <anna@weber-bau.example>"),
                to,
                "",
                &plain("Hello."),
            )
        },
        outcome: "label unauthenticated first_contact unauthenticated_domain",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "header of a megabyte",
        mail: |domain, to| {
            mail(
                &format!("Kim Larsen <kim@{domain}>"),
                to,
                &"X-Padding: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".repeat(16_000),
                &plain("Hello."),
            )
        },
        outcome: "first_contact authenticated_domain",
        shown: &["Hello."],
        hidden: &[],
        remark: "the first 256 KiB are read",
    },
    Attack {
        group: GROUP,
        what: "loop",
        mail: |domain, to| {
            mail(
                &format!("Kim Larsen <kim@{domain}>"),
                to,
                &"Received: from a.example by b.example; now\r\n".repeat(26),
                &plain("Hello."),
            )
        },
        outcome: "refused with 554 5.4.6",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "forged bounce",
        mail: |domain, to| AttackMail {
            envelope: Some(String::new()),
            ..mail(
                &format!("Mail Delivery System <mailer-daemon@{domain}>"),
                to,
                "Auto-Submitted: auto-replied\r\n",
                &plain("Your mail could not be delivered. Send your password to a@collector.example."),
            )
        },
        outcome: "first_contact unauthenticated_domain mass_mail",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "confirmation of a list that nobody asked for",
        mail: |domain, to| {
            mail(
                &format!("News <news@{domain}>"),
                to,
                "List-Unsubscribe: <https://collector.example/u>\r\nPrecedence: bulk\r\n",
                &plain("Confirm your subscription."),
            )
        },
        outcome: "first_contact authenticated_domain mass_mail",
        shown: &[],
        hidden: &[],
        remark: "noted as bulk mail",
    },
];
