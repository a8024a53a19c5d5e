//! Kinds of resources in errors.

/// Kind of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// An inbox.
    Inbox,
    /// A message.
    Message,
    /// A thread.
    Thread,
    /// A draft.
    Draft,
    /// An attachment.
    Attachment,
    /// A download link.
    Download,
    /// The link of an approval.
    ApprovalLink,
    /// An API key.
    ApiKey,
    /// A custom domain.
    Domain,
    /// An organization.
    Organization,
    /// A pod.
    Pod,
    /// A note.
    Note,
    /// An entry of an allow or block list.
    ListEntry,
    /// A member.
    Member,
    /// A webhook.
    Webhook,
    /// A policy of sending.
    Policy,
    /// An event.
    Event,
    /// A connection of an OAuth client.
    Connection,
    /// A contact of an inbox.
    Contact,
    /// An app that signs inboxes in.
    App,
    /// The account of an inbox at an app.
    Account,
    /// An event of a calendar.
    CalendarEvent,
    /// A file of an inbox.
    File,
    /// An upload URL.
    Upload,
    /// The secret URL of a calendar.
    CalendarFeed,
}

impl Resource {
    /// Returns the name in a sentence.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Message => "message",
            Self::Thread => "thread",
            Self::Draft => "draft",
            Self::Attachment => "attachment",
            Self::Download => "download",
            Self::ApprovalLink => "approval",
            Self::ApiKey => "API key",
            Self::Domain => "domain",
            Self::Organization => "organization",
            Self::Pod => "pod",
            Self::Note => "note",
            Self::Policy => "policy",
            Self::Event => "event",
            Self::Connection => "connection",
            Self::Contact => "contact",
            Self::App => "app",
            Self::Account => "account",
            Self::CalendarEvent => "calendar event",
            Self::File => "file",
            Self::Upload => "upload",
            Self::CalendarFeed => "calendar feed",
            Self::ListEntry => "list entry",
            Self::Member => "member",
            Self::Webhook => "webhook",
        }
    }
}
