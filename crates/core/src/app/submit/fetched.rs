//! Attachments by URL, fetched within the quotas and within budgets of bytes and messages.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::caps::Caps;
use super::content::ContentFacts;
use super::policy::{BatchPolicies, CodeReads, Judged};
use crate::app::letter::{AttachmentSource, LetterAttachment};
use crate::app::{App, BudgetReached, ByteBudget, ByteShare};
use crate::model::{Actor, Caller, Inbox, OrganizationId, Permission, ThreadId};
use crate::ports::{ByteMeter, FetchError, Fetched};
use crate::rules::access;
use crate::rules::sending_policy::{Decision, decide, describe, recipient_of_url};
use crate::{Error, PolicyError};

/// Maximum of bytes of fetched attachments and stored files in memory, for all organizations.
const MAX_BYTES: usize = 160 * 1024 * 1024;
/// Maximum of messages of one organization with running fetches.
const MAX_MESSAGES_EACH: usize = 4;
const MAX_MESSAGES: usize = 32;

/// Budgets of running fetches, shared by all organizations.
pub(in crate::app) struct Fetches {
    bytes: ByteBudget<OrganizationId>,
    messages: ByteBudget<OrganizationId>,
}

impl Default for Fetches {
    fn default() -> Self {
        Self { bytes: ByteBudget::new(MAX_BYTES, 0), messages: ByteBudget::new(MAX_MESSAGES, 0) }
    }
}

/// Purpose of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum FetchPurpose {
    /// A message to send, which counts for every quota.
    Send,
    /// A draft, which counts as storage.
    Draft,
}

/// Shares of the budgets that the attachments of one message hold until the content is stored.
#[derive(Default)]
pub(in crate::app) struct FetchShare(pub(super) Vec<ByteShare<OrganizationId>>);

/// Counter of the bytes of one message while they arrive.
struct Meter {
    share: Arc<Mutex<Metered>>,
    limit: usize,
}

struct Metered {
    bytes: ByteShare<OrganizationId>,
    counted: usize,
    reached: Option<BudgetReached>,
}

/// A fetch of attachments: by which author and for which message.
#[derive(Clone, Copy)]
pub(in crate::app) struct FetchOrder<'a> {
    /// Caller, whose rights decide about stored files.
    pub(in crate::app) caller: &'a Caller,
    /// Author of the message.
    pub(in crate::app) author: &'a Actor,
    pub(in crate::app) inbox: &'a Inbox,
    pub(in crate::app) purpose: FetchPurpose,
    /// Field of the request with the attachments.
    pub(in crate::app) field: &'a str,
    /// Thread that the message continues.
    pub(in crate::app) thread_id: Option<ThreadId>,
}

/// Returns the received mail whose codes count in an answer that costs its caller nothing: mail that the caller may read.
/// Otherwise repeated requests would find out the codes of others.
pub(super) fn free_reads(caller: &Caller) -> CodeReads {
    access::holds(caller, Permission::MessageRead).then(|| access::readable(caller))
}

/// Refuses attachments by URL that the policies do not let leave, before they are fetched. Refusals count as dry runs: they
/// cost nothing either. One URL has room for many codes, so here too the codes count that the caller may read.
///
/// # Errors
/// As [`require_permitted`], and [`PolicyError::FreeVerdictLimitReached`].
pub(super) async fn require_fetchable(
    app: &App,
    order: &FetchOrder<'_>,
    attachments: &[LetterAttachment],
) -> Result<(), Error> {
    let permitted = require_permitted(app, order, attachments, free_reads(order.caller)).await;
    if matches!(permitted, Err(Error::Policy(_) | Error::Invalid(_))) {
        app.waiting.free_verdicts.count(&order.inbox.inbox_id, app.clock.now())?;
    }
    permitted
}

