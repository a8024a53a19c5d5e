//! Database with an organization and an inbox, and helpers to store mail.

use std::sync::Arc;

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::app::{App, CurrentLimits, Limits, Settings};
use inboxd_core::model::mail_report::ReportLimits;
use inboxd_core::model::page::PageRequest;
use inboxd_core::model::{
    AuthResult, Authentication, ExtractedCode, ExtractedFindings, HidingLabels, Inbox, InboxId, MailLimits, Message,
    MessageBody, MessageId, MessageItem, NewMail, NewMessage, Organization, OrganizationId, Plan, Pod, PodId,
    QuarantineMode, Scope, SignUpMode, SpamReason, SpamReport, Thread, ThreadId,
};
use inboxd_core::ports::{Destination, MessageQuery, Store, ThreadQuery, Tx, Unbounded};
use inboxd_core::rules::row_limits::RowLimits;
use inboxd_core::rules::signing::SigningKey;
use inboxd_core::rules::spam::BuiltIn;
use inboxd_core::rules::trust::{Checks, Judgement, Reason, Verdict};
use inboxd_core::testing::{
    FixedClock, InlineBlockingPool, Journal, PlainVault, RecordingWake, SeededRandom, StubAuthenticator,
    StubDestinations, StubDns, StubFetch, StubKeys, StubSigner,
};
use inboxd_mail::{EmailAddress, read_calendar};
use inboxd_postgres::{PgStore, connect};
use inboxd_testkit::database::{TestDatabase, database};
use inboxd_testkit::eventually;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// A store with one organization and one inbox.
pub(crate) struct World {
    pub(crate) store: PgStore,
    pub(crate) organization: Organization,
    pub(crate) inbox: Inbox,
    pub(crate) database: TestDatabase,
}

/// Creates a separate database with its store.
pub(crate) async fn world() -> World {
    let database = database().await;
    let store = connect(&database.url(), 4).await.unwrap();
    let organization = organization(1, "owner@example.org");
    add_organization(&store, &organization).await;
    let inbox = inbox(&organization, "scout@agents.example");
    add_inbox(&store, &inbox).await;
    World { store, organization, inbox, database }
}

/// Creates the function `plain_body`: the plain frame of a body with this text and the raw mail `raw`.
pub(crate) const PLAIN_BODY: &str = "
    CREATE FUNCTION plain_body(text) RETURNS bytea LANGUAGE sql AS $$
        SELECT '\\x00'::bytea || int4send(3) || int4send(octet_length($1)) || convert_to($1, 'UTF8')
            || int4send(-1) || int4send(-1) || int4send(-1) || int4send(2) || '[]'::bytea || 'raw'::bytea
    $$";

/// Returns a time, in milliseconds since a fixed morning.
pub(crate) fn at(millis: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(1_795_000_000).unwrap() + Duration::milliseconds(millis)
}

pub(crate) fn address(text: &str) -> EmailAddress {
    text.parse().unwrap()
}

pub(crate) fn organization(number: u128, owner: &str) -> Organization {
    Organization {
        organization_id: Uuid::from_u128(number).into(),
        owner_email: Some(address(owner)),
        owner_changes: 0,
        plan: Plan::Free,
        verified_at: None,
        default_pod_id: Uuid::from_u128(number + 1000).into(),
        suspension: None,
        brake: None,
        brake_counts_from: None,
        quarantine: QuarantineMode::Off,
        created_at: at(0),
        updated_at: at(0),
    }
}

pub(crate) fn inbox(organization: &Organization, address: &str) -> Inbox {
    Inbox {
        paused_at: None,
        retention_days: None,
        quarantine: None,
        organization_id: organization.organization_id,
        pod_id: organization.default_pod_id,
        inbox_id: InboxId::stored(address.to_owned()),
        display_name: None,
        client_id: None,
        metadata: inboxd_core::model::Metadata::new(),
        created_at: at(0),
        updated_at: at(0),
    }
}

pub(crate) fn destination(inbox: &Inbox) -> Destination {
    Destination { organization_id: inbox.organization_id, pod_id: inbox.pod_id, inbox_id: inbox.inbox_id.clone() }
}

pub(crate) async fn add_organization(store: &PgStore, organization: &Organization) {
    let mut tx = store.begin().await.unwrap();
    tx.accounts().insert(organization).await.unwrap();
    tx.accounts().insert_pod(&default_pod(organization)).await.unwrap();
    tx.commit().await.unwrap();
}

fn default_pod(organization: &Organization) -> Pod {
    Pod {
        organization_id: organization.organization_id,
        pod_id: organization.default_pod_id,
        name: "Default".to_owned(),
        client_id: None,
        quarantine: None,
        created_at: at(0),
        updated_at: at(0),
    }
}

