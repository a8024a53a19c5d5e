//! One mail: MAIL, RCPT for each recipient, DATA (RFC 5321 section 3.3).

use std::time::Duration;

use inboxd_core::model::Outcome;
use inboxd_core::ports::OutgoingMail;

use super::Timeouts;
use super::connection::Connection;
use super::envelope::{self, Envelope};
use super::ledger::{Ledger, refused};
use super::reply::Reply;
use super::stuffing;
use super::trouble::Trouble;

/// The most commands that are sent ahead of their replies: few enough for all replies to fit into a socket's buffer.
const GROUP: usize = 100;

/// Asks for the content to be taken.
const DATA: &str = "DATA\r\n";

/// How long to look for a last word after the server has hung up in the middle of the content.
const LAST_WORD: Duration = Duration::from_secs(2);

/// Hands a mail over, as far as the server takes it. Whatever the ledger does not say then is open because of the error.
pub(crate) async fn send(
    connection: &mut Connection,
    mail: &OutgoingMail,
    ledger: &mut Ledger,
    times: &Timeouts,
) -> Result<(), Trouble> {
    if mail.recall.is_recalled() {
        // No other server is to be tried.
        ledger.note_mail_answered();
        return Err(Trouble::Recalled);
    }
    let Some(envelope) = envelope::write(mail, &connection.capabilities, ledger) else {
        return Ok(());
    };
    let is_asked = announce(connection, &envelope, ledger, times).await?;
    if ledger.open().is_empty() {
        return if is_asked { take_back(connection, times).await } else { Ok(()) };
    }
    if !is_asked {
        connection.write("DATA", DATA.as_bytes(), times.command).await?;
    }
    let reply = connection.reply("DATA", times.command).await?;
    match reply.code {
        354 => {}
        500..=599 => {
            ledger.note_rest(&refused_whole(&reply, content_status(&reply), ledger.open().len()));
            return Ok(());
        }
        _ => return Err(Trouble::answered("DATA", &reply)),
    }
    let reply = content(connection, mail, ledger, times).await?;
    match reply.code / 100 {
        2 => {
            ledger.note_rest(&Outcome::Delivered);
            connection.note_taken();
        }
        5 => ledger.note_rest(&refused_whole(&reply, content_status(&reply), ledger.open().len())),
        _ => return Err(Trouble::answered("the mail", &reply)),
    }
    Ok(())
}

/// The server was asked for the content, and nobody is left to get it. Where it would take one all the same, it gets none
/// (RFC 2920 section 3.1).
async fn take_back(connection: &mut Connection, times: &Timeouts) -> Result<(), Trouble> {
    if connection.reply("DATA", times.command).await?.code == 354 {
        connection.write("the mail", b".\r\n", times.command).await?;
        connection.reply("the mail", times.command).await?;
    }
    Ok(())
}

/// MAIL, RCPTs and DATA, ahead of their replies when the server offers that (RFC 2920). Recipients that are left open in the
/// ledger were accepted. Answers whether DATA was said: its reply is still to be read.
async fn announce(
    connection: &mut Connection,
    envelope: &Envelope,
    ledger: &mut Ledger,
    times: &Timeouts,
) -> Result<bool, Trouble> {
    let commands: Vec<(Option<usize>, &str)> = std::iter::once((None, envelope.mail.as_str()))
        .chain(envelope.recipients.iter().map(|(place, command)| (Some(*place), command.as_str())))
        .collect();
    let is_ahead = connection.capabilities.pipelining;
    let mut refusal = None;
    let mut groups = commands.chunks(if is_ahead { GROUP } else { 1 }).peekable();
    while let Some(group) = groups.next() {
        let is_asked = is_ahead && groups.peek().is_none();
        let asking = if is_asked { DATA } else { "" };
        let octets: String = group.iter().map(|(_, command)| *command).chain([asking]).collect();
        let what = if group.iter().any(|(place, _)| place.is_none()) { "MAIL" } else { "RCPT" };
        connection.write(what, octets.as_bytes(), times.command).await?;
        for (place, _) in group {
            match place {
                None => refusal = sender(&connection.reply("MAIL", times.command).await?, ledger)?,
                // With MAIL refused, what follows is about nothing.
                Some(_) if refusal.is_some() => drop(connection.reply("RCPT", times.command).await?),
                Some(place) => recipient(&connection.reply("RCPT", times.command).await?, *place, ledger)?,
            }
        }
        if let Some(refusal) = &refusal {
            ledger.note_rest(refusal);
            return Ok(is_asked);
        }
    }
    Ok(is_ahead)
}

