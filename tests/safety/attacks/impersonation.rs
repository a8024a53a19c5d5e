//! Senders that pretend to be others.

use super::super::attack::Attack;
use super::super::forms::{from, mail, plain};

const GROUP: &str = "Impersonation";

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        group: GROUP,
        what: "name of a correspondent at another domain",
        mail: |domain, to| from(&format!("Anna Weber <office2291@{domain}>"), to),
        outcome: "suspicious authenticated_domain imitated_name",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "address of a member as name",
        mail: |domain, to| from(&format!("\"{}\" <desk@{domain}>", to.owner), to),
        outcome: "suspicious authenticated_domain imitated_name",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "address of a member as name, relayed by another service",
        mail: |domain, to| from(&format!("\"{} via Docs\" <docs@{domain}>", to.owner), to),
        outcome: "suspicious authenticated_domain imitated_name",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "name of this service",
        mail: |domain, to| from(&format!("Inboxd Support <help@{domain}>"), to),
        outcome: "suspicious authenticated_domain imitated_name",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "name of a correspondent in Cyrillic letters",
        mail: |domain, to| from(&format!("Аnnа Wеbеr <a.weber@{domain}>"), to),
        outcome: "suspicious authenticated_domain imitated_name",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "name of a correspondent in bold letters of mathematics",
        mail: |domain, to| from(&format!("𝐀𝐧𝐧𝐚 𝐖𝐞𝐛𝐞𝐫 <a.weber@{domain}>"), to),
        outcome: "suspicious authenticated_domain imitated_name",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "domain one letter from that of a correspondent",
        mail: |_, to| from("Building Office <office@weber-bua.example>", to),
        outcome: "suspicious lookalike_domain",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "domain of a correspondent with a Cyrillic letter",
        mail: |_, to| from("Building Office <office@xn--wber-bau-c8g.example>", to),
        outcome: "suspicious lookalike_domain",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "`Reply-To` at a domain that looks like that of a correspondent",
        mail: |domain, to| {
            mail(
                &format!("Kim Larsen <kim@{domain}>"),
                to,
                "Reply-To: anna@weber-bua.example\r\n",
                &plain("Please answer."),
            )
        },
        outcome: "suspicious authenticated_domain reply_to_elsewhere lookalike_domain",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "`Reply-To` of a stranger leads elsewhere",
        mail: |domain, to| {
            mail(
                &format!("Kim Larsen <kim@{domain}>"),
                to,
                "Reply-To: kim@collector.example\r\n",
                &plain("Please answer."),
            )
        },
        outcome: "first_contact authenticated_domain reply_to_elsewhere",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "address of a correspondent whose domain has a DMARC policy",
        mail: |_, to| from("Anna Weber <anna@weber-bau.example>", to),
        outcome: "label unauthenticated suspicious lost_authentication known_correspondent",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "address of a domain without SPF, DKIM and DMARC",
        mail: |_, to| from("The Bank <service@unprotected.example>", to),
        outcome: "first_contact",
        shown: &[],
        hidden: &[],
        remark: "**not recognised**; `authenticated_domain` is missing",
    },
    Attack {
        group: GROUP,
        what: "address of this service",
        mail: |_, to| from("Notice <notice@service.example>", to),
        outcome: "label unauthenticated suspicious unauthenticated_domain",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "address of the inbox itself",
        mail: |_, to| from(&to.inbox, to),
        outcome: "label unauthenticated suspicious unauthenticated_domain",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "stranger joins a thread by `References`",
        mail: |domain, to| {
            mail(
                &format!("Kim Larsen <kim@{domain}>"),
                to,
                &format!("Subject: Re: Site plan\r\nReferences: {}\r\n", to.sent),
                &plain("My new account number follows."),
            )
        },
        outcome: "first_contact authenticated_domain",
        shown: &[],
        hidden: &[],
        remark: "**not recognised**; the stranger stays `first_contact`",
    },
];
