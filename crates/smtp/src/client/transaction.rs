//! Mail transaction: MAIL, RCPT for each recipient, DATA (RFC 5321, section 3.3).

use std::time::Duration;

use inboxd_core::model::DeliveryOutcome;
use inboxd_core::ports::OutgoingMail;
use inboxd_mail::refusal_status;

use super::ClientTimeouts;
use super::connection::ClientConnection;
use super::dot_stuffing;
use super::envelope::{self, SmtpEnvelope};
use super::recipient_outcomes::{RecipientOutcomes, refused_by_server};
use super::reply::ServerReply;
use super::session_error::SessionError;

/// Number of commands sent ahead of their replies. All replies must fit into the socket buffer.
const MAX_PIPELINED_COMMANDS: usize = 100;

/// DATA command with its CRLF.
const DATA_COMMAND: &str = "DATA\r\n";

/// Limit for a final reply after the server closed during the content.
const FINAL_REPLY_TIMEOUT: Duration = Duration::from_secs(2);

/// Sends a message as far as the server accepts it. After an error, the undecided recipients are deferred.
///
/// # Errors
/// [`SessionError`] when the session breaks or the server defers.
pub(crate) async fn send(
    connection: &mut ClientConnection,
    mail: &OutgoingMail,
    outcomes: &mut RecipientOutcomes,
    times: &ClientTimeouts,
) -> Result<(), SessionError> {
    if mail.recall.is_recalled() {
        // Prevents an attempt with another host.
        outcomes.mark_mail_answered();
        return Err(SessionError::Recalled);
    }
    outcomes.mark_started(connection.tls);
    let Some(envelope) = envelope::build(mail, &connection.capabilities, outcomes) else {
        return Ok(());
    };
    let is_data_sent = send_envelope(connection, &envelope, outcomes, times).await?;
    if outcomes.undecided().is_empty() {
        return if is_data_sent { abort_data(connection, times).await } else { Ok(()) };
    }
    if !is_data_sent {
        connection.write("DATA", DATA_COMMAND.as_bytes(), times.command).await?;
    }
    let reply = connection.reply("DATA", times.command).await?;
    match reply.code {
        354 => {}
        500..=599 => {
            outcomes.record_remaining(&refuse_message(&reply, content_status(&reply), outcomes.undecided().len()));
            return Ok(());
        }
        _ => return Err(SessionError::rejected("DATA", &reply)),
    }
    let reply = send_content(connection, mail, outcomes, times).await?;
    match reply.code / 100 {
        2 => {
            outcomes.record_accepted(&reply);
            connection.mark_accepted();
        }
        5 => outcomes.record_remaining(&refuse_message(&reply, content_status(&reply), outcomes.undecided().len())),
        _ => return Err(SessionError::rejected("the content", &reply)),
    }
    Ok(())
}

/// Ends a DATA command that has no accepted recipients. If the server still requests content, it receives an empty one
/// (RFC 2920, section 3.1).
async fn abort_data(connection: &mut ClientConnection, times: &ClientTimeouts) -> Result<(), SessionError> {
    if connection.reply("DATA", times.command).await?.code == 354 {
        connection.write("the content", b".\r\n", times.command).await?;
        connection.reply("the content", times.command).await?;
    }
    Ok(())
}

/// Sends MAIL, RCPT and DATA, pipelined when the server permits it (RFC 2920).
///
/// Recipients that stay undecided were accepted. Returns whether DATA was sent; its reply is still unread.
async fn send_envelope(
    connection: &mut ClientConnection,
    envelope: &SmtpEnvelope,
    outcomes: &mut RecipientOutcomes,
    times: &ClientTimeouts,
) -> Result<bool, SessionError> {
    let commands: Vec<(Option<usize>, &str)> = std::iter::once((None, envelope.mail.as_str()))
        .chain(envelope.recipients.iter().map(|(position, command)| (Some(*position), command.as_str())))
        .collect();
    let is_pipelined = connection.capabilities.pipelining;
    let mut refusal = None;
    let mut groups = commands.chunks(if is_pipelined { MAX_PIPELINED_COMMANDS } else { 1 }).peekable();
    while let Some(group) = groups.next() {
        let is_data_sent = is_pipelined && groups.peek().is_none();
        let data_command = if is_data_sent { DATA_COMMAND } else { "" };
        let bytes: String = group.iter().map(|(_, command)| *command).chain([data_command]).collect();
        let stage = if group.iter().any(|(position, _)| position.is_none()) { "MAIL" } else { "RCPT" };
        connection.write(stage, bytes.as_bytes(), times.command).await?;
        for (position, _) in group {
            match position {
                None => refusal = evaluate_mail_reply(&connection.reply("MAIL", times.command).await?, outcomes)?,
                // After a refused MAIL, the replies to RCPT mean nothing.
                Some(_) if refusal.is_some() => drop(connection.reply("RCPT", times.command).await?),
                Some(position) => {
                    evaluate_rcpt_reply(&connection.reply("RCPT", times.command).await?, *position, outcomes)?;
                }
            }
        }
        if let Some(refusal) = &refusal {
            outcomes.record_remaining(refusal);
            return Ok(is_data_sent);
        }
    }
    Ok(is_pipelined)
}