/// Adds a pod to the organization, in addition to the default pod.
pub(crate) async fn add_pod(world: &World, pod_id: PodId) {
    let mut tx = world.begin().await;
    tx.accounts().insert_pod(&Pod { pod_id, ..default_pod(&world.organization) }).await.unwrap();
    tx.commit().await.unwrap();
}

pub(crate) async fn add_inbox(store: &PgStore, inbox: &Inbox) {
    let mut tx = store.begin().await.unwrap();
    tx.inboxes().insert(inbox).await.unwrap();
    tx.commit().await.unwrap();
}

pub(crate) async fn delete_inbox(store: &PgStore, inbox: &Inbox) {
    let mut tx = store.begin().await.unwrap();
    tx.inboxes().delete(inbox.organization_id, &inbox.inbox_id, at(9_000_000)).await.unwrap();
    tx.commit().await.unwrap();
}

pub(crate) fn message_id(name: &str) -> MessageId {
    MessageId::stored(format!("<{name}@example.org>"))
}

/// A received mail, alone in its thread; its time is its number.
pub(crate) fn mail(inbox: &Inbox, number: i64) -> NewMessage {
    let item = MessageItem {
        organization_id: inbox.organization_id,
        inbox_id: inbox.inbox_id.clone(),
        thread_id: thread_id(number),
        message_id: message_id(&number.to_string()),
        labels: ["received", "unread"].into_iter().collect(),
        timestamp: at(number),
        from: "Anna Müller <Anna@example.org>".to_owned(),
        to: vec![inbox.inbox_id.as_str().to_owned()],
        cc: vec![],
        bcc: vec![],
        reply_to: vec![],
        subject: Some(format!("Offer {number}")),
        preview: Some("Dear Scout".to_owned()),
        attachments: vec![],
        in_reply_to: None,
        references: vec![],
        size: 100,
        sent_by: None,
        created_at: at(number),
        updated_at: at(number),
        delivered_to: None,
        tag: None,
        trust: Some(Judgement {
            verdict: Verdict::FirstContact,
            checks: Some(Checks { spf: AuthResult::SoftFail, dkim: AuthResult::Pass, dmarc: AuthResult::Pass }),
            reasons: vec![Reason::AuthenticatedDomain { domain: "example.org".to_owned() }],
        }),
        release: None,
        redacted_at: None,
        calendar_event_id: Some("cev_019a7c1e6b4d7e9fa7c25d1b8e0f9a36".to_owned()),
    };
    let body = MessageBody {
        text: Some("Dear Scout".to_owned()),
        headers: vec![("Subject".to_owned(), format!("Offer {number}")), ("X-Twice".to_owned(), "a".to_owned())],
        authentication: Some(Authentication {
            spf: AuthResult::SoftFail,
            dkim: AuthResult::Pass,
            dmarc: AuthResult::Pass,
            aligned_domain: Some("example.org".to_owned()),
            arc: None,
        }),
        spam: Some(SpamReport {
            filter: "built-in".to_owned(),
            is_spam: false,
            score: 0.5,
            threshold: 5.0,
            reasons: vec![SpamReason { name: "NO_DATE".to_owned(), score: 0.5, description: None }],
        }),
        extracted: Some(ExtractedFindings {
            codes: vec![ExtractedCode {
                code: "483920".to_owned(),
                confidence: 95,
                context: "Code: 483920".to_owned(),
            }],
            links: vec![],
            has_hidden_text: true,
            signature: Some("Anna Müller\n+49 30 5550114".to_owned()),
            footer: Some("Confidential".to_owned()),
            calendar: read_calendar("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSEQUENCE:2\nDTSTART:20261015T180000Z", None),
        }),
        ..MessageBody::default()
    };
    NewMessage {
        message: Message { item, body },
        raw: format!("Subject: Offer {number}\r\n\r\nDear Scout\r\n").into_bytes(),
        raw_blob: None,
        header_message_id: None,
        digest: Some([7; 32]),
        search_text: format!("anna müller <anna@example.org>\n{}\noffer {number}\ndear scout", inbox.inbox_id),
    }
}

pub(crate) fn thread_id(number: i64) -> ThreadId {
    Uuid::from_u128(u128::try_from(number).unwrap()).into()
}

impl World {
    pub(crate) fn organization_id(&self) -> OrganizationId {
        self.organization.organization_id
    }

    pub(crate) fn inbox_id(&self) -> &InboxId {
        &self.inbox.inbox_id
    }

    pub(crate) async fn begin(&self) -> Box<dyn Tx> {
        self.store.begin().await.unwrap()
    }

    /// Locks the heads of all feeds, like a sequencer; concurrent commits leave their events pending.
    pub(crate) async fn hold_heads(&self) -> AsyncPgConnection {
        let mut holder = AsyncPgConnection::establish(&self.database.url()).await.unwrap();
        holder.batch_execute("BEGIN; SELECT FROM feed_heads FOR NO KEY UPDATE").await.unwrap();
        holder
    }

