//! Policies of sending: what may leave an inbox, what waits for an approval and what is refused (`wire.md`, section 3,
//! Policy).

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::string_enum::string_enum;
use super::{Actor, ApiKeyId, EntryName, InboxId, MessageId, OrganizationId, PodId, ThreadId};

string_enum! {
    /// What happens to a message, from the mildest to the strictest.
    #[derive(Default)]
    PolicyAction {
        /// It leaves.
        #[default]
        Allow = "allow",
        /// It waits for the approval of a person.
        Hold = "hold",
        /// It is refused.
        Refuse = "refuse",
    }
}

string_enum! {
    /// Authors that a policy binds.
    #[derive(Default)]
    PolicyAuthors {
        /// API keys, and clients that act for a person.
        #[default]
        Agents = "agents",
        /// People too.
        Everyone = "everyone",
    }
}

string_enum! {
    /// Day of a week.
    PolicyDay {
        /// Monday.
        Monday = "mon",
        /// Tuesday.
        Tuesday = "tue",
        /// Wednesday.
        Wednesday = "wed",
        /// Thursday.
        Thursday = "thu",
        /// Friday.
        Friday = "fri",
        /// Saturday.
        Saturday = "sat",
        /// Sunday.
        Sunday = "sun",
    }
}

string_enum! {
    /// Rule of a policy, by its path in the policy.
    PolicyRule {
        /// A recipient that the inbox knows.
        Known = "recipients.known",
        /// A recipient that the inbox does not know.
        FirstContact = "recipients.first_contact",
        /// A thread with a suspicious message.
        Suspicious = "recipients.suspicious",
        /// A recipient on the list of held ones.
        HeldRecipient = "recipients.hold",
        /// A recipient on the list of refused ones.
        RefusedRecipient = "recipients.refuse",
        /// More messages in an hour.
        PerHour = "amount.per_hour",
        /// More messages to one recipient in an hour.
        PerRecipientHour = "amount.per_recipient_hour",
        /// An attachment.
        Attachments = "content.attachments",
        /// A link.
        Links = "content.links",
        /// A secret: a key, a token or a card number.
        Secrets = "content.secrets",
        /// A code that the inbox received from another address.
        ReceivedCodes = "content.received_codes",
        /// A time outside the sending hours.
        Hours = "hours",
    }
}

string_enum! {
    /// State of a message that a policy held.
    ApprovalStatus {
        /// It waits for a person.
        Awaiting = "awaiting_approval",
        /// A person rejected it.
        Rejected = "rejected",
        /// No person approved it in time.
        Expired = "expired",
    }
}

string_enum! {
    /// What a person may overlook in a held message.
    HeldWarning {
        /// It has text that its recipient may not see: hidden or invisible characters, comments, words in attributes of HTML.
        HiddenContent = "hidden_content",
        /// A program that shows it fetches images, styles or other content from elsewhere.
        FetchedContent = "fetched_content",
        /// It is longer than the part of it that is shown.
        CutContent = "cut_content",
    }
}

/// Scope of a policy. Each has at most one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyLevel {
    /// All messages of the organization.
    Organization,
    /// The messages of all inboxes of a pod.
    Pod(PodId),
    /// The messages of one inbox.
    Inbox(InboxId),
    /// The messages of one API key.
    ApiKey(ApiKeyId),
}

impl PolicyLevel {
    /// Returns the levels that bind a message, the widest first.
    #[must_use]
    pub fn reaching(pod_id: PodId, inbox_id: &InboxId, author: &Actor) -> Vec<Self> {
        let mut levels = vec![Self::Organization, Self::Pod(pod_id), Self::Inbox(inbox_id.clone())];
        if let Actor::ApiKey { api_key_id, .. } = author {
            levels.push(Self::ApiKey(*api_key_id));
        }
        levels
    }

    /// Returns the kind of the scope as the API names it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Organization => "organization",
            Self::Pod(_) => "pod",
            Self::Inbox(_) => "inbox",
            Self::ApiKey(_) => "api_key",
        }
    }

    /// Returns the id of the pod, inbox or key; empty for an organization.
    #[must_use]
    pub fn id(&self) -> String {
        match self {
            Self::Organization => String::new(),
            Self::Pod(pod_id) => pod_id.to_string(),
            Self::Inbox(inbox_id) => inbox_id.to_string(),
            Self::ApiKey(api_key_id) => api_key_id.to_string(),
        }
    }
}

/// Rules about recipients. The lists come first: refused, then held, then allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecipientRules {
    /// Recipients that the inbox wrote to, that a person trusts, or that are members.
    pub known: PolicyAction,
    /// All other recipients.
    pub first_contact: PolicyAction,
    /// Messages in a thread with a suspicious message.
    pub suspicious: PolicyAction,
    /// Addresses and domains that this policy always allows.
    pub allow: Vec<EntryName>,
    /// Addresses and domains whose messages are held.
    pub hold: Vec<EntryName>,
    /// Addresses and domains whose messages are refused.
    pub refuse: Vec<EntryName>,
}

