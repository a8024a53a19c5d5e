//! First mail: out to another provider, and the reply back in.

use std::time::Duration;

use inboxd_core::Error;
use inboxd_core::app::trace::{self, TraceFilter};
use inboxd_core::app::{App, is_reply_to_test, send_test_mail, test_subject};
use inboxd_core::model::{DeliveryOutcome, DeliveryReport, OperatorMailItem};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use tokio::time::{Instant, sleep};

use super::print;
use crate::config::{Config, Delivery};
use crate::doctor::{Finding, Level};
use crate::failure::{ErrorContext, Failure};
use crate::secret_key;
use crate::services::{self, Database, SchemaPolicy};
use crate::transport::transport;

const OUT: &str = "mail out";
const IN: &str = "mail in";
/// Interval between two looks for the reply.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Number of held messages that are searched for a reply.
const MAX_SEARCHED: u32 = 200;

/// Sends a mail and waits for the reply. Without a recipient an earlier reply counts.
pub(super) async fn examine(config: &Config, to: Option<&EmailAddress>, wait: Duration) -> Vec<Finding> {
    if config.delivery == Delivery::Capture {
        let found = "is stored instead of sent, because INBOXD_DELIVERY is capture";
        return vec![Finding::warn(OUT, found, "repeat with --delivery direct or --delivery relay")];
    }
    // Another step reports a key that cannot be read. The first start creates it, with the right owner.
    if !matches!(secret_key::find(config.secret_key.as_ref(), &config.data_dir), Ok(Some(_))) {
        let found = "cannot be tried before inboxd has its secret key";
        return vec![Finding::fail(
            OUT,
            found,
            "start `inboxd serve`, let this user read its data directory, and repeat",
        )];
    }
    match exchange(config, to, wait).await {
        Ok(findings) => findings,
        Err(failure) => vec![Finding::fail(OUT, failure.to_string(), "start `inboxd serve`, and repeat")],
    }
}

async fn exchange(config: &Config, to: Option<&EmailAddress>, wait: Duration) -> Result<Vec<Finding>, Failure> {
    let database = Database::open(config, SchemaPolicy::Require).await?;
    let done = exchange_on(config, &database, to, wait).await;
    database.close().await?;
    done
}

async fn exchange_on(
    config: &Config,
    database: &Database,
    to: Option<&EmailAddress>,
    wait: Duration,
) -> Result<Vec<Finding>, Failure> {
    let keys = services::keys(config)?;
    database.require_secret_key(&keys, &config.data_dir).await?;
    let app = services::app(config, database, keys)?;
    let Some(to) = to else { return earlier(&app).await.map(|finding| vec![finding]) };
    let transport = transport(config, &app, database.store.clone())?;
    let start = app.clock.now();
    let subject = test_subject(&app.settings.signing_key, start);
    let sent = send_test_mail(&app, transport.as_ref(), to, &subject, text(config)).await;
    let out = match sent {
        Ok(report) => judged(to, &report),
        Err(Error::Invalid(problems)) => {
            let found = problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("; ");
            Finding::fail(OUT, found, "repeat with --mail-to and an address at another provider")
        }
        Err(error) => return Err(Failure::new(error.to_string())),
    };
    if out.level != Level::Ok {
        return Ok(vec![out]);
    }
    print(&format!("{out}\n"));
    print(&format!(
        "Reply to the mail `{subject}` at {to}, and see that its source (\"Show original\") says spf=pass, dkim=pass and\n\
         dmarc=pass. Waiting up to {} s for the reply…\n",
        wait.as_secs()
    ));
    Ok(vec![received(config, &app, to, start, wait).await?])
}

/// Returns whether the reply to an earlier mail arrived.
async fn earlier(app: &App) -> Result<Finding, Failure> {
    if let Some(mail) = held(app).await?.into_iter().find(|mail| is_reply(app, mail)) {
        return Ok(Finding::ok(OUT, format!("and in: a reply to a test mail arrived at {}", mail.received_at)));
    }
    let mend = "repeat with --mail-to and an address at another provider that you can read";
    Ok(Finding::warn(OUT, "is not tried", mend))
}

fn text(config: &Config) -> String {
    format!(
        "inboxd at {} sent this mail to see whether mail leaves.\n\nReply to it, so that `inboxd setup` sees whether mail \
         arrives. Any text will do; leave the subject as it is.\n",
        config.domain
    )
}

