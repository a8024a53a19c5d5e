//! Mailing the codes that were asked for, to those who exist.

use time::{Duration, OffsetDateTime};

use super::system_mail;
use crate::Error;
use crate::app::{App, homes};
use crate::model::{Outgoing, SignInCode};
use crate::rules::sign_in::digits;

/// How long a claimed code is left to the process that claimed it.
const LEASE: Duration = Duration::minutes(1);
/// How many codes are claimed at once.
const BATCH: u32 = 100;
/// How many codes that ran out are forgotten at once.
const FORGOTTEN: u32 = 1000;

/// Queues a mail for every code that is due and whose address belongs to somebody, and forgets what ran out. Answers how
/// many were due.
///
/// A code's row is written twice, each time for as long as one statement takes, whether or not there is anybody to mail
/// to: a request that waits for the row learns nothing. A process that dies in between leaves the code to another, which
/// may mail it again.
///
/// # Errors
/// When storage fails; what was not settled is claimed again.
pub async fn mail_sign_in_codes(app: &App) -> Result<usize, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let due = tx.sign_ins().claim(now, LEASE, BATCH).await?;
    tx.sign_ins().forget_expired(now, FORGOTTEN).await?;
    tx.commit().await?;
    if due.is_empty() {
        return Ok(0);
    }
    let mut mails = Vec::new();
    for code in due.iter().filter(|code| !code.is_expired(now)) {
        mails.extend(mail(app, code, now).await?);
    }
    if !mails.is_empty() {
        let mut tx = app.store.begin().await?;
        tx.outgoing().enqueue(&mails).await?;
        tx.commit().await?;
    }
    let mut tx = app.store.begin().await?;
    tx.sign_ins().settle(&due).await?;
    tx.commit().await?;
    Ok(due.len())
}

/// The mail of a code; `None` where nobody has the address. An address that was invited and has become an inbox here since
/// joins nothing: whoever has a key could read the code.
async fn mail(app: &App, code: &SignInCode, now: OffsetDateTime) -> Result<Option<Outgoing>, Error> {
    let memberships = app.store.memberships(&code.email).await?;
    let Some(first) = memberships.first() else { return Ok(None) };
    let home = homes::of_one(app, &code.email).await?;
    if home.is_ours() && !memberships.iter().any(|membership| membership.member.is_active()) {
        return Ok(None);
    }
    let text = format!(
        "Your sign-in code is {}\n\n\
         Send it with POST /v0/agent/sign-in/verify. It works once, within 15 minutes.\n\n\
         If you did not ask for it, ignore this mail and give the code to nobody.\n",
        digits(&app.settings.signing_key, code)
    );
    let organization_id = first.organization.organization_id;
    system_mail(app, organization_id, &first.member.email, home.route(), "Your sign-in code", text, now).map(Some)
}
