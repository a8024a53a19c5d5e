//! Commands of `inboxd admin`.

pub(crate) mod blobs;
pub(crate) mod operators;
pub(crate) mod postmaster;
pub(crate) mod queue;
pub(crate) mod reports;
pub(crate) mod trace;

use std::io::{IsTerminal as _, Write as _};

use inboxd_core::Error;
use inboxd_core::app::dkim::{self, Rotation};
use inboxd_core::app::{self, App, account};
use inboxd_core::model::{OrganizationId, Plan};
use inboxd_core::rules::domains::zone::quoted_strings;
use inboxd_postgres::PgStore;
use time::Duration;

use crate::failure::{ErrorContext, Failure};
use crate::secret_key::Keys;

const PAGE: u32 = 200;

/// Prints one line per organization.
pub(crate) async fn organizations(app: &App) -> Result<(), Failure> {
    let mut after = None;
    loop {
        let page = app.store.organizations(after, PAGE).await.context("cannot list organizations")?;
        for organization in &page {
            let state = match (&organization.suspension, &organization.brake, organization.is_verified()) {
                (Some(_), _, _) => "suspended",
                (None, Some(brake), _) => brake.level.as_str(),
                (None, None, true) => "verified",
                (None, None, false) => "unverified",
            };
            print(&format!(
                "{}  {:10}  {state:10}  {}\n",
                organization.organization_id,
                organization.plan.as_str(),
                organization.owner_text()
            ))?;
        }
        after = page.last().map(|organization| organization.organization_id);
        if page.len() < PAGE as usize {
            return Ok(());
        }
    }
}

/// Sets the plan of an organization.
pub(crate) async fn plan(app: &App, organization_id: OrganizationId, plan: Plan) -> Result<(), Failure> {
    let changed = account::change_plan(app, organization_id, plan).await.context("cannot set the plan")?;
    print(&format!("{} now has the plan {}\n", changed.organization_id, changed.plan))?;
    let record = app.store.billing(organization_id).await.context("cannot read the subscription")?;
    if record.is_paying() {
        print("its subscription continues: change or cancel it at Stripe\n")?;
    }
    Ok(())
}

/// Prints a new invitation to sign up, which nothing shows again.
pub(crate) async fn invite(app: &App, days: i64) -> Result<(), Failure> {
    let text = account::create_invitation(app, Duration::days(days)).await.context("cannot create an invitation")?;
    print(&format!("{text}\n"))
}

/// Replaces the secret key that the database accepts.
pub(crate) async fn accept_secret_key(store: &PgStore, keys: &Keys, yes: bool) -> Result<(), Failure> {
    let stored = store.secret_key_check().await.context("cannot read the secret key in use")?;
    if stored == Some(keys.check) {
        return print("this secret key is in use already\n");
    }
    require_yes(
        yes,
        "data encrypted with the previous key is lost (webhook secrets, DKIM keys, codes in the queue, captured mail, contents in a folder or bucket, ACME \
         accounts and certificates, which the next start orders anew), its links stop working, people sign in to the console again, and processes that run with \
         it must be stopped first",
    )?;
    store.replace_secret_key_check(&keys.check).await.context("cannot store the secret key in use")?;
    print("this database now uses this secret key; start all processes with it\n")
}

/// Refuses an irreversible act without a confirmation.
fn require_yes(yes: bool, what: &str) -> Result<(), Failure> {
    if yes { Ok(()) } else { Err(Failure::new(format!("{what}; repeat the command with --yes to confirm"))) }
}

/// Starts the next step of a DKIM key rotation and prints the step after it.
pub(crate) async fn rotate_dkim(app: &App, domain: &str) -> Result<(), Failure> {
    let domain = domain.trim_end_matches('.').to_ascii_lowercase();
    match dkim::rotate(app, &domain).await.map_err(message_of).context("cannot rotate the key")? {
        Rotation::Publish { name, value, reason } => {
            let found = reason.map_or_else(String::new, |reason| format!("; {reason}"));
            print(&format!(
                "publish this record{found}, and repeat the command; until then the old key signs\n\
                 {name}. TXT {}\n",
                quoted_strings(&value)
            ))
        }
        Rotation::PublishAndVerify { name, value } => print(&format!(
            "publish this record, which `records` of the domain also lists, and verify the domain again; \
             until then the old key signs\n{name}. TXT {}\n",
            quoted_strings(&value)
        )),
        Rotation::Switched { name, old } => {
            print(&format!("the key at {name} now signs mail of {domain}\n"))?;
            let Some((old, until)) = old else { return Ok(()) };
            print(&format!("leave the record of {old} until {}, for mail in transit\n", until.date()))
        }
    }
}

/// Prints captured mails, envelope first.
pub(crate) async fn captured(app: &App, limit: u32) -> Result<(), Failure> {
    for mail in
        app::captured(app, limit, u32::MAX).await.map_err(message_of).context("cannot read the captured mails")?
    {
        let recipients = mail.recipients.join(", ");
        let envelope = format!("=== {} from <{}> to {recipients}\n", mail.captured_at, mail.envelope_from);
        print_mail(&[envelope.as_bytes(), &mail.raw, b"\n"].concat())?;
    }
    Ok(())
}

/// Prints mail: byte for byte where the output is no terminal, else without the characters that a terminal would obey.
fn print_mail(content: &[u8]) -> Result<(), Failure> {
    if std::io::stdout().is_terminal() {
        return print(&postmaster::without_controls(&String::from_utf8_lossy(content), &['\n', '\t']));
    }
    print_bytes(content)
}

/// Prints a text; a closed output is no error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    match std::io::stdout().write_all(bytes) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot print: {error}")))
        }
        _ => Ok(()),
    }
}

/// Returns the text of an error, with each problem of invalid values.
fn message_of(error: Error) -> String {
    match error {
        Error::Invalid(problems) => problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}
