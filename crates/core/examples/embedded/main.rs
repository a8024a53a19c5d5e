//! inboxd inside a program of your own: receive two mails and read them, without a database, a socket or a server.
//!
//! ```text
//! cargo run -p inboxd-core --example embedded
//! ```
//!
//! The ports that receiving and reading need are implemented in `reads.rs` and `writes.rs` over a few vectors, and the
//! machine in `machine.rs`. A real program puts its own storage there; everything else stays as it is.

mod machine;
mod memory;
mod reads;
mod writes;

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

use inboxd_core::app::{App, CurrentLimits, IncomingMail, Limits, Settings, messages, receive, recipient};
use inboxd_core::model::mail_report::ReportLimits;
use inboxd_core::model::{
    Actor, Caller, Inbox, InboxId, MailLimits, Metadata, Organization, Plan, QuarantineMode, Reach, SignUpMode,
    ThreadId,
};
use inboxd_core::ports::{Clock, Random, Unbounded};
use inboxd_core::rules::row_limits::RowLimits;
use inboxd_core::rules::signing::SigningKey;
use inboxd_core::rules::spam::BuiltIn;

use crate::machine::{
    HashRandom, InPlace, NoAuthenticator, NoDestinations, NoDns, NoFetch, NoKeys, NoSigner, NoVault, NoWake,
    SystemClock,
};
use crate::memory::Memory;

const QUESTION: &str = "Message-ID: <question@example.org>\r
From: Anna <anna@example.org>\r
To: scout@inboxd.example\r
Subject: Monday\r
\r
Shall we meet on Monday?\r
";

const ANSWER: &str = "Message-ID: <answer@example.org>\r
In-Reply-To: <question@example.org>\r
From: Ben <ben@example.org>\r
To: scout@inboxd.example\r
Subject: Re: Monday\r
\r
Tuesday is better.\r
\r
On Fri, 20 Nov 2026 at 10:00, Anna <anna@example.org> wrote:\r
> Shall we meet on Monday?\r
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    for line in run().await? {
        println!("{line}");
    }
    Ok(())
}

/// Receives both messages, the first one twice as after a lost response, and returns the stored messages as text.
async fn run() -> Result<Vec<String>, Box<dyn Error>> {
    let (app, caller, inbox_id) = set_up()?;
    for raw in [QUESTION, ANSWER, QUESTION] {
        let mail = IncomingMail {
            envelope_from: Some("sender@example.org".parse()?),
            recipients: vec![recipient(&app, &inbox_id.as_str().parse()?).await?],
            raw: raw.as_bytes().to_vec(),
            client: None,
        };
        receive(&app, mail).await?;
    }

    let page = messages::list(&app, &caller, &inbox_id, messages::MessageFilter::default()).await?;
    let threads: BTreeSet<ThreadId> = page.items.iter().map(|item| item.thread_id).collect();
    let mut lines = vec![format!("{} messages in {} thread", page.items.len(), threads.len())];
    for item in page.items {
        let message = messages::get(&app, &caller, &inbox_id, &item.message_id).await?;
        let new_text = message.body.extracted_text.unwrap_or_default();
        lines.push(format!("{} | {} | {new_text}", item.from, item.subject.unwrap_or_default()));
    }
    Ok(lines)
}

/// Returns an app over an empty store with one inbox, and a caller with all permissions.
fn set_up() -> Result<(App, Caller, InboxId), Box<dyn Error>> {
    let (clock, random) = (SystemClock, HashRandom::default());
    let now = clock.now();
    let organization = Organization {
        organization_id: random.uuid_at(now).into(),
        owner_email: Some("owner@example.org".parse()?),
        owner_changes: 0,
        plan: Plan::Free,
        verified_at: Some(now),
        default_pod_id: random.uuid_at(now).into(),
        suspension: None,
        brake: None,
        brake_counts_from: None,
        quarantine: QuarantineMode::Off,
        created_at: now,
        updated_at: now,
    };
    let inbox = Inbox {
        paused_at: None,
        retention_days: None,
        quarantine: None,
        organization_id: organization.organization_id,
        pod_id: organization.default_pod_id,
        inbox_id: InboxId::of(&"scout@inboxd.example".parse()?),
        display_name: None,
        client_id: None,
        metadata: Metadata::new(),
        created_at: now,
        updated_at: now,
    };
    let inbox_id = inbox.inbox_id.clone();
    let api_key_id = random.uuid_at(now).into();
    let caller = Caller {
        organization,
        api_key_id: Some(api_key_id),
        reach: Reach::Organization,
        permissions: None,
        expires_at: None,
        actor: Actor::ApiKey { api_key_id, name: "embedded".to_owned() },
        member: None,
        connection: None,
        client_address: None,
        traceparent: None,
    };
    let settings = Settings {
        domain: "inboxd.example".to_owned(),
        signup_domain: "signup.inboxd.example".to_owned(),
        postmaster: None,
        max_message_bytes: 1_000_000,
        delivers_directly: false,
        limits: CurrentLimits::new(Limits {
            rows: RowLimits::default(),
            loop_budget: None,
            mailbox_mails: MailLimits { per_hour: 10, per_day: 20 },
            invitations: MailLimits { per_hour: 50, per_day: 200 },
            sign_up: SignUpMode::Closed,
            brakes_sending: false,
        }),
        approval_ttl: time::Duration::days(7),
        mails_approvers: false,
        event_retention: time::Duration::days(365),
        audit_retention: time::Duration::days(365),
        unverified_retention: time::Duration::days(7),
        report_retention: time::Duration::days(90),
        report_limits: ReportLimits { stored: 10_000, per_day: 1000 },
        issuer: None,
        reads_attachments: false,
        registers_clients: false,
        signing_key: SigningKey::new(random.bytes()),
    };
    let process_id = random.uuid_at(now);
    let app = App {
        process_id,
        store: Arc::new(Memory::with(inbox)),
        clock: Arc::new(clock),
        random: Arc::new(random),
        wake: Arc::new(NoWake),
        vault: Arc::new(NoVault),
        fetch: Arc::new(NoFetch),
        client_documents: Arc::new(NoFetch),
        destinations: Arc::new(NoDestinations),
        dns: Arc::new(NoDns),
        authenticator: Arc::new(NoAuthenticator),
        spam_filter: Arc::new(BuiltIn),
        scanner: None,
        attachment_text: None,
        text_recognizer: None,
        key_maker: Arc::new(NoKeys),
        signer: Arc::new(NoSigner),
        payments: None,
        courier: None,
        capacity: Arc::new(Unbounded),
        blobs: Arc::default(),
        blocking: Arc::new(InPlace),
        waiting: Arc::default(),
        settings,
    };
    Ok((app, caller, inbox_id))
}

#[test]
fn both_mails_are_received_once_and_read_in_one_thread() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let lines = runtime.block_on(run())?;
    assert_eq!(
        lines,
        [
            "2 messages in 1 thread",
            "Ben <ben@example.org> | Re: Monday | Tuesday is better.",
            "Anna <anna@example.org> | Monday | Shall we meet on Monday?",
        ]
    );
    Ok(())
}
