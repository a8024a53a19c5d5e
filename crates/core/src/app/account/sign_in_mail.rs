//! Mail with requested sign-in codes, for addresses that have an account and for newcomers in a browser.

use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::system_mail;
use crate::Error;
use crate::app::{App, homes};
use crate::model::{Locality, MailCharge, Membership, QueuedMail, Role, SignInCode};
use crate::ports::Tx;
use crate::rules::sign_in::digits;

/// Time for which a process owns the codes that it claimed.
const LEASE: Duration = Duration::minutes(1);
/// Maximum number of codes in one claim.
const BATCH: u32 = 100;

/// Queues a mail for each due code of a batch whose address has an account or may sign up, and returns whether more may
/// be due.
///
/// Each row is written twice, and each write lasts one statement. This holds for addresses without an account too, so
/// a request that waits for the row learns nothing. If the process dies between the writes, another process claims
/// the code again and may mail it twice.
///
/// # Errors
/// The first failure. The other codes are processed nevertheless. Unprocessed codes are claimed again.
pub async fn mail_sign_in_codes(app: &App) -> Result<bool, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let claimed = tx.sign_ins().claim(now, LEASE, BATCH).await?;
    tx.commit().await?;
    let may_be_more = u32::try_from(claimed.len()).is_ok_and(|number| number >= BATCH);
    let (mut done, due): (Vec<_>, Vec<_>) = claimed.into_iter().partition(|code| code.is_expired(now));
    let known = known(app, &due).await?;
    let (mut mails, mut failed) = (Vec::new(), None);
    for (code, known) in due.into_iter().zip(known) {
        match mail(app, &code, &known, now) {
            Ok(mail) => {
                mails.extend(mail.map(|mail| (owed_charge(&code, &known), mail)));
                done.push(code);
            }
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if !mails.is_empty() {
        let mut tx = app.store.begin().await?;
        let mails = within_limits(tx.as_mut(), mails, now).await?;
        tx.outgoing().enqueue(&mails).await?;
        tx.commit().await?;
        app.wake.outgoing();
    }
    if !done.is_empty() {
        let mut tx = app.store.begin().await?;
        tx.sign_ins().settle(&done).await?;
        tx.commit().await?;
    }
    failed.map_or(Ok(may_be_more), Err)
}

/// Returns the charge of a code for an address that no sign-in has proved yet.
///
/// A stranger can sign up with every tag of a mailbox and request a code for each, so these codes share the limit of
/// the mailbox. A proved address has its own limit ([`SignInCode::MAX_CODES`]), which no other address can use up.
fn owed_charge(code: &SignInCode, known: &Known) -> Option<MailCharge> {
    let is_proven = known.memberships.iter().flatten().any(Membership::is_proven);
    (!is_proven).then(|| MailCharge::of_sign_in(&code.email))
}

/// Charges each mail to the quota of its mailbox, in the order of mailboxes, and returns the mails within their
/// quotas.
async fn within_limits(
    tx: &mut dyn Tx,
    mut mails: Vec<(Option<MailCharge>, QueuedMail)>,
    now: OffsetDateTime,
) -> Result<Vec<QueuedMail>, Error> {
    mails.sort_by(|(one, _), (other, _)| {
        let subject = |charge: &Option<MailCharge>| charge.as_ref().map(|charge| charge.subject.clone());
        subject(one).cmp(&subject(other))
    });
    let mut allowed = Vec::with_capacity(mails.len());
    for (charge, mail) in mails {
        let until = match charge {
            Some(charge) => tx.mail_quotas().charge(&charge, now).await?,
            None => None,
        };
        if until.is_none() {
            allowed.push(mail);
        }
    }
    Ok(allowed)
}

/// Facts about the address of a code.
struct Known {
    /// The memberships of the address; `None` if they are unreadable.
    memberships: Option<Vec<Membership>>,
    home: Locality,
    is_inbox: bool,
}

/// Reads the facts about the addresses of all codes together.
async fn known(app: &App, codes: &[SignInCode]) -> Result<Vec<Known>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let addresses: Vec<EmailAddress> = codes.iter().map(|code| code.email.clone()).collect();
    let homes = homes::of(app, &addresses).await?;
    let inboxes = homes::are_inboxes(app, &addresses).await?;
    let memberships = app.store.memberships_of(&addresses).await?;
    let of_one = |((memberships, home), is_inbox)| Known { memberships, home, is_inbox };
    Ok(memberships.into_iter().zip(homes).zip(inboxes).map(of_one).collect())
}

/// Returns the mail of a code, or `None` if the address has no account or a key could read the mail.
///
/// A live inbox receives no code. A hosted domain receives none for an address without an active membership. An unknown
/// address receives a code that a browser requested; that mail belongs to no organization.
fn mail(app: &App, code: &SignInCode, known: &Known, now: OffsetDateTime) -> Result<Option<QueuedMail>, Error> {
    let unreadable = || Error::Internal("the memberships of an address cannot be read".to_owned());
    let memberships = known.memberships.as_ref().ok_or_else(unreadable)?;
    let membership = addressed(memberships);
    if membership.is_none() && !code.mails_newcomers {
        return Ok(None);
    }
    let home = known.home;
    if home == Locality::Local || known.is_inbox {
        return Ok(None);
    }
    if home.is_ours() && !memberships.iter().any(|membership| membership.member.is_active()) {
        return Ok(None);
    }
    let use_of_code = if code.mails_newcomers {
        "Enter it on the sign-in page that you opened."
    } else {
        "Send it with POST /v0/agent/sign-in/verify."
    };
    let text = format!(
        "Your sign-in code is {}\n\n\
         {use_of_code} It works once, within 15 minutes.\n\n\
         If you did not ask for it, ignore this mail and give the code to nobody.\n",
        digits(&app.settings.signing_key, code)
    );
    let (organization_id, email) = membership.map_or((Uuid::nil().into(), &code.email), |membership| {
        (membership.organization.organization_id, &membership.member.email)
    });
    system_mail(app, organization_id, email, home.route(), "Your sign-in code", text, now).map(Some)
}

/// Returns the membership with the spelling of the address that receives the mail.
///
/// Some servers treat upper and lower case as different mailboxes, and every organization can invite any spelling.
/// Proved memberships therefore come first, then active ones, then those of owners.
fn addressed(memberships: &[Membership]) -> Option<&Membership> {
    let rank = |one: &&Membership| (!one.is_proven(), !one.member.is_active(), one.member.role != Role::Owner);
    memberships.iter().min_by_key(rank)
}
