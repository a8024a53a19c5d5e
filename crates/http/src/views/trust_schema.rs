//! Schema of the trust in received messages. A [`Judgement`](inboxd_core::rules::trust::Judgement) serializes itself.
#![expect(dead_code, reason = "these structs only describe responses")]

use inboxd_core::rules::trust::Verdict;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// Names of the reasons.
const REASONS: [&str; 17] = [
    "authenticated_domain",
    "unauthenticated_domain",
    "lost_authentication",
    "trusted_contact",
    "blocked_contact",
    "unproved_listing",
    "organization_member",
    "known_correspondent",
    "imitated_name",
    "lookalike_domain",
    "reply_to_elsewhere",
    "misleading_link",
    "hidden_text",
    "machine_instruction",
    "risky_attachment",
    "mass_mail",
    "scanner_finding",
];

/// Trust in a received message.
#[derive(ToSchema)]
#[schema(as = Trust)]
pub(crate) struct TrustView {
    /// Verdict: a confirmed sender that a person trusts, or a member (`trusted`), a correspondent (`known`), nobody known
    /// (`first_contact`), or signs of an attack (`suspicious`).
    verdict: VerdictName,
    /// Results of the authentication; absent for mail of this service.
    #[schema(nullable = false)]
    checks: Option<ChecksView>,
    /// Reasons: facts about the sender first, then findings.
    reasons: Vec<TrustReasonView>,
}

/// Results of the authentication of a message (RFC 8601).
#[derive(ToSchema)]
#[schema(as = TrustChecks)]
struct ChecksView {
    /// SPF result.
    #[schema(example = "pass")]
    spf: String,
    /// DKIM result of the best signature.
    #[schema(example = "pass")]
    dkim: String,
    /// DMARC result.
    #[schema(example = "pass")]
    dmarc: String,
}

/// Verdict about a received message.
struct VerdictName;

impl PartialSchema for VerdictName {
    fn schema() -> RefOr<Schema> {
        words(Verdict::ALL.iter().map(|verdict| verdict.as_str()), "Verdict about a received message")
    }
}

impl ToSchema for VerdictName {}

fn words(words: impl IntoIterator<Item = &'static str>, description: &str) -> RefOr<Schema> {
    let schema = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words));
    schema.description(Some(description)).into()
}

/// Reason of a verdict. `name` tells which of the other fields are present.
#[derive(ToSchema)]
#[schema(as = TrustReason)]
struct TrustReasonView {
    /// Name of the reason.
    name: ReasonName,
    /// Domain of the sender (`authenticated_domain`, `unauthenticated_domain`, `lost_authentication`,
    /// `lookalike_domain`).
    #[schema(nullable = false)]
    domain: Option<String>,
    /// Messages that the inbox received from the sender before (`known_correspondent`).
    #[schema(nullable = false)]
    received: Option<u64>,
    /// Messages that the inbox sent to the sender.
    #[schema(nullable = false)]
    sent: Option<u64>,
    /// Messages that all inboxes of the organization received from the sender before.
    #[schema(nullable = false)]
    organization_received: Option<u64>,
    /// Messages that all inboxes of the organization sent to the sender.
    #[schema(nullable = false)]
    organization_sent: Option<u64>,
    /// Time of the first message in either direction.
    #[schema(format = DateTime, nullable = false)]
    since: Option<String>,
    /// Display name of the sender (`imitated_name`).
    #[schema(nullable = false)]
    display_name: Option<String>,
    /// Imitated identity: `correspondent`, `member` or `service`.
    #[schema(nullable = false)]
    imitates: Option<String>,
    /// Address of the imitated correspondent if the pod of the inbox corresponds with it, or the address that replies go to (`reply_to_elsewhere`).
    #[schema(nullable = false)]
    address: Option<String>,
    /// Domain that the domain of the sender resembles (`lookalike_domain`); absent if only other pods correspond with it.
    #[schema(nullable = false)]
    known_domain: Option<String>,
    /// Kind of resemblance: `confusable`, `one_edit` or `same_name`.
    #[schema(nullable = false)]
    resemblance: Option<String>,
    /// Host in the text of a link (`misleading_link`).
    #[schema(nullable = false)]
    shown_host: Option<String>,
    /// Host that the link leads to.
    #[schema(nullable = false)]
    target_host: Option<String>,
    /// Kind of hidden text (`styled`, `characters`), of an instruction (`override`, `command`, `disclosure`, `persona`,
    /// `secrecy`, `markup`) or of mass mail (`list`, `bulk`, `automatic`).
    #[schema(nullable = false)]
    kind: Option<String>,
    /// Place of the instruction or finding (`machine_instruction`, `scanner_finding`): `subject`, `text`, `html`, `from`
    /// (the name of the sender), `attachment` (the name of a file) or `calendar` (the texts of an invitation).
    #[schema(nullable = false)]
    field: Option<String>,
    /// First character of the instruction or finding, in Unicode characters.
    #[schema(nullable = false)]
    start: Option<u64>,
    /// Character behind its last one.
    #[schema(nullable = false)]
    end: Option<u64>,
    /// Whether a reader does not see the instruction.
    #[schema(nullable = false)]
    is_hidden: Option<bool>,
    /// File name of the attachment (`risky_attachment`).
    #[schema(nullable = false)]
    filename: Option<String>,
    /// Risk of the attachment: `executable` or `password_protected`.
    #[schema(nullable = false)]
    risk: Option<String>,
    /// Category of a finding of the external scanner (`scanner_finding`).
    #[schema(nullable = false)]
    category: Option<String>,
    /// Confidence of the external scanner in its finding, from 0 to 100.
    #[schema(minimum = 0, maximum = 100, nullable = false)]
    score: Option<u8>,
}

/// Name of a reason.
struct ReasonName;

impl PartialSchema for ReasonName {
    fn schema() -> RefOr<Schema> {
        words(REASONS, "Name of a reason")
    }
}

impl ToSchema for ReasonName {}
