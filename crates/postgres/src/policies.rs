//! Policies of sending, and the facts that they ask for.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Jsonb, Nullable, Text, Timestamptz};
use inboxd_core::model::{
    HidingLabels, InboxId, KnownRecipient, OrganizationId, Policy, PolicyLevel, ReceivedCode, ThreadId,
};
use inboxd_core::ports::{BindingPolicies, PolicyReads, PolicyWrites, StoreError};
use inboxd_mail::EmailAddress;
use serde_json::Value;
use time::OffsetDateTime;

use crate::sql::Sql;
use crate::store::PgStore;
use crate::text::{from_json, to_json};
use crate::tx::PgTx;

/// Received messages that are searched for codes, the newest ones.
const MAX_SEARCHED: i64 = 500;

/// Policies of the levels `$2` and `$3`, in their order.
const BINDING: &str = "SELECT w.place, p.rules, p.updated_by, p.updated_at
    FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS w(level, level_id, place)
    CROSS JOIN LATERAL (SELECT * FROM sending_policies
        WHERE organization_id = $1 AND level = w.level AND level_id = w.level_id OFFSET 0) p
    ORDER BY w.place";

/// Policies of the levels `$2` and `$3`, in their order, and the keys among the levels that are revoked. The id of a key is
/// its UUID after `key_`.
const BINDING_MESSAGES: &str = "SELECT w.place, p.rules, p.updated_by, p.updated_at,
        CASE WHEN w.level = 'api_key' THEN NOT EXISTS (SELECT FROM api_keys
            WHERE organization_id = $1 AND api_key_id = substr(w.level_id, 5)::uuid AND revoked_at IS NULL)
        ELSE false END AS is_revoked
    FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS w(level, level_id, place)
    LEFT JOIN LATERAL (SELECT * FROM sending_policies
        WHERE organization_id = $1 AND level = w.level AND level_id = w.level_id OFFSET 0) p ON true
    WHERE p.rules IS NOT NULL OR w.level = 'api_key'
    ORDER BY w.place";

/// One lookup of an index per address and table.
const KNOWN: &str = "SELECT k.address, k.is_member FROM (
        SELECT w.address, EXISTS (SELECT FROM members
                WHERE organization_id = $1 AND email = w.address AND joined_at IS NOT NULL AND removed_at IS NULL)
            AS is_member
        FROM unnest($3::text[]) AS w(address)) k
    WHERE k.is_member OR EXISTS (SELECT FROM contacts
        WHERE organization_id = $1 AND inbox_id = $2 AND address = k.address
            AND (decision = 'trusted' OR (sent_count > 0 AND decision IS NULL)))";

#[derive(QueryableByName)]
struct PolicyRow {
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Jsonb)]
    rules: Value,
    #[diesel(sql_type = Nullable<Jsonb>)]
    updated_by: Option<Value>,
    #[diesel(sql_type = Timestamptz)]
    updated_at: OffsetDateTime,
}

#[derive(QueryableByName)]
struct LevelRow {
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Nullable<Jsonb>)]
    rules: Option<Value>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    updated_by: Option<Value>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    updated_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Bool)]
    is_revoked: bool,
}

#[derive(QueryableByName)]
struct SuspiciousRow {
    #[diesel(sql_type = Bool)]
    is_suspicious: bool,
}

#[derive(QueryableByName)]
struct KnownRow {
    #[diesel(sql_type = Text)]
    address: String,
    #[diesel(sql_type = Bool)]
    is_member: bool,
}

#[derive(QueryableByName)]
struct CodeRow {
    #[diesel(sql_type = Text)]
    code: String,
    #[diesel(sql_type = Text)]
    sender: String,
}

#[derive(QueryableByName)]
struct CountedRow {
    #[diesel(sql_type = Text)]
    subject: String,
    #[diesel(sql_type = BigInt)]
    messages: i64,
}

