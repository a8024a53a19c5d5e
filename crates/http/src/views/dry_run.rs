//! Result of a dry run of a send.

use std::collections::BTreeMap;

use inboxd_core::app::{DryRun, QuotaLeft, RecipientVerdict, SendAllowance};
use inboxd_core::model::{self, Labels, Message, ThreadId};
use inboxd_core::rules::sending_policy::describe;
use inboxd_mail::Disposition;
use serde::Serialize;
use utoipa::ToSchema;

use super::message::{SendResponse, by_name};
use super::time::format_time;
use crate::error::{ApiError, ErrorEnvelope, body_envelope};

/// Response of a send: the sent message, or with `dry_run` the result that the send would have.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the responses; the handlers render their parts")]
pub(crate) enum SendAnswer {
    Sent(SendResponse),
    DryRun(Box<DryRunView>),
}

/// Result that a send would have. Nothing was stored or sent.
#[derive(Serialize, ToSchema)]
#[schema(as = DryRun)]
pub(crate) struct DryRunView {
    /// Always true.
    dry_run: bool,
    /// `send`, `hold` by a policy until a person approves, or `refuse` with the `refusal`.
    #[schema(example = "send")]
    result: &'static str,
    /// Error that the send would return for its recipients, quotas, budgets or policies.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    refusal: Option<ErrorEnvelope>,
    /// Each recipient once, in the order To, Cc, Bcc.
    recipients: Vec<RecipientVerdictView>,
    /// Verdict of each rule of the policies that the message touches. The strictest decides.
    rules: Vec<PolicyVerdictView>,
    /// Composed message.
    message: ComposedMessage,
    /// Limits of the organization before this message.
    quota: SendAllowanceView,
}

/// Recipient of a dry run.
#[derive(Serialize, ToSchema)]
#[schema(as = RecipientVerdict)]
struct RecipientVerdictView {
    /// Address of the recipient.
    address: String,
    /// `send`, or `refuse`: the whole message is refused for this recipient.
    #[schema(example = "send")]
    result: &'static str,
    /// Error for this recipient, such as `recipient_suppressed` or `recipient_blocked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    refusal: Option<ErrorEnvelope>,
}

/// Verdict of a rule of a policy.
#[derive(Serialize, ToSchema)]
#[schema(as = PolicyVerdict)]
struct PolicyVerdictView {
    /// Path of the rule in the policy.
    #[schema(example = "recipients.first_contact")]
    rule: &'static str,
    /// Scope of the policy: `organization`, `pod`, `inbox` or `api_key`.
    scope: &'static str,
    /// `allow`, `hold` or `refuse`.
    #[schema(example = "hold")]
    verdict: &'static str,
    /// The verdict in words.
    reason: String,
}

impl From<&model::PolicyVerdict> for PolicyVerdictView {
    fn from(verdict: &model::PolicyVerdict) -> Self {
        Self {
            rule: verdict.rule.as_str(),
            scope: verdict.level.kind(),
            verdict: verdict.action.as_str(),
            reason: describe(verdict),
        }
    }
}

/// Message as it would be sent.
#[derive(Serialize, ToSchema)]
struct ComposedMessage {
    /// Thread that the message continues; absent for a new thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    thread_id: Option<String>,
    /// Sender (From).
    from: String,
    /// Recipients (To).
    to: Vec<String>,
    /// Recipients of a copy (Cc).
    cc: Vec<String>,
    /// Recipients of a blind copy (Bcc).
    bcc: Vec<String>,
    /// Subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    subject: Option<String>,
    /// Plain text body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text: Option<String>,
    /// HTML body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    html: Option<String>,
    /// Header fields by name. The send has another Message-ID and Date.
    headers: BTreeMap<String, String>,
    /// Attachments.
    attachments: Vec<ComposedAttachment>,
    /// Labels of the sent message.
    labels: Vec<String>,
    /// Size of the whole message in bytes, before it is signed.
    size: u64,
}

/// Attachment of a composed message.
#[derive(Serialize, ToSchema)]
struct ComposedAttachment {
    /// File name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    filename: Option<String>,
    /// Media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    content_type: Option<String>,
    /// `inline` or `attachment`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    content_disposition: Option<&'static str>,
    /// Content-ID, by which the HTML refers to the attachment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    content_id: Option<String>,
    /// Size in bytes.
    size: u64,
}

/// Limits of the organization and the rest of each.
#[derive(Serialize, ToSchema)]
#[schema(as = SendAllowance)]
struct SendAllowanceView {
    /// Messages per calendar day, UTC.
    today: QuotaLeftView,
    /// Messages per calendar month, UTC.
    this_month: QuotaLeftView,
    /// Bytes of live messages, drafts, notes and files.
    storage_bytes: QuotaLeftView,
}

/// A limit and its rest.
#[derive(Serialize, ToSchema)]
#[schema(as = QuotaLeft)]
struct QuotaLeftView {
    /// The limit; null means unlimited.
    limit: Option<u64>,
    /// The rest; null means unlimited.
    remaining: Option<u64>,
    /// Time at which the limit resets.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    resets_at: Option<String>,
}

impl DryRunView {
    /// Returns the view of a dry run. Fixes name paths of the inbox, as those of the send do.
    pub(crate) fn new(dry_run: DryRun, base_url: &str) -> Self {
        let DryRun { message, thread_id, recipients, rules, is_held, refusal, allowance } = dry_run;
        let inbox_id = message.item.inbox_id.to_string();
        let envelope = |error| body_envelope(&ApiError::from(error).within_inbox(&inbox_id), base_url);
        let refusal = refusal.map(envelope);
        let verdict = |RecipientVerdict { address, refusal }| RecipientVerdictView {
            address: address.to_string(),
            result: result(refusal.is_none()),
            refusal: refusal.map(envelope),
        };
        Self {
            dry_run: true,
            result: if is_held { "hold" } else { result(refusal.is_none()) },
            refusal,
            recipients: recipients.into_iter().map(verdict).collect(),
            rules: rules.iter().map(PolicyVerdictView::from).collect(),
            message: ComposedMessage::new(message, thread_id),
            quota: allowance.into(),
        }
    }
}

fn result(is_sent: bool) -> &'static str {
    if is_sent { "send" } else { "refuse" }
}

impl ComposedMessage {
    fn new(Message { item, body }: Message, thread_id: Option<ThreadId>) -> Self {
        Self {
            thread_id: thread_id.map(|thread_id| thread_id.to_string()),
            from: item.from,
            to: item.to,
            cc: item.cc,
            bcc: item.bcc,
            subject: item.subject,
            text: body.text,
            html: body.html,
            headers: by_name(body.headers),
            attachments: item.attachments.into_iter().map(ComposedAttachment::from).collect(),
            labels: Labels::to_vec(&item.labels),
            size: item.size,
        }
    }
}

impl From<model::Attachment> for ComposedAttachment {
    fn from(attachment: model::Attachment) -> Self {
        Self {
            filename: attachment.filename,
            content_type: attachment.content_type,
            content_disposition: attachment.content_disposition.map(Disposition::as_str),
            content_id: attachment.content_id,
            size: attachment.size,
        }
    }
}

impl From<SendAllowance> for SendAllowanceView {
    fn from(allowance: SendAllowance) -> Self {
        let view = |QuotaLeft { limit, remaining, resets_at }| QuotaLeftView {
            limit,
            remaining,
            resets_at: resets_at.map(format_time),
        };
        Self {
            today: view(allowance.today),
            this_month: view(allowance.this_month),
            storage_bytes: view(allowance.storage_bytes),
        }
    }
}
