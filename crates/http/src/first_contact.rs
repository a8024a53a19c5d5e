//! Whether a message is the first of its sender in its inbox.

use std::collections::BTreeMap;

use inboxd_core::app::App;
use inboxd_core::app::messages::{self, MessageFilter};
use inboxd_core::model::{Caller, Direction, HidingLabels, MessageItem, PageRequest};
use inboxd_mail::Mailbox;

use crate::error::ApiError;

/// Earlier messages that are compared. Few addresses contain another one.
const MAX_COMPARED: u32 = 20;
/// Senders of one result that are looked up; the messages of others do not show the fact.
const MAX_SENDERS: usize = 10;

/// Returns for each message whether its inbox has no earlier mail of the same address.
///
/// `None` stands for sent messages, and where it is not known.
///
/// Mail that the caller may not see, and deleted mail, is not counted.
///
/// # Errors
/// The errors of the read.
pub(crate) async fn first_contacts(
    app: &App,
    caller: &Caller,
    messages: &[MessageItem],
) -> Result<Vec<Option<bool>>, ApiError> {
    let senders: Vec<Option<String>> = messages.iter().map(sender).collect();
    // The oldest message of each sender decides; later ones are no first contact.
    let mut oldest: BTreeMap<&str, &MessageItem> = BTreeMap::new();
    for (message, sender) in messages.iter().zip(&senders) {
        let Some(sender) = sender else { continue };
        let known = oldest.entry(sender).or_insert(message);
        if message.timestamp < known.timestamp {
            *known = message;
        }
    }
    let mut found: BTreeMap<&str, (&MessageItem, Option<bool>)> = BTreeMap::new();
    for (sender, message) in oldest.into_iter().take(MAX_SENDERS) {
        found.insert(sender, (message, is_first(app, caller, message, sender).await?));
    }
    let of = |(message, sender): (&MessageItem, &Option<String>)| {
        let (oldest, is_first) = found.get(sender.as_deref()?)?;
        is_first.map(|is_first| is_first && oldest.message_id == message.message_id)
    };
    Ok(messages.iter().zip(&senders).map(of).collect())
}

/// Returns the address of the sender of a received message, in lower case.
fn sender(item: &MessageItem) -> Option<String> {
    item.labels.contains("received").then(|| address(&item.from)).flatten()
}

fn address(from: &str) -> Option<String> {
    let mailbox: Mailbox = from.parse().ok()?;
    Some(mailbox.address.to_string().to_lowercase())
}

/// Returns whether no earlier message of the address exists; `None` where too many similar ones had to be compared.
async fn is_first(app: &App, caller: &Caller, message: &MessageItem, sender: &str) -> Result<Option<bool>, ApiError> {
    let filter = MessageFilter {
        labels: vec!["received".to_owned()],
        before: Some(message.timestamp),
        from: vec![sender.to_owned()],
        include: HidingLabels::ALL,
        page: PageRequest { limit: MAX_COMPARED, after: None, direction: Direction::Descending },
        ..MessageFilter::default()
    };
    let page = messages::list(app, caller, &message.inbox_id, filter).await?;
    if page.items.iter().any(|earlier| address(&earlier.from).as_deref() == Some(sender)) {
        return Ok(Some(false));
    }
    Ok(page.next.is_none().then_some(true))
}
