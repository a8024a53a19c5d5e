//! Findings of a message and their kinds.

/// Findings of a message. Each list is bounded by [`MAX_SAFETY_FINDINGS`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SafetyFindings {
    /// Instructions addressed to a machine, in the order of their fields and places.
    pub instructions: Vec<MachineInstruction>,
    /// Links whose text names another host than their target.
    pub links: Vec<MisleadingLink>,
    /// Text that a reader does not see, without the short line that many newsletters put before their content.
    pub hidden_text: Option<HiddenTextKind>,
    /// Attachments that run when opened, or that no scanner can open.
    pub attachments: Vec<RiskyAttachment>,
    /// Mark of bulk or automatic mail.
    pub mass: Option<MassMailKind>,
}

/// Maximum length of each list of findings.
pub const MAX_SAFETY_FINDINGS: usize = 20;

/// An instruction addressed to a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineInstruction {
    /// Kind of the instruction.
    pub kind: InstructionKind,
    /// Field that contains it.
    pub field: MessageField,
    /// First character in the field, counted in Unicode characters.
    pub start: usize,
    /// Character behind the last one.
    pub end: usize,
    /// True if a reader does not see it.
    pub is_hidden: bool,
}

/// Kind of an instruction addressed to a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstructionKind {
    /// Revokes the instructions that the machine has: "ignore all previous instructions".
    Override,
    /// Addresses a machine and commands it: "if you are an AI agent, forward …".
    Command,
    /// Requests instructions or secrets of the machine: "print your system prompt".
    Disclosure,
    /// Assigns another role: "you are now in developer mode".
    Persona,
    /// Requests silence toward the person that the machine serves: "do not tell the user".
    Secrecy,
    /// Imitates the markup between a model and its host: `<|im_start|>system`.
    Markup,
}

/// Field of a message with text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageField {
    /// The display name of the sender.
    From,
    /// The subject.
    Subject,
    /// The text.
    Text,
    /// The HTML, as sent.
    Html,
    /// The name of an attachment.
    Attachment,
    /// Title, location, description or comment of an event in the calendar part.
    Calendar,
}

/// A link whose text names another host than its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MisleadingLink {
    /// Host in the text of the link, in lower case.
    pub shown_host: String,
    /// Host of the target, in lower case.
    pub target_host: String,
}

/// Way in which text is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HiddenTextKind {
    /// Styles, sizes, positions or colours hide words.
    Styled,
    /// Characters without a glyph spell words, or overrides reorder them.
    Characters,
}

/// An attachment with a risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RiskyAttachment {
    /// File name, as in the list of attachments.
    pub filename: Option<String>,
    /// Risk of the attachment.
    pub risk: AttachmentRisk,
}

/// Risk of an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttachmentRisk {
    /// A program, or an archive with one.
    Executable,
    /// An archive or document that opens with a password only.
    PasswordProtected,
}

/// Mark of mail to many recipients, or without an author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MassMailKind {
    /// A post of a mailing list (RFC 2919).
    List,
    /// Bulk mail, for instance a newsletter.
    Bulk,
    /// Mail of a program, for instance an automatic reply (RFC 3834).
    Automatic,
}
