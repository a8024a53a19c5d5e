//! BDAT (RFC 3030 section 2).

use super::content::Content;
use super::reply::Reply;
use super::state::{Hall, State};
use super::store;
use super::wire::{Broken, Stream, Wire};

/// Reads a chunk. Its octets follow the command at once, so they are read even when there is no use for them.
pub(super) async fn answer<S: Stream>(
    wire: &mut Wire<'_, S>,
    state: &mut State,
    hall: &Hall,
    size: u64,
    last: bool,
) -> Result<Reply, Broken> {
    let mut content = match begin(state, hall) {
        Ok(content) => content,
        Err(refusal) => {
            read(wire, size, None).await?;
            return Ok(refusal);
        }
    };
    read(wire, size, Some(&mut content)).await?;
    if last {
        return Ok(store::finish(state, hall, content).await);
    }
    if let Some(fault) = content.fault() {
        // With a chunk the whole mail has failed; the chunks yet to come find none.
        state.transaction = None;
        return Ok(fault.reply(hall.options.max_message_bytes));
    }
    if let Some(mail) = &mut state.transaction {
        mail.chunks = Some(content);
    }
    Ok(Reply::Chunk { octets: usize::try_from(size).unwrap_or(usize::MAX) })
}

/// The content that the chunk belongs to.
fn begin(state: &mut State, hall: &Hall) -> Result<Content, Reply> {
    let Some(mail) = &mut state.transaction else {
        return Err(Reply::Sequence { cause: "no mail has been begun, or a chunk of it was refused; send MAIL first" });
    };
    if mail.recipients.is_empty() {
        return Err(Reply::NoRecipients);
    }
    let content = mail.chunks.take();
    Ok(content.unwrap_or_else(|| hall.content(state)))
}

async fn read<S: Stream>(wire: &mut Wire<'_, S>, size: u64, mut content: Option<&mut Content>) -> Result<(), Broken> {
    let mut left = size;
    while left > 0 {
        let block = wire.block().await?;
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
