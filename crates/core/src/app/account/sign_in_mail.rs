//! Mailing the codes that were asked for, to those who exist.

use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};

use super::system_mail;
use crate::Error;
use crate::app::{App, homes};
use crate::model::{Home, MailCharge, Membership, Outgoing, Role, SignInCode};
use crate::ports::Tx;
use crate::rules::sign_in::digits;

/// How long a claimed code is left to the process that claimed it.
const LEASE: Duration = Duration::minutes(1);
/// How many codes are claimed at once.
const BATCH: u32 = 100;

/// Queues a mail for each of some codes that are due and whose address belongs to somebody. Answers whether there may be
/// more.
///
/// A code's row is written twice, each time for as long as one statement takes, whether or not there is anybody to mail
/// to: a request that waits for the row learns nothing. A process that dies in between leaves the code to another, which
/// may mail it again.
///
/// # Errors
/// What failed first; it keeps nothing else from being done. What was not settled is claimed again.
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

/// Returns the charge of a code, where nobody ever read one at its address.
///
/// A stranger can sign up with any tag of a mailbox, and ask for a code of each. An address where a code was read has a limit of
/// its own ([`SignInCode::MOST`]), which a stranger cannot multiply: no other address uses it up.
fn owed_charge(code: &SignInCode, known: &Known) -> Option<MailCharge> {
    let is_proven = known.memberships.iter().flatten().any(Membership::is_proven);
    (!is_proven).then(|| MailCharge::of_sign_in(&code.email))
}

/// Counts mails against the shares of their mailboxes, in the order of these, and returns those that have room.
async fn within_limits(
    tx: &mut dyn Tx,
    mut mails: Vec<(Option<MailCharge>, Outgoing)>,
    now: OffsetDateTime,
) -> Result<Vec<Outgoing>, Error> {
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

/// What is known of the address of a code.
struct Known {
    /// What it belongs to; `None` where that cannot be read.
    memberships: Option<Vec<Membership>>,
    home: Home,
    is_inbox: bool,
}

/// What is known of the addresses of these codes, read of all of them at once.
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

/// The mail of a code; `None` where nobody has the address, or whoever has a key could read it: no code goes to a live
/// inbox, and none to a domain of this service for somebody who is only invited.
fn mail(app: &App, code: &SignInCode, known: &Known, now: OffsetDateTime) -> Result<Option<Outgoing>, Error> {
    let unreadable = || Error::Internal("the memberships of an address cannot be read".to_owned());
    let memberships = known.memberships.as_ref().ok_or_else(unreadable)?;
    let Some(membership) = addressed(memberships) else { return Ok(None) };
    let home = known.home;
    if home == Home::Here || known.is_inbox {
        return Ok(None);
    }
    if home.is_ours() && !memberships.iter().any(|membership| membership.member.is_active()) {
        return Ok(None);
    }
    let text = format!(
        "Your sign-in code is {}\n\n\
         Send it with POST /v0/agent/sign-in/verify. It works once, within 15 minutes.\n\n\
         If you did not ask for it, ignore this mail and give the code to nobody.\n",
        digits(&app.settings.signing_key, code)
    );
    let organization_id = membership.organization.organization_id;
    system_mail(app, organization_id, &membership.member.email, home.route(), "Your sign-in code", text, now).map(Some)
}

/// Whose spelling of the address the mail goes to. Not every server takes both letter cases for one mailbox, and anybody
/// can invite: what a code was once read at comes first, and of that what is owned.
fn addressed(memberships: &[Membership]) -> Option<&Membership> {
    let rank = |one: &&Membership| (!one.is_proven(), !one.member.is_active(), one.member.role != Role::Owner);
    memberships.iter().min_by_key(rank)
}
