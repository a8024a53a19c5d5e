//! Links that decide about a held message, and the mail that brings them to approvers.
//!
//! A link is signed and names member, draft and message. A decision, a change of the draft and the end of the approval make it
//! void, because the message waits no more; so it works once. It decides with the present rights of the member.

use std::net::IpAddr;

use inboxd_mail::EmailAddress;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::approve::{approve, reject};
use super::find::{find, of_inbox};
use super::held::{self, HeldMessage};
use crate::app::account::system_mail;
use crate::app::authenticate::{caller_of, caller_of_membership};
use crate::app::{App, homes};
use crate::model::page::{Direction, Page, PageRequest};
use crate::model::permissions::DraftApprove;
use crate::model::{
    Actor, Approval, Caller, Draft, DraftId, Inbox, InboxId, Locality, MailCharge, Member, MemberId, Membership,
    MessageId, Organization, OrganizationId, QueuedMail, Scope, SendResult,
};
use crate::ports::MemberQuery;
use crate::rules::approval::require_approver;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Purpose that the signature covers.
const PURPOSE: &str = "approval";
/// Maximum of approvers to which the link of one message is mailed, the first ones by invitation.
const MAX_APPROVERS: usize = 10;
/// Members that are read at a time. The limit of members of an organization bounds them all.
const MEMBERS_READ: u32 = 200;

/// Target of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names that these ids have everywhere")]
struct ApprovalLink {
    organization_id: OrganizationId,
    inbox_id: InboxId,
    draft_id: DraftId,
    message_id: MessageId,
    member_id: MemberId,
}

/// Mails the link of a held message to its approvers. The message waits in the console too, so a failure loses nothing.
///
/// # Errors
/// [`Error::Store`], [`Error::Internal`].
pub(in crate::app) async fn mail_approvers(app: &App, inbox: &Inbox, draft_id: DraftId) -> Result<(), Error> {
    let Some(origin) = app.settings.issuer.as_deref().filter(|_| app.settings.mails_approvers) else { return Ok(()) };
    let organization_id = inbox.organization_id;
    let Some(draft) = app.store.draft(organization_id, draft_id).await? else { return Ok(()) };
    let Some(approval) = draft.item.approval.as_ref().filter(|_| draft.item.awaits_approval()) else { return Ok(()) };
    let Some(overview) = app.store.overview(organization_id).await? else { return Ok(()) };
    let authors = [&approval.author, &draft.item.updated_by];
    let mut approvers = approvers(app, &overview.organization, inbox, authors).await?;
    // The quotas are locked in the order of mailboxes.
    approvers.sort_by_key(|(member, _)| MailCharge::of_approver(&member.email).subject);
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let mut mails = Vec::with_capacity(approvers.len());
    for (member, home) in approvers {
        let link = ApprovalLink {
            organization_id,
            inbox_id: inbox.inbox_id.clone(),
            draft_id,
            message_id: approval.message_id.clone(),
            member_id: member.member_id,
        };
        let url = format!("{origin}/approvals/{}", link.signed(app, approval.expires_at)?);
        if tx.mail_quotas().charge(&MailCharge::of_approver(&member.email), now).await?.is_none() {
            mails.push(request(app, inbox, approval, (&member, home), &url, now)?);
        }
    }
    if mails.is_empty() {
        return Ok(());
    }
    tx.outgoing().enqueue(&mails).await?;
    tx.commit().await?;
    app.wake.outgoing();
    Ok(())
}

/// Returns the people that may approve a message and whose mailbox no key of this server reads, the first by invitation.
async fn approvers(
    app: &App,
    organization: &Organization,
    inbox: &Inbox,
    authors: [&Actor; 2],
) -> Result<Vec<(Member, Locality)>, Error> {
    let may_approve = |member: &Member| {
        let membership = Membership { organization: organization.clone(), member: member.clone(), used_at: None };
        let is_proven = membership.is_proven();
        let scope = Scope::Inbox(inbox.inbox_id.clone());
        let caller = AuthorizedCaller::<DraftApprove>::new(caller_of_membership(membership), scope);
        is_proven && caller.is_ok_and(|caller| require_approver(&caller, authors).is_ok())
    };
    let page = PageRequest { limit: MEMBERS_READ, direction: Direction::Ascending, after: None };
    let mut query = MemberQuery { organization_id: organization.organization_id, page };
    let mut approvers = Vec::new();
    loop {
        let Page { items, next } = app.store.list_members(&query).await?;
        let members: Vec<Member> = items.into_iter().filter(may_approve).collect();
        let addresses: Vec<EmailAddress> = members.iter().map(|member| member.email.clone()).collect();
        let homes = homes::of(app, &addresses).await?;
        let inboxes = homes::are_inboxes(app, &addresses).await?;
        let outside =
            members.into_iter().zip(homes).zip(inboxes).filter_map(|((member, home), is_inbox)| {
                (home != Locality::Local && !is_inbox).then_some((member, home))
            });
        approvers.extend(outside);
        approvers.truncate(MAX_APPROVERS);
        if next.is_none() || approvers.len() == MAX_APPROVERS {
            return Ok(approvers);
        }
        query.page.after = next;
    }
}