/// Rules about the number of messages within an hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AmountRules {
    /// Maximum of messages within the scope of the policy.
    pub per_hour: Option<u32>,
    /// Maximum of messages within the scope of the policy to one address.
    pub per_recipient_hour: Option<u32>,
    /// What happens to further messages.
    pub beyond: PolicyAction,
}

impl Default for AmountRules {
    fn default() -> Self {
        Self { per_hour: None, per_recipient_hour: None, beyond: PolicyAction::Refuse }
    }
}

/// Rules about content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContentRules {
    /// Messages with an attachment.
    pub attachments: PolicyAction,
    /// Messages with a link.
    pub links: PolicyAction,
    /// Messages with a key, a token or a card number.
    pub secrets: PolicyAction,
    /// Messages with a code that the inbox received, to others than its sender.
    pub received_codes: PolicyAction,
}

/// Hours within which messages may leave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendingHours {
    /// Name of the time zone (IANA).
    pub zone: String,
    /// Days, at least one.
    pub days: Vec<PolicyDay>,
    /// First minute of the day.
    pub from: u16,
    /// Minute of the day at which the hours end. At or before `from` it is on the next day.
    pub until: u16,
    /// What happens to messages at other times.
    pub outside: PolicyAction,
}

impl SendingHours {
    /// Returns a minute of the day as the API shows it, such as 09:00.
    #[must_use]
    pub fn time_of_day(minute: u16) -> String {
        format!("{:02}:{:02}", minute / 60, minute % 60)
    }
}

/// Rules of a policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PolicyRules {
    /// Authors that it binds.
    pub applies_to: PolicyAuthors,
    /// Rules about recipients.
    pub recipients: RecipientRules,
    /// Rules about the number of messages.
    pub amount: AmountRules,
    /// Rules about content.
    pub content: ContentRules,
    /// Hours of sending; `None` for any time.
    pub hours: Option<SendingHours>,
}

impl PolicyRules {
    /// Returns the policy of new organizations: agents write to anyone, but a person sees secrets, received codes and
    /// replies in suspicious threads before they leave.
    #[must_use]
    pub fn of_new_organization() -> Self {
        let hold = PolicyAction::Hold;
        let content = ContentRules { secrets: hold, received_codes: hold, ..ContentRules::default() };
        let recipients = RecipientRules { suspicious: hold, ..RecipientRules::default() };
        Self { recipients, content, ..Self::default() }
    }
}

/// A policy of sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its scope.
    pub level: PolicyLevel,
    /// Its rules.
    pub rules: PolicyRules,
    /// Author of the last change; `None` for the policy of a new organization.
    pub updated_by: Option<Actor>,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

/// Verdict of one rule about a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyVerdict {
    /// Scope of the policy.
    pub level: PolicyLevel,
    /// The rule.
    pub rule: PolicyRule,
    /// What the rule demands.
    pub action: PolicyAction,
    /// What the rule found: an address, the kind of a secret or a number.
    pub found: Option<String>,
}

/// Approval of a held message, a part of its draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Its state.
    pub status: ApprovalStatus,
    /// The rule that held the message.
    pub rule: PolicyVerdict,
    /// Message-ID of the composed message. It identifies the bytes that a person approves.
    pub message_id: MessageId,
    /// Thread that the message continues or begins.
    pub thread_id: ThreadId,
    /// Author of the message, which cannot approve it.
    pub author: Actor,
    /// Sender, as in the composed message.
    pub from: String,
    /// Addresses to which the composed message leaves, hidden ones included.
    pub recipients: Vec<String>,
    /// Header fields that the author set, beyond those of every message.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub headers: Vec<(String, String)>,
    /// What a person may overlook in the composed message.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<HeldWarning>,
    /// Size of the composed message in bytes.
    pub size: u64,
    /// Time of the send that was held.
    #[serde(with = "time::serde::rfc3339")]
    pub held_at: OffsetDateTime,
    /// Time until which it can be approved.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
    /// Reason of the rejection, as the person wrote it.
    pub reason: Option<String>,
}

/// A recipient that a policy counts as known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownRecipient {
    /// The address, in lower case.
    pub address: String,
    /// Whether it is that of a member.
    pub is_member: bool,
}

/// Codes of a received message, sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedCodes {
    /// Organization.
    pub organization_id: OrganizationId,
    /// Inbox that received them.
    pub inbox_id: InboxId,
    /// The message, which may be gone.
    pub message_id: MessageId,
    /// Time of receipt.
    pub received_at: OffsetDateTime,
    /// Sender and codes.
    pub sealed: Vec<u8>,
}

/// A verification code that an inbox received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedCode {
    /// The code.
    pub code: String,
    /// Address of the sender, in lower case.
    pub from: String,
}
