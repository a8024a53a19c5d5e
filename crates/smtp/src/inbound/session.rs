//! One conversation with one client, over any stream.

use std::net::IpAddr;

use tokio::sync::watch;
use tokio::time::Instant;

use super::command::{self, Command, Misread};
use super::connections::ConnectionPermit;
use super::reply::Reply;
use super::state::{Hall, State};
use super::wire::{Broken, LONGEST_LINE, Line, Stream, Wire, WireLimits};
use super::{bdat, data, ehlo, information, mail, rcpt, rset, starttls};

/// Holds the conversation to its end.
pub(super) async fn run<S: Stream>(
    stream: S,
    client_ip: IpAddr,
    hall: &Hall,
    permit: ConnectionPermit,
    stop: watch::Receiver<bool>,
) {
    let limits = WireLimits {
        session_ends: Instant::now() + hall.options.timeouts.session,
        timeouts: hall.options.timeouts,
        min_transfer_rate: hall.options.min_transfer_rate,
        budget: hall.budget.clone(),
    };
    let mut wire = Wire::new(stream, limits.clone(), &permit, stop.clone());
    wire.reply(&Reply::Greeting { hostname: hall.options.hostname.clone() });
    let Some(plain) = converse(wire, State::new(client_ip, false), hall).await else {
        return;
    };
    let Some(secure) = starttls::handshake(plain, hall, &permit).await else {
        return;
    };
    // Nothing that was said before counts under TLS (RFC 3207 section 4.2), and TLS is not offered a second time.
    let wire = Wire::new(secure, limits, &permit, stop);
    converse(wire, State::new(client_ip, true), hall).await;
}

/// What follows a command.
enum Step {
    Reply(Reply),
    Close(Reply),
    StartTls,
}

/// Answers commands until the end, or until TLS is to begin: then the stream comes back.
async fn converse<S: Stream>(mut wire: Wire<'_, S>, mut state: State, hall: &Hall) -> Option<S> {
    let farewell = loop {
        let step = match wire.line().await {
            Ok(line) => answer(&mut wire, &mut state, hall, line).await,
            Err(broken) => Err(broken),
        };
        match step {
            Ok(Step::Reply(reply)) => {
                wire.reply(&reply);
                wire.note_progress(&state, &reply);
                if let Some(last) = enough(&mut state, hall, &reply) {
                    break last;
                }
            }
            Ok(Step::Close(reply)) => break reply,
            Ok(Step::StartTls) => {
                wire.reply(&Reply::StartTls);
                return wire.flush().await.is_ok().then(|| wire.into_stream());
            }
            Err(Broken::Gone) => return None,
            Err(Broken::Idle) => break Reply::Idle,
            Err(Broken::SessionOver) => break Reply::SessionOver,
            Err(Broken::ShuttingDown) => break Reply::ShuttingDown,
            Err(Broken::TooSlow) => break Reply::TooSlow,
            Err(Broken::Yielded) => {
                wire.reply(&Reply::Yielded);
                wire.close_at_once().await;
                return None;
            }
        }
    };
    wire.reply(&farewell);
    wire.close().await;
    None
}

async fn answer<S: Stream>(wire: &mut Wire<'_, S>, state: &mut State, hall: &Hall, line: Line) -> Result<Step, Broken> {
    let text = match line {
        Line::Text(text) => text,
        Line::TooLong => return Ok(Step::Reply(Reply::LineTooLong { limit: LONGEST_LINE })),
        Line::BareLineEnd => return Ok(Step::Reply(Reply::BareLineEnd)),
    };
    let command = match command::parse(&text) {
        Ok(command) => command,
        Err(Misread::Fault(reply)) => return Ok(Step::Reply(reply)),
        Err(Misread::LostTrack(reply)) => return Ok(Step::Close(reply)),
        Err(Misread::Http) => return Ok(Step::Close(Reply::NotSmtp)),
    };
    if hall.requires_tls && !state.secure && !may_precede_tls(&command) {
        // Behind BDAT stand octets that are no commands.
        let is_followed = matches!(command, Command::Bdat { .. });
        return Ok(if is_followed { Step::Close(Reply::TlsRequired) } else { Step::Reply(Reply::TlsRequired) });
    }
    let reply = match command {
        Command::Ehlo { client } => ehlo::ehlo(state, hall, client),
        Command::Helo { client } => ehlo::helo(state, hall, client),
        Command::Mail(path) => mail::answer(state, hall, &path),
        Command::Rcpt(path) => rcpt::answer(state, hall, &path).await,
        Command::Data => data::answer(wire, state, hall).await?,
        Command::Bdat { size, last } => bdat::answer(wire, state, hall, size, last).await?,
        Command::Rset => rset::answer(state),
        Command::Noop => information::noop(),
        Command::Vrfy => information::verify(),
        Command::Help => information::help(),
        Command::NotOffered { verb } => information::not_offered(verb),
        Command::Quit => return Ok(Step::Close(Reply::Goodbye)),
        Command::StartTls => match starttls::answer(state, hall) {
            Ok(()) => return Ok(Step::StartTls),
            Err(reply) => reply,
        },
    };
    Ok(Step::Reply(reply))
}

/// What a client may say where TLS is required, before it is on (RFC 3207, section 4).
fn may_precede_tls(command: &Command<'_>) -> bool {
    matches!(
        command,
        Command::Ehlo { .. } | Command::StartTls | Command::Noop | Command::Help | Command::Rset | Command::Quit
    )
}

/// Whether the client has said enough that makes no sense.
fn enough(state: &mut State, hall: &Hall, reply: &Reply) -> Option<Reply> {
    if reply.is_fault() {
        state.faults += 1;
    }
    state.commands = if matches!(reply, Reply::Stored) { 0 } else { state.commands + 1 };
    if state.commands >= hall.options.max_commands {
        return Some(Reply::TooManyCommands);
    }
    if state.faults >= hall.options.max_faults {
        return Some(Reply::TooManyFaults);
    }
    (state.unknown_recipients >= hall.options.max_unknown_recipients).then_some(Reply::TooManyUnknown)
}
