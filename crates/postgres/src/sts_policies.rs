//! MTA-STS policies, shared by all processes of a database.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Array, Text, Timestamptz};
use inboxd_core::model::{StsMode, StsPolicy};
use inboxd_core::ports::{StoreError, StsPolicyStore};
use time::OffsetDateTime;

use crate::sql::Sql;
use crate::store::PgStore;

/// Bytes that a row counts beside its texts.
const ROW_BYTES: usize = 150;

/// The time of use changes at most once a day, so a load is usually no write.
const LOAD: &str = "
    WITH used AS (
        UPDATE sts_policies SET used_at = $2 WHERE domain = $1 AND used_at < $2 - interval '1 day'
    )
    SELECT policy_id, mode, hosts, fetched_at, expires_at FROM sts_policies WHERE domain = $1";

const SAVE: &str = "
    INSERT INTO sts_policies (domain, policy_id, mode, hosts, bytes, fetched_at, expires_at, used_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $6)
    ON CONFLICT (domain) DO UPDATE SET policy_id = excluded.policy_id, mode = excluded.mode, hosts = excluded.hosts,
        bytes = excluded.bytes, fetched_at = excluded.fetched_at, expires_at = excluded.expires_at,
        used_at = excluded.used_at";

/// Among those last used on one day, large ones are evicted first: a few large policies evict few small ones.
const EVICT: &str = "
    DELETE FROM sts_policies p USING (
        SELECT domain, sum(bytes) OVER (
            ORDER BY expires_at > $1 DESC, date_trunc('day', used_at, 'UTC') DESC, bytes, domain
            ROWS UNBOUNDED PRECEDING) AS total
        FROM sts_policies) ranked
    WHERE p.domain = ranked.domain AND (p.expires_at <= $1 OR ranked.total > $2)";

#[derive(QueryableByName)]
struct StsPolicyRow {
    #[diesel(sql_type = Text)]
    policy_id: String,
    #[diesel(sql_type = Text)]
    mode: String,
    #[diesel(sql_type = Array<Text>)]
    hosts: Vec<String>,
    #[diesel(sql_type = Timestamptz)]
    fetched_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    expires_at: OffsetDateTime,
}

impl StsPolicyRow {
    fn policy(self) -> Result<StsPolicy, StoreError> {
        let mode = StsMode::named(&self.mode);
        let mode = mode.ok_or_else(|| StoreError::Failed(format!("unknown MTA-STS mode {:?}", self.mode)))?;
        let max_age = self.expires_at - self.fetched_at;
        Ok(StsPolicy { id: self.policy_id, mode, hosts: self.hosts, fetched_at: self.fetched_at, max_age })
    }
}

#[async_trait]
impl StsPolicyStore for PgStore {
    async fn load_sts_policy(&self, domain: &str, now: OffsetDateTime) -> Result<Option<StsPolicy>, StoreError> {
        let row = Sql::new(LOAD).text(domain).time(now).row::<StsPolicyRow>(&mut *self.connection().await?).await?;
        row.map(StsPolicyRow::policy).transpose()
    }

    async fn save_sts_policy(&self, domain: &str, policy: &StsPolicy) -> Result<(), StoreError> {
        let bytes = ROW_BYTES + domain.len() + policy.text_bytes();
        Sql::new(SAVE)
            .text(domain)
            .text(&policy.id)
            .text(policy.mode.as_str())
            .texts(policy.hosts.iter().map(String::as_str))
            .big(i64::try_from(bytes).unwrap_or(i64::MAX))
            .time(policy.fetched_at)
            .time(policy.expires_at())
            .run(&mut *self.connection().await?)
            .await?;
        Ok(())
    }

    async fn evict_sts_policies(&self, now: OffsetDateTime, max_bytes: u64) -> Result<u64, StoreError> {
        let max_bytes = i64::try_from(max_bytes).unwrap_or(i64::MAX);
        let evicted = Sql::new(EVICT).time(now).big(max_bytes).run(&mut *self.connection().await?).await?;
        Ok(u64::try_from(evicted).unwrap_or(u64::MAX))
    }
}
