//! Table of all replies.
//!
//! Each reply has a code (RFC 5321, section 4.2). All except greetings and 354 have an enhanced status code (RFC 3463,
//! RFC 2034). Each refusal states the cause and the next step.

use std::borrow::Cow;

use inboxd_core::app::NotReceived;
use inboxd_core::ports::StoreError;

/// Limit of the text of one line. RFC 5321, section 4.5.3.1.5 permits 512 bytes with codes and CRLF.
const MAX_REPLY_TEXT_CHARS: usize = 480;

/// Reply of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// Greeting of a session.
    Greeting { hostname: String },
    /// Reply to HELO.
    Hello { hostname: String, client: String },
    /// Reply to EHLO.
    Extensions { hostname: String, client: String, extensions: Vec<String> },
    /// Reply to STARTTLS.
    StartTls,
    /// Reply to HELP.
    Help,
    /// Reply to QUIT.
    Goodbye,
    /// Reply to RSET and NOOP.
    Done,
    /// The sender is accepted.
    Sender,
    /// The recipient is accepted.
    Recipient,
    /// A chunk before the last one is accepted.
    Chunk { bytes: usize },
    /// The message is stored durably.
    Stored,
    /// The message is accepted; its aggregate reports are not stored.
    Dropped,
    /// Reply to VRFY.
    CannotVerify,
    /// Request for the content.
    SendContent,
    /// The server is shutting down.
    ShuttingDown,
    /// The client was silent for too long.
    Idle,
    /// The session exceeded its limit.
    SessionTimeout,
    /// Too many invalid commands.
    TooManyFaults,
    /// Too many commands without a message.
    TooManyCommands,
    /// Too many unknown recipients, which suggests address guessing.
    TooManyUnknown,
    /// The client speaks HTTP.
    NotSmtp,
    /// The server has too many connections.
    ServerFull,
    /// The client address has too many connections.
    ClientFull,
    /// The client network has too many connections.
    NetworkFull,
    /// The idle session yields to another client.
    Yielded,
    /// The message arrives too slowly.
    TooSlow,
    /// The mailbox exceeds its storage limit.
    MailboxFull,
    /// Disk space is exhausted.
    NoSpace,
    /// The recipient lookup failed temporarily.
    RecipientBusy,
    /// The recipient accepts no mail at present.
    RecipientDeferred { text: String },
    /// The store failed temporarily.
    StoreBusy,
    /// The store of large contents failed temporarily; smaller mail is stored.
    ContentStoreAway,
    /// The memory and disk budgets are exhausted.
    NoCapacity,
    /// The message has too many recipients.
    TooManyRecipients { limit: usize },
    /// The content is too large for its number of recipients. The same transaction would fail again.
    TooManyCopies { limit: usize },
    /// The command is unknown.
    UnknownCommand,
    /// The command line is too long.
    LineTooLong { limit: usize },
    /// The command line has a CR or LF on its own.
    BareLineEnd,
    /// The command line has control characters or is not UTF-8.
    NotText,
    /// The argument of the command is not valid.
    Argument { cause: &'static str },
    /// The sender address is not valid.
    SenderAddress { cause: String },
    /// The recipient address is not valid.
    RecipientAddress { cause: String },
    /// The command is known and not offered.
    NotOffered { verb: &'static str },
    /// The command is out of sequence.
    Sequence { cause: &'static str },
    /// TLS must start first.
    TlsRequired,
    /// The parameter value is not supported.
    ParameterValue { cause: &'static str },
    /// The parameter is not known.
    Parameter { name: String },
    /// The recipient does not exist.
    UnknownRecipient { address: String },
    /// The message exceeds the size limit.
    TooLarge { limit: usize },
    /// The address needs SMTPUTF8, which MAIL did not request.
    NeedsUtf8,
    /// No recipient was accepted.
    NoRecipients,
    /// The content has a CR or LF on its own.
    BareLineEndInContent,
    /// The application refused the message.
    Refused { code: u16, status: &'static str, text: String },
}

impl Reply {
    /// Returns whether the reply accepts a complete message.
    pub(super) fn is_acceptance(&self) -> bool {
        matches!(self, Self::Stored | Self::Dropped)
    }

    /// Returns whether the reply counts as a fault of the client.
    pub(super) fn is_fault(&self) -> bool {
        matches!(self.parts().0, 500..=504 | 555)
    }

    /// Returns whether a negative reply has a code of class 4 (RFC 5321, section 4.2.1).
    pub(super) fn is_temporary(&self) -> bool {
        matches!(self.parts().0, 400..=499)
    }

    /// Returns the reason of a negative reply as a label of metrics; `None` for the others.
    pub(super) fn refusal_reason(&self) -> Option<&'static str> {
        Some(match self {
            Self::ShuttingDown => "shutting_down",
            Self::Idle => "idle",
            Self::SessionTimeout => "session_timeout",
            Self::TooManyFaults => "too_many_faults",
            Self::TooManyCommands => "too_many_commands",
            Self::TooManyUnknown => "too_many_unknown_recipients",
            Self::NotSmtp => "not_smtp",
            Self::ServerFull => "server_connections",
            Self::ClientFull => "address_connections",
            Self::NetworkFull => "network_connections",
            Self::Yielded => "yielded",
            Self::TooSlow => "too_slow",
            Self::MailboxFull => "mailbox_full",
            Self::NoSpace => "disk_full",
            Self::RecipientBusy => "recipient_lookup_failed",
            Self::RecipientDeferred { .. } => "recipient_deferred",
            Self::StoreBusy => "store_failed",
            Self::ContentStoreAway => "content_store_failed",
            Self::NoCapacity => "content_capacity",
            Self::TooManyRecipients { .. } => "too_many_recipients",
            Self::UnknownCommand | Self::LineTooLong { .. } | Self::BareLineEnd | Self::NotText => "syntax",
            Self::Argument { .. } | Self::ParameterValue { .. } | Self::Parameter { .. } => "argument",
            Self::SenderAddress { .. } | Self::RecipientAddress { .. } | Self::NeedsUtf8 => "address",
            Self::NotOffered { .. } => "not_offered",
            Self::Sequence { .. } | Self::NoRecipients => "sequence",
            Self::TlsRequired => "tls_required",
            Self::UnknownRecipient { .. } => "unknown_recipient",
            Self::TooLarge { .. } | Self::TooManyCopies { .. } => "too_large",
            Self::BareLineEndInContent => "bare_line_end",
            Self::Refused { status, code, .. } => match (*code, *status) {
                (_, "5.1.1") => "unknown_recipient",
                (450, _) => "recipient_deferred",
                (451, _) => "recipient_gone",
                (452, "4.2.2") => "mailbox_full",
                (452, _) => "disk_full",
                (_, "5.4.6") => "mail_loop",
                (_, "5.3.4") => "too_large",
                (_, "5.7.1") => "no_report",
                _ => "other",
            },
            Self::Greeting { .. }
            | Self::Hello { .. }
            | Self::Extensions { .. }
            | Self::StartTls
            | Self::Help
            | Self::Goodbye
            | Self::Done
            | Self::Sender
            | Self::Recipient
            | Self::Chunk { .. }
            | Self::Stored
            | Self::Dropped
            | Self::CannotVerify
            | Self::SendContent => return None,
        })
    }

    /// Returns the reply to a message that the application does not receive.
    pub(super) fn of_refusal(refusal: &NotReceived) -> Self {
        let (code, status) = match refusal {
            NotReceived::Store(StoreError::ContentUnavailable(_)) => return Self::ContentStoreAway,
            NotReceived::Store(_) => return Self::StoreBusy,
            NotReceived::UnknownRecipient(_) => (550, "5.1.1"),
            NotReceived::OneIsGone(_) => (451, "4.2.1"),
            NotReceived::Deferred { .. } => (450, "4.2.1"),
            NotReceived::MailboxFull(_) => (452, "4.2.2"),
            NotReceived::NoSpace => (452, "4.3.1"),
            NotReceived::Loop(_) => (554, "5.4.6"),
            NotReceived::TooLarge(_) => (552, "5.3.4"),
            NotReceived::NoReport | NotReceived::ForeignReports(_) => (550, "5.7.1"),
        };
        Self::Refused { code, status, text: refusal.to_string() }
    }

    /// Appends the encoded reply.
    pub(super) fn encode(&self, output: &mut Vec<u8>) {
        let (code, status, text) = self.parts();
        let more: &[String] = match self {
            Self::Extensions { extensions, .. } => extensions,
            _ => &[],
        };
        let separator = if more.is_empty() { ' ' } else { '-' };
        let space = if status.is_empty() { "" } else { " " };
        push_line(output, &format!("{code}{separator}{status}{space}{text}"));
        for (position, line) in more.iter().enumerate() {
            let separator = if position + 1 == more.len() { ' ' } else { '-' };
            push_line(output, &format!("{code}{separator}{line}"));
        }
    }

    /// Returns the table entry: reply code, enhanced status code, text.
    pub(super) fn parts(&self) -> (u16, &'static str, Cow<'_, str>) {
        let (code, status, text) = match self {
            Self::Hello { hostname, client } | Self::Extensions { hostname, client, .. } => {
                return (250, "", format!("{hostname} greets {client}").into());
            }
            Self::Greeting { hostname } => return (220, "", format!("{hostname} ESMTP inboxd").into()),
            Self::Chunk { bytes } => return (250, "2.0.0", format!("{bytes} octets received").into()),
            Self::TooManyRecipients { limit } => {
                return (
                    452,
                    "4.5.3",
                    format!("no more than {limit} recipients; send to the others in another mail").into(),
                );
            }
            Self::TooManyCopies { limit } => {
                return (
                    552,
                    "5.3.4",
                    format!("mail too large for more than {limit} recipients; send to fewer, or declare SIZE in MAIL")
                        .into(),
                );
            }
            Self::LineTooLong { limit } => {
                return (500, "5.5.2", format!("line of more than {limit} octets; send shorter commands").into());
            }
            Self::SenderAddress { cause } => {
                return (501, "5.1.7", format!("{cause}; send MAIL FROM:<name@domain>, or <> for a report").into());
            }
            Self::RecipientAddress { cause } => {
                return (501, "5.1.3", format!("{cause}; send RCPT TO:<name@domain>").into());
            }
            Self::NotOffered { verb } => {
                return (502, "5.5.1", format!("{verb} is not supported; continue without it").into());
            }
            Self::Parameter { name } => {
                return (555, "5.5.4", format!("parameter {name} is not supported; leave it out").into());
            }
            Self::UnknownRecipient { address } => {
                return (550, "5.1.1", format!("<{address}> does not exist here; check the address").into());
            }
            Self::TooLarge { limit } => {
                return (552, "5.3.4", format!("mail of more than {limit} octets; send a smaller one").into());
            }
            Self::RecipientDeferred { text } => return (450, "4.2.1", text.as_str().into()),
            Self::Refused { code, status, text } => return (*code, status, text.as_str().into()),
            Self::Argument { cause } => (501, "5.5.4", *cause),
            Self::Sequence { cause } => (503, "5.5.1", *cause),
            Self::ParameterValue { cause } => (504, "5.5.4", *cause),
            Self::StartTls => (220, "2.0.0", "ready for TLS"),
            Self::Help => (214, "2.0.0", "this server takes mail for its own inboxes; see RFC 5321"),
            Self::Goodbye => (221, "2.0.0", "goodbye"),
            Self::Done => (250, "2.0.0", "ok"),
            Self::Sender => (250, "2.1.0", "sender ok"),
            Self::Recipient => (250, "2.1.5", "recipient ok"),
            Self::Stored => (250, "2.0.0", "stored"),
            Self::Dropped => (250, "2.0.0", "accepted; none of its reports is stored"),
            Self::CannotVerify => (252, "2.0.0", "addresses are not verified; send RCPT to learn whether one exists"),
            Self::SendContent => (354, "", "send the mail; end it with <CRLF>.<CRLF>"),
            Self::ShuttingDown => (421, "4.3.2", "the server is shutting down; connect again later"),
            Self::Idle => (421, "4.4.2", "no command in time; connect again"),
            Self::SessionTimeout => (421, "4.4.2", "the session took too long; connect again"),
            Self::TooManyFaults => (421, "4.7.0", "too many invalid commands; use SMTP (RFC 5321)"),
            Self::TooManyCommands => (421, "4.7.0", "too many commands without a mail; connect again to send one"),
            Self::TooManyUnknown => (421, "4.7.0", "too many unknown recipients; check the addresses, connect again"),
            Self::NotSmtp => (421, "4.7.0", "this is not HTTP; use SMTP (RFC 5321)"),
            Self::ServerFull => (421, "4.7.0", "too many connections; connect again later"),
            Self::ClientFull => {
                (421, "4.7.0", "too many connections from your address; close some, connect again later")
            }
            Self::NetworkFull => (421, "4.7.0", "too many connections from your network; connect again later"),
            Self::Yielded => (421, "4.3.2", "the server is full and this session was idle; connect again later"),
            Self::TooSlow => (421, "4.4.2", "the message arrived too slowly; connect again and send it faster"),
            Self::MailboxFull => (452, "4.2.2", "the mailbox is full; its owner must delete mail; try again later"),
            Self::NoSpace => (452, "4.3.1", "the disk is full; try again later"),
            Self::RecipientBusy => (451, "4.3.0", "the recipient lookup failed; try again later"),
            Self::StoreBusy => (451, "4.3.0", "the mail was not stored; try again later"),
            Self::ContentStoreAway => (
                451,
                "4.3.0",
                "mail of this size cannot be stored at the moment; try again later, or send a smaller mail",
            ),
            Self::NoCapacity => (452, "4.3.1", "too much mail in progress; try again later"),
            Self::UnknownCommand => (500, "5.5.2", "unknown command; send one of those in RFC 5321"),
            Self::BareLineEnd => (500, "5.5.2", "CR or LF on its own; end each line with CR LF"),
            Self::NotText => (500, "5.5.2", "control characters or broken UTF-8; send a command of plain text"),
            Self::TlsRequired => (530, "5.7.0", "TLS is required here; send STARTTLS first"),
            Self::NeedsUtf8 => (553, "5.6.7", "address beyond ASCII; send SMTPUTF8 in the MAIL command"),
            Self::NoRecipients => (554, "5.5.1", "no recipient was accepted; send RCPT for one that exists"),
            Self::BareLineEndInContent => (554, "5.6.0", "CR or LF on its own in the mail; end each line with CR LF"),
        };
        (code, status, text.into())
    }
}

/// Appends one line of printable ASCII, within the length that a client must accept.
fn push_line(output: &mut Vec<u8>, line: &str) {
    let printable = line.chars().map(|c| if matches!(c, ' '..='~') { c } else { '?' });
    output.extend(printable.take(MAX_REPLY_TEXT_CHARS).map(|c| c as u8));
    output.extend_from_slice(b"\r\n");
}
