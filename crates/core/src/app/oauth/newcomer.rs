//! Organization of a newcomer: created by the first sign-in with a browser.

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use crate::Error;
use crate::app::account::NewAccount;
use crate::app::{App, mail_limits};
use crate::model::{InboxId, MailCharge};
use crate::ports::Tx;
use crate::rules::names;

/// Creates the organization of a newcomer: verified, because a mailed code proved the address, with a first inbox on the
/// domain of the service. Its name is the local part of the address; a later attempt appends random characters, for names
/// that are taken.
///
/// # Errors
/// [`Error::AddressTaken`] for a taken name, after which the unit of work starts again with the next attempt;
/// [`Error::AccountExists`] for a sign-up that came first; [`Error::MailLimitReached`] above the sign-ups of a mailbox.
pub(super) async fn create(
    app: &App,
    tx: &mut dyn Tx,
    email: &EmailAddress,
    attempt: u32,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let inbox_id = first_inbox(app, email, attempt)?;
    let account = NewAccount::create(app, email, inbox_id, Some(now), now);
    account.insert(tx).await?;
    // An inbox with the address of a member would disclose the codes of that member to its readers.
    if tx.members().reads(&account.inbox.inbox_id).await? {
        return Err(Error::AddressTaken(account.inbox.inbox_id.to_string()));
    }
    let charge = MailCharge::of_mailbox(email, app.settings.mailbox_limits);
    mail_limits::charge(tx, &charge, "to this mailbox", now).await
}

/// Returns the id of the first inbox.
fn first_inbox(app: &App, email: &EmailAddress, attempt: u32) -> Result<InboxId, Error> {
    let random = names::random_username(app.random.bytes());
    let wanted = wanted_username(email.local());
    let username = match (wanted, attempt) {
        (Some(wanted), 0) => wanted,
        (Some(wanted), 1 | 2) => {
            let suffix: String = random.chars().take(4).collect();
            names::parse_username(&format!("{wanted}-{suffix}")).unwrap_or(random)
        }
        _ => random,
    };
    let address: EmailAddress = format!("{username}@{}", app.settings.domain)
        .parse()
        .map_err(|error| Error::Internal(format!("INBOXD_DOMAIN makes no address: {error}")))?;
    Ok(InboxId::of(&address))
}

/// Returns the local part of an address as a username, without tag and unusable characters; `None` for a reserved or
/// empty one.
fn wanted_username(local: &str) -> Option<String> {
    let name = local.split('+').next().unwrap_or_default().to_lowercase();
    let usable: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')).collect();
    let usable: String = usable.trim_matches('.').chars().take(50).collect();
    names::parse_username(&usable).ok()
}

#[cfg(test)]
mod tests {
    use super::wanted_username;

    #[test]
    fn wanted_username_is_usable_local_part() {
        let table = [
            ("Ada.Lovelace+work", Some("ada.lovelace")),
            ("\"ada\"", Some("ada")),
            (".a.", Some("a")),
            ("admin", None),
            ("a..b", None),
            ("ü", None),
        ];
        for (local, expected) in table {
            assert_eq!(wanted_username(local).as_deref(), expected, "{local}");
        }
    }
}