    /// Waits until a unit of work waits for a lock.
    pub(crate) async fn until_one_waits(&self) {
        // The query divides by zero until there is one.
        let waiting = "SELECT 1 / count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        eventually("one unit of work waits", async || self.database.try_execute(waiting).await.ok()).await;
    }

    /// Creates a mail for the inbox.
    pub(crate) fn mail(&self, number: i64) -> NewMessage {
        mail(&self.inbox, number)
    }

    /// Creates a mail for the inbox with these labels.
    pub(crate) fn labelled(&self, number: i64, labels: &[&str]) -> NewMessage {
        let mut mail = self.mail(number);
        mail.message.item.labels = labels.iter().copied().collect();
        mail
    }

    /// Stores a mail and its thread.
    pub(crate) async fn deliver(&self, mail: &NewMessage) {
        deliver(&self.store, mail).await;
    }

    /// A query for all visible messages in the inbox.
    pub(crate) fn messages(&self) -> MessageQuery {
        MessageQuery {
            organization_id: self.organization_id(),
            inbox_id: self.inbox_id().clone(),
            labels: vec![],
            before: None,
            after: None,
            included: HidingLabels::NONE,
            from: vec![],
            to: vec![],
            subject: vec![],
            search: None,
            delivered_to: None,
            tag: None,
            trust: vec![],
            page: PageRequest::default(),
        }
    }

    /// The use cases over this database with a fixed clock.
    pub(crate) fn app(&self, now: OffsetDateTime) -> App {
        App {
            store: Arc::new(self.store.clone()),
            clock: Arc::new(FixedClock::at(now)),
            random: Arc::new(SeededRandom::default()),
            wake: Arc::new(RecordingWake(Journal::default())),
            vault: Arc::new(PlainVault),
            fetch: Arc::new(StubFetch::default()),
            client_documents: Arc::new(StubFetch::default()),
            destinations: Arc::new(StubDestinations::default()),
            dns: Arc::new(StubDns::default()),
            authenticator: Arc::new(StubAuthenticator::default()),
            spam_filter: Arc::new(BuiltIn),
            scanner: None,
            attachment_text: None,
            text_recognizer: None,
            key_maker: Arc::new(StubKeys),
            signer: Arc::new(StubSigner::default()),
            payments: None,
            courier: None,
            capacity: Arc::new(Unbounded),
            blobs: self.store.blobs(),
            blocking: Arc::new(InlineBlockingPool::default()),
            process_id: Uuid::from_u128(1),
            waiting: Arc::default(),
            settings: Settings {
                domain: "agents.example".to_owned(),
                signup_domain: "agents.example".to_owned(),
                postmaster: None,
                max_message_bytes: 1_000_000,
                delivers_directly: false,
                limits: CurrentLimits::new(Limits {
                    rows: RowLimits::default(),
                    loop_budget: None,
                    mailbox_mails: MailLimits { per_hour: 10, per_day: 20 },
                    invitations: MailLimits { per_hour: 50, per_day: 200 },
                    sign_up: SignUpMode::Open,
                    brakes_sending: false,
                }),
                approval_ttl: Duration::days(7),
                mails_approvers: false,
                event_retention: Duration::days(365),
                audit_retention: Duration::days(365),
                unverified_retention: Duration::days(7),
                report_retention: Duration::days(90),
                report_limits: ReportLimits { stored: 10_000, per_day: 1000 },
                issuer: Some("https://mail.example".to_owned()),
                reads_attachments: false,
                registers_clients: true,
                signing_key: SigningKey::new([7; 32]),
            },
        }
    }

    pub(crate) fn threads(&self) -> ThreadQuery {
        ThreadQuery {
            organization_id: self.organization_id(),
            scope: Scope::Inbox(self.inbox_id().clone()),
            labels: vec![],
            before: None,
            after: None,
            included: HidingLabels::NONE,
            senders: vec![],
            recipients: vec![],
            subject: vec![],
            search: None,
            assignee: None,
            trust: vec![],
            page: PageRequest::default(),
        }
    }
}

/// Stores a mail and its thread.
pub(crate) async fn deliver(store: &PgStore, mail: &NewMessage) {
    let item = &mail.message.item;
    let mut tx = store.begin().await.unwrap();
    let known = tx.threads().lock(item.organization_id, &item.inbox_id, &[item.thread_id]).await.unwrap().pop();
    let (begun, joined) = match known {
        Some(thread) => (vec![], vec![thread.joined_by(item)]),
        None => (vec![Thread::started_by(item)], vec![]),
    };
    let mail = NewMail { messages: vec![mail.clone()], begun, joined, ..NewMail::default() };
    tx.commit_with(&mail).await.unwrap();
}

pub(crate) fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}