/// Evaluates the reply to MAIL. A refusal applies to all recipients.
fn evaluate_mail_reply(
    reply: &ServerReply,
    outcomes: &mut RecipientOutcomes,
) -> Result<Option<DeliveryOutcome>, SessionError> {
    // 421 means that the server closes. After an idle connection, a new one may succeed.
    if reply.code != 421 {
        outcomes.mark_mail_answered();
    }
    match reply.code {
        200..=299 => Ok(None),
        // The server requires authentication, which is no fault of the message.
        530 | 534 | 535 | 538 => Err(SessionError::rejected("MAIL", reply)),
        500..=599 => Ok(Some(refuse_message(reply, if reply.code == 552 { "5.3.4" } else { "5.7.0" }, 0))),
        _ => Err(SessionError::rejected("MAIL", reply)),
    }
}

/// Evaluates the reply to RCPT.
fn evaluate_rcpt_reply(
    reply: &ServerReply,
    position: usize,
    outcomes: &mut RecipientOutcomes,
) -> Result<(), SessionError> {
    match reply.code {
        200..=299 => {}
        421 => return Err(SessionError::rejected("RCPT", reply)),
        // Older servers use 552 for too many recipients (RFC 5321, section 4.5.3.1.10).
        552 if !reply.status().is_some_and(|status| status.starts_with("5.2.")) => {
            outcomes.record(position, defer_recipient(reply, outcomes));
        }
        500..=599 => {
            let fallback = refusal_status(reply.code, &reply.to_text());
            outcomes.record(position, refused_by_server(reply, fallback));
        }
        400..=499 => outcomes.record(position, defer_recipient(reply, outcomes)),
        _ => return Err(SessionError::rejected("RCPT", reply)),
    }
    Ok(())
}

fn defer_recipient(reply: &ServerReply, outcomes: &RecipientOutcomes) -> DeliveryOutcome {
    DeliveryOutcome::Deferred { reason: outcomes.describe(&SessionError::rejected("RCPT", reply)) }
}

/// Refuses the message for so many recipients.
///
/// Servers send any status here, such as `5.1.0` for the sender or `5.0.0` for the content. Such a status must not
/// suppress an address.
fn refuse_message(reply: &ServerReply, fallback: &str, recipients: usize) -> DeliveryOutcome {
    let is_applicable = |status: &&str| concerns_message(status) || (recipients == 1 && ADDRESS_ONLY.contains(status));
    let status = reply.status().filter(is_applicable).unwrap_or(fallback);
    DeliveryOutcome::Refused { status: status.to_owned(), reply: reply.to_text() }
}

/// Statuses that concern a recipient only (RFC 3463). Servers with a late mailbox lookup send them after the content.
const ADDRESS_ONLY: [&str; 5] = ["5.1.1", "5.1.6", "5.1.10", "5.2.1", "5.2.2"];

/// Returns whether a status concerns the sender, the content, its size, its route or a policy (RFC 3463).
fn concerns_message(status: &str) -> bool {
    status.starts_with("5.6.")
        || status.starts_with("5.7.")
        || ["5.1.7", "5.1.8", "5.2.3", "5.3.4", "5.4.6"].contains(&status)
}

/// Returns the status of a refused content, which no address caused.
fn content_status(reply: &ServerReply) -> &'static str {
    if reply.code == 552 { "5.3.4" } else { "5.6.0" }
}

/// Sends the content and reads the reply.
async fn send_content(
    connection: &mut ClientConnection,
    mail: &OutgoingMail,
    outcomes: &mut RecipientOutcomes,
    times: &ClientTimeouts,
) -> Result<ServerReply, SessionError> {
    for block in dot_stuffing::blocks(&mail.raw) {
        if mail.recall.is_recalled() {
            // The connection closes here, and the server discards content without an end (RFC 5321, section 4.1.1.4).
            return Err(SessionError::Recalled);
        }
        if let Err(error) = connection.write("the content", &block, times.data_block).await {
            // A server that closes during the content has usually sent a reason.
            return match connection.reply("the content", FINAL_REPLY_TIMEOUT).await {
                Ok(reply) if !reply.is_positive() => Ok(reply),
                Ok(_) | Err(_) => Err(error),
            };
        }
    }
    outcomes.mark_content_sent();
    connection.reply("the content", times.data_end).await
}