/// Evaluates the report about the mail.
fn judged(to: &EmailAddress, report: &DeliveryReport) -> Finding {
    let server = report.session.as_ref().map_or_else(String::new, |session| format!(" at {}", session.server));
    match &report.outcome {
        DeliveryOutcome::Delivered => {
            let session = report.session.as_ref();
            let tls =
                session.and_then(|session| session.tls).map_or_else(String::new, |tls| format!(" {}", tls.phrase()));
            let reply = session.and_then(|session| session.reply.as_deref()).unwrap_or("accepted");
            Finding::ok(OUT, format!("for {to} was accepted{server}{tls}: {reply}"))
        }
        DeliveryOutcome::Refused { status, reply } => Finding::fail(
            OUT,
            format!("for {to} was refused{server}: {status} {reply}"),
            "do what the reply says; usual causes are the reverse name, SPF, DKIM and block lists, see the steps above",
        ),
        DeliveryOutcome::Deferred { reason } => Finding::fail(
            OUT,
            format!("for {to} did not leave{server}: {reason}"),
            "look at the lines `port 25` and `relay` above; a deferral by the server (4xx) passes, so repeat later",
        ),
    }
}

/// Waits for the reply.
async fn received(
    config: &Config,
    app: &App,
    to: &EmailAddress,
    start: OffsetDateTime,
    wait: Duration,
) -> Result<Finding, Failure> {
    let end = Instant::now() + wait;
    loop {
        if let Some(found) = find(config, app, to, start).await? {
            return Ok(Finding::ok(IN, found));
        }
        if Instant::now() >= end {
            break;
        }
        sleep(POLL_INTERVAL).await;
    }
    let bounce = held(app).await?.into_iter().find(|mail| mail.received_at >= start && mail.envelope_from.is_none());
    if let Some(bounce) = bounce {
        let found = "did not arrive, but a report about a failed delivery did";
        return Ok(Finding::fail(IN, found, format!("read it with `inboxd admin postmaster show {}`", bounce.mail_id)));
    }
    let domain = &config.domain;
    Ok(Finding::fail(
        IN,
        format!("did not arrive: no reply of {to} within {} s", wait.as_secs()),
        format!(
            "reply to the mail, which may be in the spam folder; look for it in the log of `inboxd serve`; connect from \
             another machine with `nc -vw 5 {domain} 25`; compare the line `MX` above; then repeat with a longer --wait"
        ),
    ))
}

/// Returns the reply where mail to the postmaster goes: an inbox of the service, or the held mail.
async fn find(config: &Config, app: &App, to: &EmailAddress, start: OffsetDateTime) -> Result<Option<String>, Failure> {
    let is_new = |mail: &OperatorMailItem| {
        mail.received_at >= start && (is_reply(app, mail) || mail.envelope_from.as_ref() == Some(to))
    };
    if let Some(mail) = held(app).await?.into_iter().find(is_new) {
        return Ok(Some(format!("arrived for {} at {}", mail.recipient, mail.received_at)));
    }
    let Some(postmaster) = &config.postmaster else { return Ok(None) };
    let routes = app.store.destinations(std::slice::from_ref(postmaster)).await.context("cannot find the inbox")?;
    let Some(found) = routes.into_iter().next().flatten().map(|route| route.destination) else { return Ok(None) };
    let inbox = app.store.inbox(found.organization_id, &found.inbox_id).await.context("cannot read the inbox")?;
    let Some(inbox) = inbox else { return Ok(None) };
    let correspondent = Some(to.to_string());
    let filter = TraceFilter { correspondent, start: Some(start), ..TraceFilter::default() };
    let page = trace::list_for_operator(app, &inbox, filter).await.context("cannot read the inbox")?;
    let received = page.items.iter().find(|entry| entry.kind().starts_with("message.received"));
    Ok(received.map(|entry| format!("arrived in {postmaster} at {}", entry.place.at)))
}

async fn held(app: &App) -> Result<Vec<OperatorMailItem>, Failure> {
    app.store.operator_mails(MAX_SEARCHED).await.context("cannot read the mail for the operator")
}

/// Returns whether a held message is the reply. A report about a failed delivery may quote the subject, but has no return path
/// (RFC 3464, section 2).
fn is_reply(app: &App, mail: &OperatorMailItem) -> bool {
    mail.envelope_from.is_some()
        && mail.subject.as_deref().is_some_and(|subject| is_reply_to_test(&app.settings.signing_key, subject))
}
