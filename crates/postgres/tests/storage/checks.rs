//! CHECK constraints of columns with a closed set of words.

use std::collections::{BTreeMap, BTreeSet};

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use inboxd_core::model::mail_report::ReportKind;
use inboxd_core::model::{
    BlobKind, BrakeLevel, ClientAuthMethod, ClientSource, ContactDecision, DomainStatus, KeyState, ListDirection,
    ListType, Plan, QuarantineMode, ReadPart, Role, SmtpStage, StsMode, SubscriptionState, SuppressionReason,
};
use inboxd_core::ports::ClientIdKind;
use inboxd_core::rules::trust::Verdict;
use inboxd_testkit::database::database;

const CHECKS: &str = "
    SELECT k.conname::text AS name, pg_get_constraintdef(k.oid) AS definition
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
    WHERE k.contype = 'c' AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace";

#[derive(QueryableByName)]
struct CheckRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    definition: String,
}

/// A word that the program writes and a CHECK lacks would lose mail.
#[tokio::test]
async fn checks_have_the_words_that_the_program_writes() {
    let database = database().await;
    let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
    let rows: Vec<CheckRow> = diesel::sql_query(CHECKS).load(&mut connection).await.unwrap();
    let found: BTreeMap<String, BTreeSet<String>> = rows
        .into_iter()
        .map(|row| (row.name, quoted_words(&row.definition)))
        .filter(|(_, words)| !words.is_empty())
        .collect();
    assert_eq!(found, written_words());
}

/// Returns the words in a definition: each alone in quotes, or those of an array, separated by commas.
fn quoted_words(definition: &str) -> BTreeSet<String> {
    let quoted = definition.split('\'').skip(1).step_by(2);
    let words = quoted.flat_map(|text| text.trim_matches(['{', '}']).split(','));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns the words that the program writes, by constraint.
fn written_words() -> BTreeMap<String, BTreeSet<String>> {
    use BrakeLevel::{Held, Slowed};
    use ClientIdKind::{ApiKey, Draft, ListEntry, Note, Webhook};
    use SuppressionReason::{Bounce, Complaint};
    let text = |word: &'static str| word;
    let table = [
        ("blob_removals_store_check", words(BlobKind::ALL, BlobKind::as_str)),
        ("blob_sweeps_store_check", words(BlobKind::ALL, BlobKind::as_str)),
        ("blobs_store_known", words(BlobKind::ALL, BlobKind::as_str)),
        ("client_ids_kind_check", words(&[ApiKey, Draft, ListEntry, Note, Webhook], ClientIdKind::as_str)),
        ("contacts_decision_check", words(ContactDecision::ALL, ContactDecision::as_str)),
        ("dkim_keys_state_check", words(KeyState::ALL, KeyState::as_str)),
        ("domains_status_check", words(DomainStatus::ALL, DomainStatus::as_str)),
        ("feed_pending_verdict_check", words(Verdict::ALL, Verdict::as_str)),
        ("feed_verdict_check", words(Verdict::ALL, Verdict::as_str)),
        ("first_reads_part_check", words(ReadPart::ALL, ReadPart::as_str)),
        ("inboxes_quarantine_check", words(QuarantineMode::ALL, QuarantineMode::as_str)),
        ("list_entries_direction_check", words(ListDirection::ALL, ListDirection::as_str)),
        ("list_entries_list_type_check", words(ListType::ALL, ListType::as_str)),
        ("mail_reports_kind_check", words(ReportKind::ALL, ReportKind::as_str)),
        ("members_role_check", words(&Role::ALL, Role::as_str)),
        ("oauth_clients_auth_method_check", words(ClientAuthMethod::ALL, ClientAuthMethod::as_str)),
        ("oauth_clients_source_check", words(ClientSource::ALL, ClientSource::as_str)),
        ("organizations_brake", words(&[Slowed, Held], BrakeLevel::as_str)),
        ("organizations_plan_check", words(&Plan::ALL, Plan::as_str)),
        ("organizations_quarantine_check", words(QuarantineMode::ALL, QuarantineMode::as_str)),
        ("outgoing_route_check", words(&["local", "remote"], text)),
        ("pods_quarantine_check", words(QuarantineMode::ALL, QuarantineMode::as_str)),
        ("sending_policies_level_check", words(&["organization", "pod", "inbox", "api_key"], text)),
        ("smtp_refusals_stage_check", words(SmtpStage::ALL, SmtpStage::as_str)),
        ("sts_policies_mode_check", words(StsMode::ALL, StsMode::as_str)),
        ("subscriptions_plan_check", words(&Plan::ALL, Plan::as_str)),
        ("subscriptions_state_check", words(&SubscriptionState::ALL, SubscriptionState::as_str)),
        ("suppressions_reason_check", words(&[Bounce, Complaint], SuppressionReason::as_str)),
        ("webhooks_trust_check", words(Verdict::ALL, Verdict::as_str)),
    ];
    table.map(|(name, words)| (name.to_owned(), words)).into()
}

fn words<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> BTreeSet<String> {
    all.iter().map(|word| name(*word).to_owned()).collect()
}
