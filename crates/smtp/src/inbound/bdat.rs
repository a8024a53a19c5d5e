//! BDAT command (RFC 3030, section 2).

use super::content::ContentBuffer;
use super::refusals::Envelope;
use super::reply::Reply;
use super::state::{ServerContext, SessionState};
use super::store;
use super::wire::{ClientWire, ReadError, SessionStream};

/// Reads a chunk. Its bytes follow the command at once, so they are read even if the chunk is refused.
pub(super) async fn handle<S: SessionStream>(
    wire: &mut ClientWire<'_, S>,
    state: &mut SessionState,
    server: &ServerContext,
    size: u64,
    last: bool,
) -> Result<Reply, ReadError> {
    let mut content = match take_content(state, server) {
        Ok(content) => content,
        Err(refusal) => {
            read_chunk(wire, size, None).await?;
            return Ok(refusal);
        }
    };
    read_chunk(wire, size, Some(&mut content)).await?;
    if last {
        return Ok(store::finish(state, server, content).await);
    }
    if let Some(fault) = content.fault() {
        let reply = fault.reply(server.options.max_message_bytes);
        if let Some(envelope) = Envelope::of(state) {
            envelope.note_content(state, server, &reply);
        }
        // A refused chunk fails the whole message, so later chunks find no transaction.
        state.transaction = None;
        return Ok(reply);
    }
    if let Some(mail) = &mut state.transaction {
        mail.chunks = Some(content);
    }
    Ok(Reply::Chunk { bytes: usize::try_from(size).unwrap_or(usize::MAX) })
}

/// Takes the content to which the chunk belongs.
fn take_content(state: &mut SessionState, server: &ServerContext) -> Result<ContentBuffer, Reply> {
    let Some(mail) = &mut state.transaction else {
        return Err(Reply::Sequence { cause: "no mail transaction, or a chunk was refused; send MAIL first" });
    };
    if mail.recipients.is_empty() {
        return Err(Reply::NoRecipients);
    }
    let content = mail.chunks.take();
    Ok(content.unwrap_or_else(|| server.content(state)))
}

async fn read_chunk<S: SessionStream>(
    wire: &mut ClientWire<'_, S>,
    size: u64,
    mut content: Option<&mut ContentBuffer>,
) -> Result<(), ReadError> {
    let mut left = size;
    while left > 0 {
        let block = wire.read_block().await?;
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
        if let Some(content) = &mut content {
            content.push(&block[..length]);
            content.settle().await;
        }
        wire.consume(length);
        left -= length as u64;
    }
    Ok(())
}
