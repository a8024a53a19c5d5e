//! DATA command (RFC 5321, section 4.1.1.4).

use super::dot_unstuffing::DotUnstuffing;
use super::reply::Reply;
use super::state::{ServerContext, SessionState};
use super::store;
use super::wire::{ClientWire, ReadError, SessionStream};

/// Reads the content to its end, of any size, and has it stored.
pub(super) async fn handle<S: SessionStream>(
    wire: &mut ClientWire<'_, S>,
    state: &mut SessionState,
    server: &ServerContext,
) -> Result<Reply, ReadError> {
    if let Some(refusal) = find_refusal(state) {
        return Ok(refusal);
    }
    wire.reply(&Reply::SendContent);
    let mut content = server.content(state);
    let mut unstuffing = DotUnstuffing::new();
    loop {
        let block = wire.read_block().await?;
        let length = block.len();
        let end = unstuffing.feed(block, &mut content);
        wire.consume(end.unwrap_or(length));
        content.settle().await;
        if end.is_some() {
            break;
        }
    }
    Ok(store::finish(state, server, content).await)
}

fn find_refusal(state: &SessionState) -> Option<Reply> {
    match &state.transaction {
        None => Some(Reply::Sequence { cause: "no mail transaction; send MAIL first" }),
        Some(mail) if mail.chunks.is_some() => {
            Some(Reply::Sequence { cause: "the content began with BDAT; continue with BDAT, or send RSET" })
        }
        Some(mail) if mail.recipients.is_empty() => Some(Reply::NoRecipients),
        Some(_) => None,
    }
}
