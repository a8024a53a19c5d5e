//! Policies of sending, and the facts that they ask for.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Jsonb, Nullable, Text, Timestamptz};
use inboxd_core::model::{
    HidingLabels, InboxId, KnownRecipient, OrganizationId, Policy, PolicyLevel, SealedCodes, ThreadId,
};
use inboxd_core::ports::{BindingPolicies, PolicyReads, PolicyWrites, StoreError};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use crate::json::{StoredJson, from_json, to_json};
use crate::received_codes;
use crate::scalar_rows::FlagRow;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::tx::PgTx;

/// Policies of the levels `$2` and `$3`, in their order, and the keys among the levels that are revoked. The id of a key is
/// its UUID after `key_`.
const BINDING: &str = "SELECT w.place, p.rules, p.updated_by, p.updated_at,
        CASE WHEN w.level = 'api_key' THEN NOT EXISTS (SELECT FROM api_keys
            WHERE organization_id = $1 AND api_key_id = substr(w.level_id, 5)::uuid AND revoked_at IS NULL)
        ELSE false END AS is_revoked
    FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS w(level, level_id, place)
    LEFT JOIN sending_policies p ON p.organization_id = $1 AND p.level = w.level AND p.level_id = w.level_id
    WHERE p.rules IS NOT NULL OR w.level = 'api_key'
    ORDER BY w.place";

/// One lookup of an index per address and table. Members have their addresses as written, so the directory finds them.
const KNOWN: &str = "SELECT k.address, k.is_member FROM (
        SELECT w.address, EXISTS (
            SELECT FROM member_emails e
            JOIN members m ON m.organization_id = e.organization_id AND m.member_id = e.member_id
            WHERE e.email = w.address AND e.organization_id = $1 AND m.joined_at IS NOT NULL AND m.removed_at IS NULL)
            AS is_member
        FROM unnest($3::text[]) AS w(address)) k
    WHERE k.is_member OR EXISTS (SELECT FROM contacts
        WHERE organization_id = $1 AND inbox_id = $2 AND address = k.address
            AND (decision = 'trusted' OR (sent_count > 0 AND decision IS NULL)))";

#[derive(QueryableByName)]
struct LevelRow {
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Nullable<Jsonb>)]
    rules: Option<StoredJson>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    updated_by: Option<StoredJson>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    updated_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Bool)]
    is_revoked: bool,
}

#[derive(QueryableByName)]
struct KnownRow {
    #[diesel(sql_type = Text)]
    address: String,
    #[diesel(sql_type = Bool)]
    is_member: bool,
}

#[derive(QueryableByName)]
struct CountedRow {
    #[diesel(sql_type = Text)]
    subject: String,
    #[diesel(sql_type = BigInt)]
    messages: i64,
}

/// Returns a statement that reads the policies of levels.
fn binding(organization_id: OrganizationId, levels: &[PolicyLevel]) -> Sql<'static> {
    let (kinds, ids): (Vec<_>, Vec<_>) = levels.iter().map(|level| (level.kind(), level.id())).unzip();
    Sql::new(BINDING)
        .uuid(organization_id.0)
        .bind::<diesel::sql_types::Array<Text>, Vec<String>>(kinds.into_iter().map(str::to_owned).collect())
        .bind::<diesel::sql_types::Array<Text>, Vec<String>>(ids)
}

fn entities(
    organization_id: OrganizationId,
    levels: &[PolicyLevel],
    rows: Vec<LevelRow>,
) -> Result<BindingPolicies, StoreError> {
    let mut found = BindingPolicies::default();
    for row in rows {
        let level = usize::try_from(row.place - 1).ok().and_then(|place| levels.get(place)).cloned();
        let level = level.ok_or_else(|| StoreError::Failed("a policy of no level was read".to_owned()))?;
        if let PolicyLevel::ApiKey(api_key_id) = &level
            && row.is_revoked
        {
            found.revoked.push(*api_key_id);
        }
        if let Some((rules, updated_at)) = row.rules.zip(row.updated_at) {
            let (rules, updated_by) = (from_json(rules)?, row.updated_by.map(from_json).transpose()?);
            found.policies.push(Policy { organization_id, level, rules, updated_by, updated_at });
        }
    }
    Ok(found)
}

#[async_trait]
impl PolicyReads for PgStore {
    async fn policy(&self, organization_id: OrganizationId, level: &PolicyLevel) -> Result<Option<Policy>, StoreError> {
        let levels = std::slice::from_ref(level);
        let rows = binding(organization_id, levels).rows::<LevelRow>(&mut *self.connection().await?).await?;
        Ok(entities(organization_id, levels, rows)?.policies.into_iter().next())
    }
}

#[async_trait]
impl PolicyWrites for PgTx {
    async fn binding(
        &mut self,
        organization_id: OrganizationId,
        levels: &[PolicyLevel],
    ) -> Result<BindingPolicies, StoreError> {
        let rows = binding(organization_id, levels).rows::<LevelRow>(self.connection().await?).await?;
        entities(organization_id, levels, rows)
    }

    async fn has_suspicious(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<bool, StoreError> {
        let text = "SELECT EXISTS (SELECT FROM messages
            WHERE organization_id = $1 AND inbox_id = $2 AND thread_id = $3
                AND trust ->> 'verdict' = 'suspicious') AS flag";
        let statement = Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).uuid(thread_id.0);
        let row = statement.row::<FlagRow>(self.connection().await?).await?;
        Ok(row.is_some_and(|row| row.flag))
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
            RETURNING 1::bigint AS place, rules, updated_by, updated_at, false AS is_revoked";
        let id = level.id();
        let statement = Sql::new(text).uuid(organization_id.0).text(level.kind()).text(&id);
        let rows = statement.rows::<LevelRow>(self.connection().await?).await?;
        Ok(entities(organization_id, std::slice::from_ref(level), rows)?.policies.into_iter().next())
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

    async fn keep_codes(&mut self, codes: &[SealedCodes]) -> Result<(), StoreError> {
        received_codes::keep(self.connection().await?, codes).await
    }

    async fn received_codes(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        readable: HidingLabels,
        after: OffsetDateTime,
    ) -> Result<Vec<SealedCodes>, StoreError> {
        received_codes::read(self.connection().await?, organization_id, inbox_id, readable, after).await
    }

    async fn purge_codes(&mut self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        received_codes::purge(self.connection().await?, before, limit).await
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
