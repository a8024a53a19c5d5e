//! Verdicts and reasons with their names in the API.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::model::string_enum::string_enum;

string_enum! {
    /// Trust in a received message.
    Verdict {
        /// A person decided to trust the sender, or the sender is a member; authentication confirms the address.
        Trusted = "trusted",
        /// The inbox or the organization corresponds with the sender.
        Known = "known",
        /// Nothing is known about the sender.
        FirstContact = "first_contact",
        /// The message shows signs of an attack.
        Suspicious = "suspicious",
    }
}

string_enum! {
    /// Kind of an instruction addressed to a machine.
    InstructionKind {
        /// Revokes the instructions of the machine.
        Override = "override",
        /// Addresses a machine and commands it.
        Command = "command",
        /// Requests instructions or secrets of the machine.
        Disclosure = "disclosure",
        /// Assigns another role to the machine.
        Persona = "persona",
        /// Requests silence toward the person that the machine serves.
        Secrecy = "secrecy",
        /// Imitates the markup between a model and its host.
        Markup = "markup",
    }
}

impl From<inboxd_mail::InstructionKind> for InstructionKind {
    fn from(kind: inboxd_mail::InstructionKind) -> Self {
        match kind {
            inboxd_mail::InstructionKind::Override => Self::Override,
            inboxd_mail::InstructionKind::Command => Self::Command,
            inboxd_mail::InstructionKind::Disclosure => Self::Disclosure,
            inboxd_mail::InstructionKind::Persona => Self::Persona,
            inboxd_mail::InstructionKind::Secrecy => Self::Secrecy,
            inboxd_mail::InstructionKind::Markup => Self::Markup,
        }
    }
}

string_enum! {
    /// Field of a message with text.
    MessageField {
        /// The display name of the sender.
        From = "from",
        /// The subject.
        Subject = "subject",
        /// The text.
        Text = "text",
        /// The HTML as sent.
        Html = "html",
        /// The name of an attachment.
        Attachment = "attachment",
        /// Title, location, description or comment of an event in the calendar part.
        Calendar = "calendar",
    }
}

impl From<inboxd_mail::MessageField> for MessageField {
    fn from(field: inboxd_mail::MessageField) -> Self {
        match field {
            inboxd_mail::MessageField::From => Self::From,
            inboxd_mail::MessageField::Subject => Self::Subject,
            inboxd_mail::MessageField::Text => Self::Text,
            inboxd_mail::MessageField::Html => Self::Html,
            inboxd_mail::MessageField::Attachment => Self::Attachment,
            inboxd_mail::MessageField::Calendar => Self::Calendar,
        }
    }
}

string_enum! {
    /// Way in which text is hidden.
    HiddenTextKind {
        /// Styles, sizes, positions or colours.
        Styled = "styled",
        /// Characters without a glyph, or overrides of the order.
        Characters = "characters",
    }
}

impl From<inboxd_mail::HiddenTextKind> for HiddenTextKind {
    fn from(kind: inboxd_mail::HiddenTextKind) -> Self {
        match kind {
            inboxd_mail::HiddenTextKind::Styled => Self::Styled,
            inboxd_mail::HiddenTextKind::Characters => Self::Characters,
        }
    }
}

string_enum! {
    /// Risk of an attachment.
    AttachmentRisk {
        /// A program, or an archive with one.
        Executable = "executable",
        /// An archive or document that opens with a password only.
        PasswordProtected = "password_protected",
    }
}

impl From<inboxd_mail::AttachmentRisk> for AttachmentRisk {
    fn from(risk: inboxd_mail::AttachmentRisk) -> Self {
        match risk {
            inboxd_mail::AttachmentRisk::Executable => Self::Executable,
            inboxd_mail::AttachmentRisk::PasswordProtected => Self::PasswordProtected,
        }
    }
}

string_enum! {
    /// Mark of mail to many recipients, or without an author.
    MassMailKind {
        /// A post of a mailing list.
        List = "list",
        /// Bulk mail.
        Bulk = "bulk",
        /// Mail of a program.
        Automatic = "automatic",
    }
}

impl From<inboxd_mail::MassMailKind> for MassMailKind {
    fn from(kind: inboxd_mail::MassMailKind) -> Self {
        match kind {
            inboxd_mail::MassMailKind::List => Self::List,
            inboxd_mail::MassMailKind::Bulk => Self::Bulk,
            inboxd_mail::MassMailKind::Automatic => Self::Automatic,
        }
    }
}

string_enum! {
    /// Way in which a domain resembles another one.
    Resemblance {
        /// Its letters look like those of the other domain.
        Confusable = "confusable",
        /// One letter is added, left out, replaced or exchanged with its neighbour.
        OneEdit = "one_edit",
        /// It has the name of the other domain under another ending or beside a word, and its sender the name of a person
        /// there.
        SameName = "same_name",
    }
}

