//! Settings of limits.

use super::{Accepted, DAYS, RATE, ROWS, Setting};

/// Connections, sizes and rates.
pub(super) const RATES: &[Setting] = &[
    Setting::number(
        "INBOXD_MAX_CONNECTIONS",
        "65536",
        (2, 1_000_000),
        "Maximum concurrent connections of the API, WebSockets included. Each takes an open file.",
    ),
    Setting::number(
        "INBOXD_MAX_MESSAGE_BYTES",
        "41943040",
        (65_536, 1_073_741_824),
        "Maximum size of a message in or out. A JSON body may be 1.4 times as large.",
    ),
    Setting::number(
        "INBOXD_RESPONSE_STALL_SECONDS",
        "10",
        (1, 60),
        "Time for which a client may read nothing of a large response; then its connection is closed.",
    ),
    Setting::number("INBOXD_SMTP_MAX_CONNECTIONS", "1024", (16, 1_000_000), "Maximum concurrent SMTP connections."),
    Setting::number(
        "INBOXD_SMTP_SPOOL_BYTES",
        "2147483648",
        (1_048_576, u64::MAX / 2),
        "Disk space in INBOXD_DATA_DIR for messages above 256 KB while they arrive.",
    ),
    Setting::number(
        "INBOXD_KEY_RATE",
        "200",
        RATE,
        "Requests of a key per second, and five times as many of all keys of an organization; 0 disables the limits.",
    )
    .reloaded(),
    Setting {
        accepted: Accepted::Number(0, 10_000),
        ..Setting::optional(
            "INBOXD_ORGANIZATION_REQUESTS",
            "half of the connections of the API",
            "",
            "Concurrent database requests of one organization, and four times as many sends; 0 disables the limits.",
        )
    },
    Setting::number(
        "INBOXD_UNAUTHENTICATED_RATE",
        "30",
        RATE,
        "Sign-ups, sign-ins and OAuth registrations of a client address per minute; 0 disables the limits.",
    )
    .reloaded(),
];

/// Limits of accounts and mail to strangers.
pub(super) const ACCOUNTS: &[Setting] = &[
    Setting::number(
        "INBOXD_LOOP_BUDGET_PER_HOUR",
        "100",
        RATE,
        "Messages that keys send from one inbox to one address per hour; 0 disables the limit.",
    )
    .reloaded(),
    Setting::number(
        "INBOXD_MAILBOX_MAILS_PER_HOUR",
        "10",
        RATE,
        "Mails of sign-ups and invitations to one mailbox per hour; 0 disables the limit.",
    )
    .reloaded(),
    Setting::number(
        "INBOXD_MAILBOX_MAILS_PER_DAY",
        "20",
        RATE,
        "Mails of sign-ups and invitations to one mailbox per day; 0 disables the limit.",
    )
    .reloaded(),
    Setting::number(
        "INBOXD_INVITATIONS_PER_HOUR",
        "50",
        RATE,
        "Invitations of one organization per hour; 0 disables the limit.",
    )
    .reloaded(),
    Setting::number(
        "INBOXD_INVITATIONS_PER_DAY",
        "200",
        RATE,
        "Invitations of one organization per day; 0 disables the limit.",
    )
    .reloaded(),
    Setting::number(
        "INBOXD_UNVERIFIED_RETENTION_DAYS",
        "7",
        DAYS,
        "Days until an organization with an unconfirmed owner address is removed.",
    ),
];

/// Rows of a tenant.
pub(super) const TENANT_ROWS: &[Setting] = &[
    Setting::number("INBOXD_MAX_DRAFTS", "10000", ROWS, "Drafts of an inbox.").reloaded(),
    Setting::number(
        "INBOXD_MAX_LIST_ENTRIES",
        "10000",
        ROWS,
        "Entries of all allow and block lists of an organization.",
    )
    .reloaded(),
    Setting::number(
        "INBOXD_MAX_API_KEYS",
        "1000",
        ROWS,
        "API keys of an organization that are not revoked, without those of sign-ins.",
    )
    .reloaded(),
    Setting::number(
        "INBOXD_MAX_DAILY_CREATIONS",
        "50000",
        (1, 1_000_000_000),
        "Creations of an organization per day with rows that outlive deletion.",
    )
    .reloaded(),
    Setting::number("INBOXD_MAX_PENDING_INVITATIONS", "1000", ROWS, "Pending invitations of an organization.")
        .reloaded(),
    Setting::number("INBOXD_MAX_MEMBER_CONNECTIONS", "100", ROWS, "Connections of OAuth clients of one member.")
        .reloaded(),
    Setting::number(
        "INBOXD_MAX_UNUSED_CLIENTS",
        "10000",
        ROWS,
        "OAuth clients of the whole server without a connection, registered ones and documents each.",
    )
    .reloaded(),
    Setting::number("INBOXD_MAX_DAILY_CHANGES", "10000", ROWS, "Audited changes of one key or person per UTC day.")
        .reloaded(),
    Setting::number(
        "INBOXD_MAX_LABEL_EVENTS",
        "50000",
        ROWS,
        "Events in the label history of an inbox; older ones are deleted.",
    )
    .reloaded(),
    Setting::number(
        "INBOXD_MAX_CONTACTS",
        "10000",
        ROWS,
        "Contacts of an inbox that it never wrote to, and a tenth of all its contacts.",
    )
    .reloaded(),
];

/// Safety and retention.
pub(super) const RETENTION: &[Setting] = &[
    Setting::switch(
        "INBOXD_SENDING_BRAKE",
        "on",
        "Whether the sending of organizations with many bounces or complaints is slowed and held.",
    )
    .reloaded(),
    Setting::switch(
        "INBOXD_ATTACHMENT_SEARCH",
        "on",
        "Whether this worker reads attachments, so that searches find their words.",
    ),
    Setting::switch("INBOXD_APPROVAL_MAIL", "on", "Whether approvers are mailed a link to each held message."),
    Setting::number("INBOXD_APPROVAL_DAYS", "7", DAYS, "Days in which a held message can be approved."),
    Setting::number("INBOXD_AUDIT_RETENTION_DAYS", "365", DAYS, "Days for which the audit log is stored."),
    Setting::number(
        "INBOXD_EVENT_RETENTION_DAYS",
        "365",
        DAYS,
        "Days for which events and the logs of webhook and delivery attempts are stored. All processes need the same.",
    ),
    Setting::number(
        "INBOXD_BLOB_RETENTION_DAYS",
        "7",
        (0, 3650),
        "Days for which contents outside the database outlive their messages, so that a backup of the database finds them.",
    ),
    Setting::number(
        "INBOXD_REPORT_RETENTION_DAYS",
        "90",
        DAYS,
        "Days for which received DMARC and TLS reports are stored.",
    ),
    Setting::number(
        "INBOXD_MAX_MAIL_REPORTS",
        "10000",
        (8, 100_000),
        "Stored DMARC and TLS reports of the whole server; a sender has an eighth, all without an authenticated \
         sender a quarter, and the oldest of the senders with most are evicted.",
    ),
    Setting::number(
        "INBOXD_MAX_DAILY_MAIL_REPORTS",
        "1000",
        (8, 100_000),
        "DMARC and TLS reports that are stored within 24 hours; a sender has an eighth, all without an authenticated \
         sender a quarter.",
    ),
];
