//! Mail to `postmaster@` and `abuse@` that is held for the operator.

use inboxd_core::ports::OperatorMailReads as _;
use inboxd_core::rules::names::is_format;
use inboxd_postgres::PgStore;
use uuid::Uuid;

use super::{print, print_mail};
use crate::failure::{ErrorContext, Failure};

/// Prints one line per held message, newest first.
pub(crate) async fn list(store: &PgStore) -> Result<(), Failure> {
    for mail in store.operator_mails(u32::MAX).await.context("cannot read the mail for the operator")? {
        let sender = mail.envelope_from.map_or_else(String::new, |sender| sender.to_string());
        let subject = mail.subject.unwrap_or_default();
        let line = format!(
            "{}  {}  {:8}  from <{sender}> to <{}>  {subject}",
            mail.mail_id, mail.received_at, mail.size, mail.recipient
        );
        print(&format!("{}\n", without_controls(&line, &[])))?;
    }
    Ok(())
}

/// Prints one message.
pub(crate) async fn show(store: &PgStore, mail_id: Uuid) -> Result<(), Failure> {
    let mail = store.operator_mail(mail_id).await.context("cannot read the mail for the operator")?;
    let (_, content) = mail.ok_or_else(|| {
        Failure::new(format!("no such message: {mail_id}; `inboxd admin postmaster list` shows the held messages"))
    })?;
    print_mail(&content)
}

/// Removes control and invisible characters, because strangers wrote the text, and a terminal would obey them or change
/// the order of the others.
pub(super) fn without_controls(text: &str, allowed: &[char]) -> String {
    text.chars().filter(|c| allowed.contains(c) || !(c.is_control() || is_format(*c))).collect()
}