string_enum! {
    /// Identity that a display name imitates.
    ImitatedIdentity {
        /// A correspondent of the inbox or organization.
        Correspondent = "correspondent",
        /// A member of the organization.
        Member = "member",
        /// This service.
        Service = "service",
    }
}

/// Times as the API writes them: UTC, to the millisecond.
mod wire_time {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
    use time::format_description::BorrowedFormatItem;
    use time::format_description::well_known::Rfc3339;
    use time::macros::format_description;
    use time::{OffsetDateTime, UtcOffset};

    const FORMAT: &[BorrowedFormatItem<'_>] =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

    #[expect(clippy::ref_option, reason = "the signature is serde's")]
    pub(super) fn serialize<S: Serializer>(time: &Option<OffsetDateTime>, to: S) -> Result<S::Ok, S::Error> {
        let text = time.map(|time| time.to_offset(UtcOffset::UTC).format(FORMAT)).transpose();
        text.map_err(ser::Error::custom)?.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<OffsetDateTime>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| OffsetDateTime::parse(&text, &Rfc3339)).transpose().map_err(de::Error::custom)
    }
}

/// A machine-readable reason of a verdict. `name` is its name in the API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Reason {
    /// The From address is authenticated and aligned (DMARC).
    AuthenticatedDomain {
        /// The authenticated domain.
        domain: String,
    },
    /// Authentication of the From address failed.
    UnauthenticatedDomain {
        /// The domain of From.
        domain: String,
    },
    /// Earlier mail of this address was authenticated, this one is not.
    LostAuthentication {
        /// The domain of From.
        domain: String,
    },
    /// A person decided to trust the address.
    TrustedContact,
    /// A person blocked the address.
    BlockedContact,
    /// An allow list admits the sender with authentication only, and authentication does not confirm it.
    UnprovedListing,
    /// The address is that of a member of the organization.
    OrganizationMember,
    /// The inbox or organization corresponds with the address.
    KnownCorrespondent {
        /// Messages received by this inbox.
        received: u64,
        /// Messages sent by this inbox.
        sent: u64,
        /// Messages received by the organization.
        organization_received: u64,
        /// Messages sent by the organization.
        organization_sent: u64,
        /// Time of the first message.
        #[serde(with = "wire_time", skip_serializing_if = "Option::is_none", default)]
        since: Option<OffsetDateTime>,
    },
    /// The display name imitates a person or the service.
    ImitatedName {
        /// The display name.
        display_name: String,
        /// Kind of the imitated identity.
        imitates: ImitatedIdentity,
        /// Address of the imitated identity; `None` for the service, for a member, and for a correspondent of another
        /// pod.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        address: Option<String>,
    },
    /// The domain of From or Reply-To resembles a domain that the organization knows.
    LookalikeDomain {
        /// The domain of the sender.
        domain: String,
        /// The known domain; `None` for one that only other pods correspond with.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        known_domain: Option<String>,
        /// Kind of resemblance.
        resemblance: Resemblance,
    },
    /// Replies lead to another domain.
    ReplyToElsewhere {
        /// The address to which replies lead.
        address: String,
    },
    /// The text of a link names another host than its target.
    MisleadingLink {
        /// Host in the text.
        shown_host: String,
        /// Host of the target.
        target_host: String,
    },
    /// The message has text that a reader does not see.
    HiddenText {
        /// Way in which it is hidden.
        kind: HiddenTextKind,
    },
    /// The message has an instruction addressed to a machine.
    MachineInstruction {
        /// Kind of the instruction.
        kind: InstructionKind,
        /// Field with the instruction.
        field: MessageField,
        /// First character in the field, in Unicode characters.
        start: usize,
        /// Character behind the last one.
        end: usize,
        /// Whether a reader does not see it.
        is_hidden: bool,
    },
    /// An attachment runs when opened, or opens with a password only.
    RiskyAttachment {
        /// File name of the attachment.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        filename: Option<String>,
        /// Risk of the attachment.
        risk: AttachmentRisk,
    },
    /// The message is bulk or automatic mail.
    MassMail {
        /// Mark of the message.
        kind: MassMailKind,
    },
    /// The external scanner found a threat.
    ScannerFinding {
        /// Category that the scanner names.
        category: String,
        /// Confidence of the scanner, from 0 to 100.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        score: Option<u8>,
        /// Field with the threat.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        field: Option<MessageField>,
        /// First character in the field, in Unicode characters.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        start: Option<usize>,
        /// Character behind the last one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        end: Option<usize>,
    },
}
