//! Fixtures, which tests adapt with struct update syntax.

#![expect(clippy::expect_used, reason = "a fixture that cannot be made is a broken test")]

use std::collections::BTreeSet;

use inboxd_mail::{EmailAddress, Mailbox};
use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;

use super::PlainVault;
pub use super::calendar_event::calendar_event;
use crate::model::{
    ActingMember, Actor, ApiKey, ApiKeyId, Attachment, AttachmentId, Caller, Connection, ConnectionId, Domain,
    DomainId, DomainName, DomainStatus, Draft, DraftId, DraftItem, DraftKind, EncryptedSecrets, HidingLabels, Inbox,
    InboxId, Labels, Member, MemberId, Message, MessageBody, MessageId, MessageItem, Metadata, Organization,
    OrganizationId, Plan, Pod, PodId, QuarantineMode, Reach, Role, SendSchedule, ThreadId, Webhook, WebhookId,
};
use crate::ports::{Destination, Vault as _};
use crate::rules::domains::records;
use crate::rules::oauth::scopes;
use crate::rules::webhooks::subscription;

/// Default time of tests.
pub const NOW: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);
/// Domain of the service.
pub const DOMAIN: &str = "inboxd.example";
/// Sign-up domain of the service.
pub const SIGNUP_DOMAIN: &str = "signup.inboxd.example";
/// Issuer of OAuth tokens.
pub const ISSUER: &str = "https://inboxd.example";
/// Id of the process.
pub const PROCESS: u128 = 0xabcd;

/// Returns the id with this number.
#[must_use]
pub fn id<T: From<Uuid>>(number: u128) -> T {
    T::from(Uuid::from_u128(number))
}

/// Parses an address.
///
/// # Panics
///
/// When the text is invalid.
#[must_use]
pub fn address(text: &str) -> EmailAddress {
    text.parse().expect("an address")
}

/// Parses an address with or without a display name.
///
/// # Panics
///
/// When the text is invalid.
#[must_use]
pub fn mailbox(text: &str) -> Mailbox {
    text.parse().expect("a mailbox")
}

/// Returns the inbox id of an address.
#[must_use]
pub fn inbox_id(text: &str) -> InboxId {
    InboxId::of(&address(text))
}

/// Parses a message id.
///
/// # Panics
///
/// When the text is invalid.
#[must_use]
pub fn message_id(text: &str) -> MessageId {
    MessageId::parse(text).expect("a message id")
}

/// Returns the organization of `owner@example.org`: verified, on the free plan.
#[must_use]
pub fn organization() -> Organization {
    Organization {
        organization_id: id::<OrganizationId>(1),
        owner_email: Some(address("owner@example.org")),
        owner_changes: 0,
        plan: Plan::Free,
        verified_at: Some(NOW),
        default_pod_id: id::<PodId>(2),
        suspension: None,
        brake: None,
        brake_counts_from: None,
        quarantine: QuarantineMode::Off,
        created_at: NOW,
        updated_at: NOW,
    }
}

/// Returns the hiding labels that a key without a map may read.
#[must_use]
pub fn readable() -> HidingLabels {
    (0..4).fold(HidingLabels::NONE, HidingLabels::with)
}

/// Returns [`organization`] with an unverified owner address.
#[must_use]
pub fn unverified() -> Organization {
    Organization { verified_at: None, ..organization() }
}

