//! Links to other places than their text.

use super::super::attack::Attack;
use super::super::forms::html;

const GROUP: &str = "Links";

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        group: GROUP,
        what: "text names another host",
        mail: |domain, to| html(domain, to, "<a href=\"https://collector.example/login\">www.bank.example</a>"),
        outcome: "suspicious authenticated_domain misleading_link",
        shown: &["collector.example"],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "target with a name before `@`",
        mail: |domain, to| {
            html(domain, to, "<a href=\"https://bank.example@collector.example/\">https://bank.example</a>")
        },
        outcome: "suspicious authenticated_domain misleading_link",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "target with letters that look alike",
        mail: |domain, to| html(domain, to, "<a href=\"https://xn--bnk-8cd.example/\">https://bank.example</a>"),
        outcome: "suspicious authenticated_domain misleading_link",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "target behind a shortener",
        mail: |domain, to| html(domain, to, "<a href=\"https://t.co/abc\">https://bank.example/login</a>"),
        outcome: "first_contact authenticated_domain",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "`javascript:` target",
        mail: |domain, to| html(domain, to, "<a href=\"javascript:steal()\">www.bank.example</a>"),
        outcome: "first_contact authenticated_domain",
        shown: &[],
        hidden: &["steal()"],
        remark: "the target is left out of the text",
    },
    Attack {
        group: GROUP,
        what: "`data:` target",
        mail: |domain, to| html(domain, to, "<a href=\"data:text/html;base64,PHNjcmlwdD4=\">www.bank.example</a>"),
        outcome: "first_contact authenticated_domain",
        shown: &[],
        hidden: &["base64"],
        remark: "the target is left out of the text",
    },
];