/// Refuses attachments by URL that the policies do not let leave at once. A request to a URL carries the text of the URL to
/// its host. So the URLs are judged as a message of their own, with the hosts as recipients.
///
/// # Errors
/// [`PolicyError::Refused`], and [`Error::Invalid`] for URLs that would be held, for those of a draft and for a URL without
/// a host.
pub(super) async fn require_permitted(
    app: &App,
    order: &FetchOrder<'_>,
    attachments: &[LetterAttachment],
    reads: CodeReads,
) -> Result<(), Error> {
    let FetchOrder { caller, author, inbox, purpose, field, thread_id } = *order;
    let (mut urls, mut hosts, mut first) = (Vec::new(), Vec::new(), None);
    for (place, attachment) in attachments.iter().enumerate() {
        let AttachmentSource::Url(url) = &attachment.source else { continue };
        let path = format!("{field}[{place}].url");
        let Some(host) = recipient_of_url(url) else {
            return Err(Error::invalid(path, "names no host; give a URL such as https://files.example/report.pdf"));
        };
        urls.push(url.clone());
        hosts.push(host);
        first.get_or_insert(path);
    }
    let Some(path) = first else { return Ok(()) };
    let content = ContentFacts::of_urls(&urls);
    let fetch =
        Judged { inbox, actor: author, recipients: &hosts, content: &content, thread_id, reads, leaves_at: None };
    // The unit of work changes nothing and is rolled back when it is dropped.
    let mut tx = app.store.begin().await?;
    let policies = BatchPolicies::read(tx.as_mut(), &[fetch]).await?;
    policies.require_live_key(author, &caller.actor)?;
    match decide(policies.verdicts(app, tx.as_mut(), &fetch, app.clock.now()).await?) {
        Decision::Allow => Ok(()),
        Decision::Refuse(rule) if purpose == FetchPurpose::Send => Err(PolicyError::Refused(Box::new(rule)).into()),
        Decision::Hold(rule) | Decision::Refuse(rule) => {
            let rule = describe(&rule);
            let message = format!("is not fetched without an approval: {rule}; give the content of the file instead");
            Err(Error::invalid(path, message))
        }
    }
}

/// Fetches the URLs of one message, with at most `together` bytes in total. An organization that has reached a quota is
/// refused before any fetch.
pub(super) async fn fetch(
    app: &App,
    organization_id: OrganizationId,
    purpose: FetchPurpose,
    urls: &[String],
    largest: usize,
    together: usize,
) -> Result<(Vec<Result<Fetched, FetchError>>, FetchShare), Error> {
    let limits = &app.waiting.fetches;
    let mut message = limits.messages.share(vec![(organization_id, MAX_MESSAGES_EACH)]);
    message.grow(1, false).map_err(busy)?;
    require_quota(app, organization_id, purpose).await?;
    let bytes = byte_share(app, organization_id);
    let share = Arc::new(Mutex::new(Metered { bytes, counted: 0, reached: None }));
    let meter = Meter { share: Arc::clone(&share), limit: together };
    let fetched = app.fetch.get_all(urls, largest.min(together), &meter).await;
    drop(meter);
    let metered = Arc::into_inner(share).and_then(|share| share.into_inner().ok());
    let Metered { bytes, reached, .. } =
        metered.ok_or_else(|| Error::Internal("the bytes of attachments could not be counted".to_owned()))?;
    match reached {
        Some(reached) => Err(busy(reached)),
        None => Ok((fetched, FetchShare(vec![bytes, message]))),
    }
}

/// Returns an empty share of the bytes in memory. One message of maximum size always fits.
fn byte_share(app: &App, organization_id: OrganizationId) -> ByteShare<OrganizationId> {
    let limit = (MAX_BYTES / 4).max(app.settings.max_message_bytes);
    app.waiting.fetches.bytes.share(vec![(organization_id, limit)])
}

/// Reserves memory for the content of stored files, within the budget of fetched attachments.
///
/// # Errors
/// [`Error::AttachmentsBusy`].
pub(super) fn reserve(
    app: &App,
    organization_id: OrganizationId,
    bytes: usize,
) -> Result<ByteShare<OrganizationId>, Error> {
    let mut share = byte_share(app, organization_id);
    share.grow(bytes, false).map_err(busy)?;
    Ok(share)
}

fn busy(reached: BudgetReached) -> Error {
    Error::AttachmentsBusy { by_others: reached == BudgetReached::All }
}

/// Refuses an organization that may not send or store more. The quotas are checked again when the message is stored.
///
/// # Errors
/// [`Error::LimitReached`], [`Error::OrganizationSuspended`].
pub(in crate::app) async fn require_quota(
    app: &App,
    organization_id: OrganizationId,
    purpose: FetchPurpose,
) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    // The unit of work changes nothing and is rolled back when it is dropped.
    let caps = Caps::lock(tx.as_mut(), BTreeSet::from([organization_id]), app.clock.now()).await?;
    match purpose {
        FetchPurpose::Send => caps.allow(organization_id),
        FetchPurpose::Draft => caps.allow_storage(organization_id),
    }
}

impl ByteMeter for Meter {
    fn count(&self, bytes: usize) -> Result<(), FetchError> {
        let mut metered = self.share.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = metered.counted.saturating_add(bytes);
        if counted > self.limit {
            return Err(FetchError(format!(
                "the attachments are larger than {} bytes together; give smaller files",
                self.limit
            )));
        }
        if let Err(reached) = metered.bytes.grow(counted, false) {
            metered.reached = Some(reached);
            return Err(FetchError("too many attachments are being read".to_owned()));
        }
        metered.counted = counted;
        Ok(())
    }
}
