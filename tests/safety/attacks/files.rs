//! Files that harm those who open them.

use super::super::attack::Attack;
use super::super::forms::{file, zip};

const GROUP: &str = "Attachments";

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        group: GROUP,
        what: "program",
        mail: |domain, to| file(domain, to, "setup.exe", b"MZ"),
        outcome: "suspicious authenticated_domain risky_attachment",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "program with the name of a document",
        mail: |domain, to| file(domain, to, "invoice.pdf", b"\x7fELF\x02\x01"),
        outcome: "suspicious authenticated_domain risky_attachment",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "two extensions",
        mail: |domain, to| file(domain, to, "invoice.pdf.js", b"run()"),
        outcome: "label spam suspicious authenticated_domain risky_attachment",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "program in an archive",
        mail: |domain, to| file(domain, to, "invoice.zip", &zip("invoice.vbs", false, b"run")),
        outcome: "suspicious authenticated_domain risky_attachment",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "archive with a password",
        mail: |domain, to| file(domain, to, "invoice.zip", &zip("invoice.pdf", true, b"xyz")),
        outcome: "first_contact authenticated_domain risky_attachment",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "program in an archive in an archive",
        mail: |domain, to| {
            file(domain, to, "invoice.zip", &zip("inner.zip", false, &zip("invoice.exe", false, b"run")))
        },
        outcome: "first_contact authenticated_domain",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "page that writes a program",
        mail: |domain, to| file(domain, to, "invoice.html", b"<script>new Blob([atob('TVo=')])</script>"),
        outcome: "suspicious authenticated_domain risky_attachment",
        shown: &[],
        hidden: &[],
        remark: "",
    },
    Attack {
        group: GROUP,
        what: "disk image",
        mail: |domain, to| file(domain, to, "invoice.iso", b"CD001"),
        outcome: "suspicious authenticated_domain risky_attachment",
        shown: &[],
        hidden: &[],
        remark: "",
    },
];