/// Returns a statement that reads the policies of levels.
fn binding(statement: &'static str, organization_id: OrganizationId, levels: &[PolicyLevel]) -> Sql<'static> {
    let (kinds, ids): (Vec<_>, Vec<_>) = levels.iter().map(|level| (level.kind(), level.id())).unzip();
    Sql::new(statement)
        .uuid(organization_id.0)
        .bind::<diesel::sql_types::Array<Text>, Vec<String>>(kinds.into_iter().map(str::to_owned).collect())
        .bind::<diesel::sql_types::Array<Text>, Vec<String>>(ids)
}

fn entities(
    organization_id: OrganizationId,
    levels: &[PolicyLevel],
    rows: Vec<PolicyRow>,
) -> Result<Vec<Policy>, StoreError> {
    rows.into_iter()
        .map(|row| {
            let place = usize::try_from(row.place - 1).ok();
            let level = place.and_then(|place| levels.get(place)).cloned();
            Ok(Policy {
                organization_id,
                level: level.ok_or_else(|| StoreError::Failed("a policy of no level was read".to_owned()))?,
                rules: from_json(row.rules)?,
                updated_by: row.updated_by.map(from_json).transpose()?,
                updated_at: row.updated_at,
            })
        })
        .collect()
}

#[async_trait]
impl PolicyReads for PgStore {
    async fn policy(&self, organization_id: OrganizationId, level: &PolicyLevel) -> Result<Option<Policy>, StoreError> {
        let levels = std::slice::from_ref(level);
        let rows = binding(BINDING, organization_id, levels).rows::<PolicyRow>(&mut *self.connection().await?).await?;
        Ok(entities(organization_id, levels, rows)?.into_iter().next())
    }
}

#[async_trait]
impl PolicyWrites for PgTx {
    async fn binding(
        &mut self,
        organization_id: OrganizationId,
        levels: &[PolicyLevel],
    ) -> Result<Vec<Policy>, StoreError> {
        let rows = binding(BINDING, organization_id, levels).rows::<PolicyRow>(self.connection().await?).await?;
        entities(organization_id, levels, rows)
    }

    async fn binding_messages(
        &mut self,
        organization_id: OrganizationId,
        levels: &[PolicyLevel],
    ) -> Result<BindingPolicies, StoreError> {
        let statement = binding(BINDING_MESSAGES, organization_id, levels);
        let rows = statement.rows::<LevelRow>(self.connection().await?).await?;
        let gone = rows.iter().filter(|row| row.is_revoked);
        let gone = gone.filter_map(|row| levels.get(usize::try_from(row.place - 1).ok()?));
        let revoked = gone.filter_map(|level| match level {
            PolicyLevel::ApiKey(api_key_id) => Some(*api_key_id),
            _ => None,
        });
        let revoked = revoked.collect();
        let stored = rows.into_iter().filter_map(|row| {
            let (rules, updated_at) = row.rules.zip(row.updated_at)?;
            Some(PolicyRow { place: row.place, rules, updated_by: row.updated_by, updated_at })
        });
        Ok(BindingPolicies { policies: entities(organization_id, levels, stored.collect())?, revoked })
    }

    async fn has_suspicious(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<bool, StoreError> {
        let text = "SELECT EXISTS (SELECT FROM messages
            WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3 AND cardinality(references_) >= 0
                AND trust ->> 'verdict' = 'suspicious') AS is_suspicious";
        let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).uuid(thread_id.0);
        let row = statement.row::<SuspiciousRow>(self.connection().await?).await?;
        Ok(row.is_some_and(|row| row.is_suspicious))
    }

    async fn put(&mut self, policy: &Policy) -> Result<(), StoreError> {
        let text = "INSERT INTO sending_policies (organization_id, level, level_id, rules, updated_by, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT ON CONSTRAINT sending_policies_pkey DO UPDATE
            SET rules = EXCLUDED.rules, updated_by = EXCLUDED.updated_by, updated_at = EXCLUDED.updated_at";
        let updated_by = policy.updated_by.as_ref().map(to_json).transpose()?;
        Sql::new(text)
            .uuid(policy.organization_id.0)
            .text(policy.level.kind())
            .text(&policy.level.id())
            .json(to_json(&policy.rules)?)
            .bind::<Nullable<Jsonb>, _>(updated_by)
            .time(policy.updated_at)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        level: &PolicyLevel,
    ) -> Result<Option<Policy>, StoreError> {
        let text = "DELETE FROM sending_policies WHERE organization_id = $1 AND level = $2 AND level_id = $3
            RETURNING 1::bigint AS place, rules, updated_by, updated_at";
        let id = level.id();
        let statement = Sql::new(text).uuid(organization_id.0).text(level.kind()).text(&id);
        let rows = statement.rows::<PolicyRow>(self.connection().await?).await?;
        Ok(entities(organization_id, std::slice::from_ref(level), rows)?.into_iter().next())
    }

    async fn known(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        addresses: &[EmailAddress],
    ) -> Result<Vec<KnownRecipient>, StoreError> {
        let addresses: Vec<String> = addresses.iter().map(EmailAddress::normalized).collect();
        let rows = Sql::new(KNOWN)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .texts(addresses.iter().map(String::as_str))
            .rows::<KnownRow>(self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(|row| KnownRecipient { address: row.address, is_member: row.is_member }).collect())
    }

    async fn received_codes(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        after: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<ReceivedCode>, StoreError> {
        let text = "SELECT c.code ->> 'code' AS code,
                lower(coalesce(substring(m.from_ FROM '<([^<>]*)>$'), m.from_)) AS sender
            FROM (SELECT l.* FROM generate_series(0, $6::int) AS h(hidden) CROSS JOIN LATERAL (
                    SELECT message_id, from_, timestamp FROM messages
                    WHERE organization_id = $1 AND inbox_id = $2 AND hidden = h.hidden::smallint AND size >= 0
                        AND sent_by IS NULL AND timestamp > $3
                    ORDER BY timestamp DESC LIMIT $5) l
                ORDER BY l.timestamp DESC LIMIT $5) m
            JOIN message_bodies b
                ON b.organization_id = $1 AND b.inbox_id = $2 AND b.message_id = m.message_id
            CROSS JOIN LATERAL jsonb_array_elements(b.extracted -> 'codes') AS c(code)
            ORDER BY m.timestamp DESC LIMIT $4";
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .text(inbox_id.as_str())
            .time(after)
            .big(i64::from(limit))
            .big(MAX_SEARCHED)
            .integer(i32::from(HidingLabels::ALL.bits()))
            .rows::<CodeRow>(self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(|row| ReceivedCode { code: row.code, from: row.sender }).collect())
    }

    async fn counted(
        &mut self,
        organization_id: OrganizationId,
        subjects: &[String],
        after: OffsetDateTime,
    ) -> Result<Vec<(String, u32)>, StoreError> {
        let text = "SELECT w.subject, sum(c.messages)::bigint AS messages
            FROM unnest($2::text[]) AS w(subject) CROSS JOIN LATERAL (SELECT messages FROM policy_counts
                WHERE organization_id = $1 AND subject = w.subject AND minute >= date_trunc('minute', $3::timestamptz)) c
            GROUP BY w.subject";
        let rows = Sql::new(text)
            .uuid(organization_id.0)
            .texts(subjects.iter().map(String::as_str))
            .time(after)
            .rows::<CountedRow>(self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(|row| (row.subject, u32::try_from(row.messages).unwrap_or(u32::MAX))).collect())
    }

    async fn count(
        &mut self,
        organization_id: OrganizationId,
        subjects: &[String],
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let text = "INSERT INTO policy_counts AS c (organization_id, subject, minute, messages)
            SELECT $1, subject, date_trunc('minute', $3::timestamptz), 1 FROM unnest($2::text[]) AS w(subject)
            ON CONFLICT ON CONSTRAINT policy_counts_pkey DO UPDATE SET messages = c.messages + 1";
        Sql::new(text)
            .uuid(organization_id.0)
            .texts(subjects.iter().map(String::as_str))
            .time(at)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn purge_counts(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let text = "DELETE FROM policy_counts c USING (
                SELECT organization_id, subject, minute FROM policy_counts WHERE minute < $1
                ORDER BY minute LIMIT $2 FOR UPDATE SKIP LOCKED) AS old
            WHERE c.organization_id = old.organization_id AND c.subject = old.subject AND c.minute = old.minute";
        let purged = Sql::new(text).time(before).big(i64::from(limit)).run(self.connection().await?).await?;
        Ok(u64::try_from(purged).unwrap_or(u64::MAX))
    }
}