/// Returns the mail with a link. It holds no text of the message, which may be hostile.
fn request(
    app: &App,
    inbox: &Inbox,
    approval: &Approval,
    (member, home): (&Member, Locality),
    url: &str,
    now: OffsetDateTime,
) -> Result<QueuedMail, Error> {
    let text = format!(
        "A message from {inbox} waits for a person. The policy rule {rule} holds it.\n\n\
         Read it and decide until {date}, UTC:\n\n{url}\n\n\
         The link decides as you, once. Give it to nobody and do not forward this mail.\n",
        inbox = inbox.inbox_id,
        rule = approval.rule.rule.as_str(),
        date = approval.expires_at.date(),
    );
    let subject = "A message waits for your approval";
    let mail = system_mail(app, inbox.organization_id, &member.email, home.route(), subject, text, now)?;
    Ok(QueuedMail { is_code: false, ..mail })
}

impl ApprovalLink {
    fn signed(&self, app: &App, expires_at: OffsetDateTime) -> Result<String, Error> {
        let payload = serde_json::to_vec(&(expires_at.unix_timestamp(), self));
        let payload = payload.map_err(|error| Error::Internal(error.to_string()))?;
        Ok(app.settings.signing_key.sign(PURPOSE, &payload))
    }

    /// Returns the target of a token with its member as the caller.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a wrong signature, an expired link and a member that is gone; the refusals of the permission.
    async fn open(
        app: &App,
        token: &str,
        client_address: Option<IpAddr>,
    ) -> Result<(Self, AuthorizedCaller<DraftApprove>), Error> {
        let void = || Error::not_found(Resource::ApprovalLink, "this link");
        let payload = app.settings.signing_key.verify(PURPOSE, token).ok_or_else(void)?;
        let (expires_at, link): (i64, Self) = serde_json::from_slice(&payload).map_err(|_| void())?;
        if expires_at <= app.clock.now().unix_timestamp() {
            return Err(void());
        }
        let member = app.store.member(link.organization_id, link.member_id).await?.ok_or_else(void)?;
        let caller = caller_of(app, link.organization_id, &member.actor()).await?;
        let caller = Caller { client_address, ..caller };
        let caller = AuthorizedCaller::new(caller, Scope::Inbox(link.inbox_id.clone()))?;
        Ok((link, caller))
    }
}

/// Returns the held message of a link, with the address of the person that it was mailed to.
///
/// # Errors
/// [`Error::NotFound`], [`PolicyError::NotAwaitingApproval`](crate::PolicyError::NotAwaitingApproval), and the refusals of
/// [`approve`] by rights.
pub async fn held_message(app: &App, token: &str) -> Result<(HeldMessage, EmailAddress), Error> {
    let (link, caller) = ApprovalLink::open(app, token, None).await?;
    let draft = of_inbox(find(app, &caller, link.draft_id).await?, &link.inbox_id)?;
    let held = held::read(app, &draft, &link.message_id).await?;
    require_approver(&caller, [&held.approval.author, &draft.item.updated_by])?;
    let approver = caller.member.as_ref().map(|person| person.email.clone());
    let approver = approver.ok_or_else(|| Error::not_found(Resource::ApprovalLink, "this link"))?;
    Ok((held, approver))
}

/// Sends the held message of a link, see [`approve`].
///
/// # Errors
/// As [`held_message`] and [`approve`].
pub async fn approve_by_link(app: &App, token: &str, client_address: Option<IpAddr>) -> Result<SendResult, Error> {
    let (link, caller) = ApprovalLink::open(app, token, client_address).await?;
    approve(app, &caller, &link.inbox_id, link.draft_id, &link.message_id).await
}

/// Rejects the held message of a link, see [`reject`].
///
/// # Errors
/// As [`held_message`] and [`reject`].
pub async fn reject_by_link(
    app: &App,
    token: &str,
    reason: Option<String>,
    client_address: Option<IpAddr>,
) -> Result<Draft, Error> {
    let (link, caller) = ApprovalLink::open(app, token, client_address).await?;
    reject(app, &caller, &link.inbox_id, link.draft_id, &link.message_id, reason).await
}