/// Judges the answer to MAIL: a refusal is for all recipients.
fn sender(reply: &Reply, ledger: &mut Ledger) -> Result<Option<Outcome>, Trouble> {
    // 421 says that the server is closing: on a connection that has waited, another one may do better.
    if reply.code != 421 {
        ledger.note_mail_answered();
    }
    match reply.code {
        200..=299 => Ok(None),
        // The server wants us to log in first: nothing is wrong with the mail.
        530 | 534 | 535 | 538 => Err(Trouble::answered("MAIL", reply)),
        500..=599 => Ok(Some(refused_whole(reply, if reply.code == 552 { "5.3.4" } else { "5.7.0" }, 0))),
        _ => Err(Trouble::answered("MAIL", reply)),
    }
}

/// Judges the answer to RCPT.
fn recipient(reply: &Reply, place: usize, ledger: &mut Ledger) -> Result<(), Trouble> {
    match reply.code {
        200..=299 => {}
        421 => return Err(Trouble::answered("RCPT", reply)),
        // RFC 5321 section 4.5.3.1.10: older servers say so when there are too many recipients.
        552 if !reply.status().is_some_and(|status| status.starts_with("5.2.")) => {
            ledger.note(place, deferred(reply, ledger));
        }
        500..=599 => ledger.note(place, refused(reply, unsaid(reply))),
        400..=499 => ledger.note(place, deferred(reply, ledger)),
        _ => return Err(Trouble::answered("RCPT", reply)),
    }
    Ok(())
}

/// The status of a server that gives none. What it says of us, and 554, which says nothing of a mailbox, must suppress
/// nobody.
fn unsaid(reply: &Reply) -> &'static str {
    const ABOUT_US: [&str; 12] = [
        "spam",
        "block",
        "blacklist",
        "listed",
        "reputation",
        "relay",
        "policy",
        "your ip",
        "dnsbl",
        "rbl",
        "spf",
        "dmarc",
    ];
    let words = reply.words().to_ascii_lowercase();
    let names_mailbox = matches!(reply.code, 550 | 551 | 553) && !ABOUT_US.iter().any(|word| words.contains(word));
    if names_mailbox { "5.0.0" } else { "5.7.1" }
}

fn deferred(reply: &Reply, ledger: &Ledger) -> Outcome {
    Outcome::Deferred { reason: ledger.words(&Trouble::answered("RCPT", reply)) }
}

/// A refusal of the mail as a whole, that is for so many recipients. Servers put any status there, as `5.1.0` for the
/// sender or `5.0.0` for the content, and an address must not be suppressed by what was said of something else.
fn refused_whole(reply: &Reply, fallback: &str, recipients: usize) -> Outcome {
    let is_meant = |status: &&str| is_of_the_mail(status) || (recipients == 1 && ADDRESS_ONLY.contains(status));
    let status = reply.status().filter(is_meant).unwrap_or(fallback);
    Outcome::Refused { status: status.to_owned(), reply: reply.words() }
}

/// What can only be said of a recipient (RFC 3463): servers that look for the mailbox late say it to the content.
const ADDRESS_ONLY: [&str; 5] = ["5.1.1", "5.1.6", "5.1.10", "5.2.1", "5.2.2"];

/// Whether a status is about the sender, the content, its size, its way or a policy (RFC 3463).
fn is_of_the_mail(status: &str) -> bool {
    status.starts_with("5.6.")
        || status.starts_with("5.7.")
        || ["5.1.7", "5.1.8", "5.2.3", "5.3.4", "5.4.6"].contains(&status)
}

/// The status of a refused content. No address is to blame for it.
fn content_status(reply: &Reply) -> &'static str {
    if reply.code == 552 { "5.3.4" } else { "5.6.0" }
}

/// Sends the content, and reads what the server says to it.
async fn content(
    connection: &mut Connection,
    mail: &OutgoingMail,
    ledger: &mut Ledger,
    times: &Timeouts,
) -> Result<Reply, Trouble> {
    for block in stuffing::blocks(&mail.raw) {
        if mail.recall.is_recalled() {
            // The connection ends here, and a server discards what has no end (RFC 5321, section 4.1.1.4).
            return Err(Trouble::Recalled);
        }
        if let Err(trouble) = connection.write("the mail", &block, times.data_block).await {
            // A server that hangs up in the middle has mostly said why.
            return match connection.reply("the mail", LAST_WORD).await {
                Ok(reply) if !reply.is_positive() => Ok(reply),
                Ok(_) | Err(_) => Err(trouble),
            };
        }
    }
    ledger.note_sent();
    connection.reply("the mail", times.data_end).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_word_on_the_mailbox_is_held_against_it() {
        let table = [
            (550, "No such user here", "5.0.0"),
            (553, "mailbox name not allowed", "5.0.0"),
            (550, "Your IP 192.0.2.1 is listed at Spamhaus", "5.7.1"),
            (550, "rejected by our Policy", "5.7.1"),
            (550, "Relay access denied", "5.7.1"),
            (554, "Transaction failed", "5.7.1"),
            (501, "syntax", "5.7.1"),
        ];
        for (code, words, status) in table {
            let reply = Reply { code, lines: vec![words.to_owned()] };
            assert_eq!(unsaid(&reply), status, "{code} {words}");
        }
    }
}
