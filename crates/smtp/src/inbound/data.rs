//! DATA (RFC 5321 section 4.1.1.4).

use super::dots::Dots;
use super::reply::Reply;
use super::state::{Hall, State};
use super::store;
use super::wire::{Broken, Stream, Wire};

/// Reads the content to its end, however much of it there is, then has it stored.
pub(super) async fn answer<S: Stream>(wire: &mut Wire<'_, S>, state: &mut State, hall: &Hall) -> Result<Reply, Broken> {
    if let Some(refusal) = refuse(state) {
        return Ok(refusal);
    }
    wire.reply(&Reply::SendContent);
    let mut content = hall.content(state);
    let mut dots = Dots::new();
    loop {
        let block = wire.block().await?;
        let length = block.len();
        let end = dots.feed(block, &mut content);
        wire.consume(end.unwrap_or(length));
        content.settle().await;
        if end.is_some() {
            break;
        }
    }
    Ok(store::finish(state, hall, content).await)
}

fn refuse(state: &State) -> Option<Reply> {
    match &state.transaction {
        None => Some(Reply::Sequence { cause: "no mail has been begun; send MAIL first" }),
        Some(mail) if mail.chunks.is_some() => {
            Some(Reply::Sequence { cause: "BDAT has begun to bring the mail; go on with it, or send RSET" })
        }
        Some(mail) if mail.recipients.is_empty() => Some(Reply::NoRecipients),
        Some(_) => None,
    }
}
