//! Mail to `postmaster@` and `abuse@` that is held for the operator.

use std::io::{IsTerminal as _, Write as _};

use inboxd_postgres::PgStore;
use uuid::Uuid;

use super::print;
use crate::failure::{Failure, While};

/// Prints what is held, a line each, newest first.
pub(crate) async fn list(store: &PgStore) -> Result<(), Failure> {
    for mail in store.operator_mails().await.trying("cannot read the mail for the operator")? {
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

/// Prints one message, byte for byte where the output is no terminal.
pub(crate) async fn show(store: &PgStore, mail_id: Uuid) -> Result<(), Failure> {
    let content = store.operator_mail_content(mail_id).await.trying("cannot read the mail for the operator")?;
    let content = content.ok_or_else(|| {
        Failure::new(format!("no such message: {mail_id}; `inboxd admin postmaster list` shows those that are held"))
    })?;
    if std::io::stdout().is_terminal() {
        return print(&without_controls(&String::from_utf8_lossy(&content), &['\n', '\t']));
    }
    std::io::stdout().write_all(&content).trying("cannot print")
}

/// Returns a text without characters that command a terminal: strangers wrote it.
fn without_controls(text: &str, allowed: &[char]) -> String {
    text.chars().filter(|c| !c.is_control() || allowed.contains(c)).collect()
}
