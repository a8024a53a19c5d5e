//! SMTP session with one client over any stream.

use std::net::IpAddr;

use tokio::sync::watch;
use tokio::time::Instant;

use super::command::{self, ParseError, SmtpCommand};
use super::connection_limits::ConnectionPermit;
use super::refusals::Envelope;
use super::reply::Reply;
use super::state::{ServerContext, SessionState};
use super::wire::{ClientWire, CommandLine, MAX_LINE_BYTES, ReadError, SessionStream, WireLimits};
use super::{bdat, data, ehlo, mail, noop_help_vrfy, rcpt, rset, starttls};

/// Size from which an accepted chunk is progress of a message, and no command without one: RFC 3030 limits the chunks of a
/// message neither in number nor to a least size.
const MIN_PROGRESS_CHUNK_BYTES: usize = 1024;

/// Runs the session to its end.
pub(super) async fn run<S: SessionStream>(
    stream: S,
    client_ip: IpAddr,
    server: &ServerContext,
    permit: ConnectionPermit,
    stop: watch::Receiver<bool>,
) {
    let limits = WireLimits {
        session_ends: Instant::now() + server.options.timeouts.session,
        timeouts: server.options.timeouts,
        min_transfer_rate: server.options.min_transfer_rate,
        budget: server.budget.clone(),
    };
    let mut wire = ClientWire::new(stream, limits.clone(), &permit, stop.clone());
    wire.reply(&Reply::Greeting { hostname: server.options.hostname.clone() });
    let Some(plain) = run_commands(wire, SessionState::new(client_ip, false), server).await else {
        return;
    };
    let Some(secure) = starttls::handshake(plain, server, &permit).await else {
        return;
    };
    // Earlier commands are void under TLS (RFC 3207, section 4.2), and TLS is not offered again.
    let wire = ClientWire::new(secure, limits, &permit, stop);
    run_commands(wire, SessionState::new(client_ip, true), server).await;
}

/// Step after a command.
enum SessionStep {
    Reply(Reply),
    Close(Reply),
    StartTls,
}

/// Executes commands until the session ends or TLS starts. Returns the stream for TLS.
async fn run_commands<S: SessionStream>(
    mut wire: ClientWire<'_, S>,
    mut state: SessionState,
    server: &ServerContext,
) -> Option<S> {
    let farewell = loop {
        let step = match wire.read_command().await {
            Ok(line) => execute(&mut wire, &mut state, server, line).await,
            Err(error) => Err(error),
        };
        match step {
            Ok(SessionStep::Reply(reply)) => {
                wire.reply(&reply);
                server.options.metrics.count_reply(&reply);
                wire.note_progress(&state, &reply);
                if let Some(last) = limit_exceeded(&mut state, server, &reply) {
                    break last;
                }
            }
            Ok(SessionStep::Close(reply)) => break reply,
            Ok(SessionStep::StartTls) => {
                wire.reply(&Reply::StartTls);
                return wire.flush().await.is_ok().then(|| wire.into_stream());
            }
            Err(ReadError::Disconnected) => return None,
            Err(ReadError::Idle) => break Reply::Idle,
            Err(ReadError::SessionTimeout) => break Reply::SessionTimeout,
            Err(ReadError::ShuttingDown) => break Reply::ShuttingDown,
            Err(ReadError::TooSlow) => {
                if let Some(envelope) = Envelope::of(&state) {
                    envelope.note_content(&state, server, &Reply::TooSlow);
                }
                break Reply::TooSlow;
            }
            Err(ReadError::Yielded) => {
                wire.reply(&Reply::Yielded);
                server.options.metrics.count_reply(&Reply::Yielded);
                wire.close_at_once().await;
                return None;
            }
        }
    };
    wire.reply(&farewell);
    server.options.metrics.count_reply(&farewell);
    wire.close().await;
    None
}

async fn execute<S: SessionStream>(
    wire: &mut ClientWire<'_, S>,
    state: &mut SessionState,
    server: &ServerContext,
    line: CommandLine,
) -> Result<SessionStep, ReadError> {
    let text = match line {
        CommandLine::Text(text) => text,
        CommandLine::TooLong => return Ok(SessionStep::Reply(Reply::LineTooLong { limit: MAX_LINE_BYTES })),
        CommandLine::BareLineEnd => return Ok(SessionStep::Reply(Reply::BareLineEnd)),
    };
    let command = match command::parse(&text) {
        Ok(command) => command,
        Err(ParseError::Syntax(reply)) => return Ok(SessionStep::Reply(reply)),
        Err(ParseError::OutOfSync(reply)) => return Ok(SessionStep::Close(reply)),
        Err(ParseError::Http) => return Ok(SessionStep::Close(Reply::NotSmtp)),
    };
    if server.requires_tls && !state.is_secure && !may_precede_tls(&command) {
        // The bytes after BDAT are not commands.
        let is_followed = matches!(command, SmtpCommand::Bdat { .. });
        return Ok(if is_followed {
            SessionStep::Close(Reply::TlsRequired)
        } else {
            SessionStep::Reply(Reply::TlsRequired)
        });
    }
    let reply = match command {
        SmtpCommand::Ehlo { client } => ehlo::ehlo(state, server, client),
        SmtpCommand::Helo { client } => ehlo::helo(state, server, client),
        SmtpCommand::Mail(path) => mail::handle(state, server, &path),
        SmtpCommand::Rcpt(path) => rcpt::handle(state, server, &path).await,
        SmtpCommand::Data => data::handle(wire, state, server).await?,
        SmtpCommand::Bdat { size, last } => bdat::handle(wire, state, server, size, last).await?,
        SmtpCommand::Rset => rset::handle(state),
        SmtpCommand::Noop => noop_help_vrfy::noop(),
        SmtpCommand::Vrfy => noop_help_vrfy::verify(),
        SmtpCommand::Help => noop_help_vrfy::help(),
        SmtpCommand::NotOffered { verb } => noop_help_vrfy::not_offered(verb),
        SmtpCommand::Quit => return Ok(SessionStep::Close(Reply::Goodbye)),
        SmtpCommand::StartTls => match starttls::validate_start(state, server) {
            Ok(()) => return Ok(SessionStep::StartTls),
            Err(reply) => reply,
        },
    };
    Ok(SessionStep::Reply(reply))
}

/// Returns whether a command is permitted before TLS where TLS is required (RFC 3207, section 4).
fn may_precede_tls(command: &SmtpCommand<'_>) -> bool {
    matches!(
        command,
        SmtpCommand::Ehlo { .. }
            | SmtpCommand::StartTls
            | SmtpCommand::Noop
            | SmtpCommand::Help
            | SmtpCommand::Rset
            | SmtpCommand::Quit
    )
}

/// Counts a command and returns the final reply once a limit is exceeded.
fn limit_exceeded(state: &mut SessionState, server: &ServerContext, reply: &Reply) -> Option<Reply> {
    if reply.is_fault() {
        state.faults += 1;
    }
    state.commands = match reply {
        Reply::Chunk { bytes } if *bytes >= MIN_PROGRESS_CHUNK_BYTES => state.commands,
        reply if reply.is_acceptance() => 0,
        _ => state.commands + 1,
    };
    if state.commands >= server.options.max_commands {
        return Some(Reply::TooManyCommands);
    }
    if state.faults >= server.options.max_faults {
        return Some(Reply::TooManyFaults);
    }
    (state.unknown_recipients >= server.options.max_unknown_recipients).then_some(Reply::TooManyUnknown)
}