/// Returns the inbox `Scout <scout@inboxd.example>` of [`organization`].
#[must_use]
pub fn inbox() -> Inbox {
    Inbox {
        organization_id: id(1),
        pod_id: id(2),
        inbox_id: inbox_id("scout@inboxd.example"),
        display_name: Some("Scout".to_owned()),
        client_id: None,
        metadata: Metadata::new(),
        paused_at: None,
        retention_days: None,
        quarantine: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

/// Returns the destination of [`inbox`].
#[must_use]
pub fn destination() -> Destination {
    Destination { organization_id: id(1), pod_id: id(2), inbox_id: inbox().inbox_id }
}

/// Returns a key of [`organization`] with access to all of it and no expiry.
#[must_use]
pub fn api_key() -> ApiKey {
    ApiKey {
        organization_id: id(1),
        api_key_id: id::<ApiKeyId>(3),
        prefix: "am_AAAAAAAAA".to_owned(),
        name: "Sign-up".to_owned(),
        reach: Reach::Organization,
        member_id: None,
        connection_id: None,
        permissions: None,
        expires_at: None,
        used_at: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

/// Returns the caller with [`api_key`].
#[must_use]
pub fn caller() -> Caller {
    Caller {
        organization: organization(),
        api_key_id: Some(id(3)),
        reach: Reach::Organization,
        permissions: None,
        expires_at: None,
        actor: Actor::ApiKey { api_key_id: id(3), name: "Sign-up".to_owned() },
        member: None,
        connection: None,
        client_address: None,
        traceparent: None,
    }
}

/// Returns Maria, a joined member of [`organization`] with access to all inboxes.
#[must_use]
pub fn member() -> Member {
    Member {
        organization_id: id(1),
        member_id: id::<MemberId>(40),
        email: address("maria@example.org"),
        name: "Maria".to_owned(),
        role: Role::Member,
        inbox_ids: BTreeSet::new(),
        client_id: None,
        joined_at: Some(NOW),
        created_at: NOW,
        updated_at: NOW,
    }
}

/// Returns the caller with a sign-in key of this member.
#[must_use]
pub fn calling(member: &Member) -> Caller {
    let Member { member_id, email, role, .. } = member.clone();
    Caller {
        reach: member.reach(),
        actor: member.actor(),
        member: Some(ActingMember { member_id, email, role }),
        ..caller()
    }
}

/// Returns a connection of [`member`]: reading, drafts, sending and labels in all inboxes, for a year.
///
/// # Panics
///
/// Never: the default scopes are valid.
#[must_use]
pub fn connection() -> Connection {
    Connection {
        organization_id: id(1),
        connection_id: id::<ConnectionId>(60),
        member_id: id(40),
        client_id: "client_chat".to_owned(),
        client_name: "Chat".to_owned(),
        redirect_host: "chat.example".to_owned(),
        permissions: scopes::parse(None).expect("scopes"),
        inbox_ids: BTreeSet::new(),
        resource: ISSUER.to_owned(),
        created_at: NOW,
        updated_at: NOW,
        used_at: Some(NOW),
        expires_at: NOW + Connection::MAX_LIFETIME,
        revoked_at: None,
    }
}

/// Returns a caller with access to [`inbox`] only.
#[must_use]
pub fn inbox_caller() -> Caller {
    Caller { reach: Reach::Inbox { pod_id: id(2), inbox_id: inbox().inbox_id }, ..caller() }
}

/// Returns a message of `Anna <anna@example.org>` to [`inbox`], in its own thread.
#[must_use]
pub fn message_item() -> MessageItem {
    MessageItem {
        organization_id: id(1),
        inbox_id: inbox().inbox_id,
        thread_id: id::<ThreadId>(10),
        message_id: message_id("<question@example.org>"),
        labels: ["received", "unread"].into_iter().collect::<Labels>(),
        timestamp: NOW,
        from: "Anna <anna@example.org>".to_owned(),
        to: vec!["scout@inboxd.example".to_owned()],
        cc: Vec::new(),
        bcc: Vec::new(),
        reply_to: Vec::new(),
        subject: Some("A question".to_owned()),
        preview: Some("Shall we?".to_owned()),
        attachments: Vec::new(),
        in_reply_to: None,
        references: Vec::new(),
        size: 1000,
        sent_by: None,
        created_at: NOW,
        updated_at: NOW,
        delivered_to: None,
        tag: None,
        trust: None,
        release: None,
        redacted_at: None,
        calendar_event_id: None,
    }
}

/// Returns a message with a short text.
#[must_use]
pub fn message(item: MessageItem) -> Message {
    Message { item, body: MessageBody { text: Some("Shall we?".to_owned()), ..MessageBody::default() } }
}

/// Returns an attachment at part 1 of its message.
#[must_use]
pub fn attachment(number: u128) -> Attachment {
    Attachment {
        attachment_id: id::<AttachmentId>(number),
        part: 1,
        filename: Some("notes.txt".to_owned()),
        content_type: Some("text/plain".to_owned()),
        content_disposition: None,
        content_id: None,
        size: 5,
    }
}

/// Returns a draft of [`inbox`] to Anna, created by [`caller`].
#[must_use]
pub fn draft() -> Draft {
    let item = DraftItem {
        organization_id: id(1),
        pod_id: id(2),
        inbox_id: inbox().inbox_id,
        draft_id: id::<DraftId>(30),
        client_id: None,
        kind: DraftKind::Plain,
        labels: ["draft", "offers"].into_iter().collect::<Labels>(),
        to: vec!["Anna <anna@example.org>".to_owned()],
        cc: Vec::new(),
        bcc: Vec::new(),
        reply_to: Vec::new(),
        subject: Some("An offer".to_owned()),
        preview: Some("Dear Anna".to_owned()),
        attachments: Vec::new(),
        dispatch: SendSchedule::default(),
        delayed: None,
        approval: None,
        created_by: caller().actor,
        updated_by: caller().actor,
        agent: None,
        created_at: NOW,
        updated_at: NOW,
    };
    Draft { item, text: Some("Dear Anna".to_owned()), html: None }
}

/// Returns [`draft`] scheduled at a time.
#[must_use]
pub fn scheduled(at: OffsetDateTime) -> Draft {
    let draft = draft();
    let own = draft.item.own_labels();
    let item = DraftItem { dispatch: SendSchedule::default().at(Some(at)), ..draft.item };
    Draft { item: item.labelled(own), ..draft }
}

/// Returns [`draft`] as a reply to [`message_item`].
#[must_use]
pub fn reply_draft() -> Draft {
    let answered = message_item();
    let kind = DraftKind::Reply {
        in_reply_to: answered.message_id.clone(),
        thread_id: answered.thread_id,
        references: vec![answered.message_id],
    };
    let draft = draft();
    Draft { item: DraftItem { kind, ..draft.item }, ..draft }
}

/// Returns the default pod of [`organization`].
#[must_use]
pub fn pod() -> Pod {
    Pod {
        organization_id: id(1),
        pod_id: id(2),
        name: "Customer".to_owned(),
        client_id: None,
        quarantine: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

/// Returns a webhook of [`organization`] with the default event types.
#[must_use]
pub fn webhook() -> Webhook {
    Webhook {
        organization_id: id(1),
        webhook_id: id::<WebhookId>(50),
        place: Reach::Organization,
        url: "https://hooks.example.org/inboxd".to_owned(),
        event_types: subscription::default_types(),
        trust: Vec::new(),
        selection: None,
        enabled: true,
        header_names: Vec::new(),
        client_id: None,
        failing_since: None,
        last_failed_at: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

/// Returns the encrypted secrets of [`webhook`]: 32 bytes `7` and no header fields.
///
/// # Panics
///
/// Never: [`PlainVault`] always seals.
#[must_use]
pub fn sealed() -> EncryptedSecrets {
    let secret = PlainVault.seal(webhook().webhook_id.0.as_bytes(), &[7; 32]).expect("sealed");
    EncryptedSecrets { secret, previous: Vec::new(), headers: None }
}

/// Returns the domain `example.com` of [`organization`], never verified.
#[must_use]
pub fn domain() -> Domain {
    let name = DomainName::stored("example.com".to_owned());
    Domain {
        organization_id: id(1),
        domain_id: id::<DomainId>(30),
        pod_id: None,
        client_id: None,
        records: records::wanted(&name, DOMAIN, "cHVibGlj", true, false),
        name,
        status: DomainStatus::NotStarted,
        feedback_enabled: true,
        subdomains_enabled: false,
        inbound_enabled: true,
        catch_all_inbox_id: None,
        verified_at: None,
        created_at: NOW,
        updated_at: NOW,
    }
}
