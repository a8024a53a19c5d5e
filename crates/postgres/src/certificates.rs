//! ACME accounts, certificates and challenges, shared by all processes of a database.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{Binary, Integer, Nullable, Text, Timestamptz};
use inboxd_core::model::certificate::{
    AcmeChallenge, CertificateScope, CertificateState, IssuedCertificate, RenewalPlan,
};
use inboxd_core::ports::{CertificateStore, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::scalar_rows::FlagRow;
use crate::sql::Sql;
use crate::store::PgStore;

const SAVE_ACCOUNT: &str = "
    INSERT INTO acme_accounts (directory, credentials, created_at) VALUES ($1, $2, $3)
    ON CONFLICT (directory) DO UPDATE SET credentials = excluded.credentials, created_at = excluded.created_at";

const LOAD: &str = "
    SELECT chain, private_key, valid_from, valid_until, renew_at, check_at, failures, failure, retry_at
    FROM acme_certificates WHERE directory = $1 AND names = $2";

/// A process may renew its own claim. The row of the first claim has no certificate.
const CLAIM: &str = "
    INSERT INTO acme_certificates AS c (directory, names, claimed_by, claimed_until) VALUES ($1, $2, $3, $5)
    ON CONFLICT (directory, names) DO UPDATE SET claimed_by = $3, claimed_until = $5
    WHERE c.claimed_by IS NULL OR c.claimed_by = $3 OR c.claimed_until <= $4
    RETURNING true AS flag";

const SAVE: &str = "
    UPDATE acme_certificates SET chain = $4, private_key = $5, valid_from = $6, valid_until = $7, renew_at = $8,
        check_at = $9, failures = 0, failure = NULL, retry_at = NULL, claimed_by = NULL, claimed_until = NULL
    WHERE directory = $1 AND names = $2 AND claimed_by = $3";

const SAVE_PLAN: &str = "
    UPDATE acme_certificates SET renew_at = $4, check_at = $5, claimed_by = NULL, claimed_until = NULL
    WHERE directory = $1 AND names = $2 AND claimed_by = $3";

const SAVE_FAILURE: &str = "
    UPDATE acme_certificates SET failures = failures + 1, failure = $4, retry_at = $5, claimed_by = NULL,
        claimed_until = NULL
    WHERE directory = $1 AND names = $2 AND claimed_by = $3";

const SAVE_CHALLENGE: &str = "
    WITH expired AS (DELETE FROM acme_challenges WHERE expires_at <= $5 AND token <> $1)
    INSERT INTO acme_challenges (token, name, key_authorization, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (token) DO UPDATE SET name = excluded.name, key_authorization = excluded.key_authorization,
        expires_at = excluded.expires_at";

const LOAD_CHALLENGES: &str = "
    SELECT token, name, key_authorization, expires_at FROM acme_challenges WHERE expires_at > $1
    ORDER BY expires_at DESC, token LIMIT 200";

#[derive(QueryableByName)]
struct AccountRow {
    #[diesel(sql_type = Binary)]
    credentials: Vec<u8>,
}

#[derive(QueryableByName)]
struct CertificateRow {
    #[diesel(sql_type = Nullable<Text>)]
    chain: Option<String>,
    #[diesel(sql_type = Nullable<Binary>)]
    private_key: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    valid_from: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    valid_until: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    renew_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    check_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Integer)]
    failures: i32,
    #[diesel(sql_type = Nullable<Text>)]
    failure: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    retry_at: Option<OffsetDateTime>,
}

impl CertificateRow {
    fn state(self) -> CertificateState {
        let Self { failure, retry_at, .. } = self;
        let certificate = match (self.chain, self.private_key, self.valid_from, self.valid_until) {
            (Some(chain), Some(sealed_key), Some(valid_from), Some(valid_until)) => {
                let plan = RenewalPlan {
                    renew_at: self.renew_at.unwrap_or(valid_from),
                    check_at: self.check_at.unwrap_or(valid_from),
                };
                Some((IssuedCertificate { chain, sealed_key, valid_from, valid_until }, plan))
            }
            _ => None,
        };
        CertificateState { certificate, failures: u32::try_from(self.failures).unwrap_or(0), retry_at, failure }
    }
}

#[derive(QueryableByName)]
struct ChallengeRow {
    #[diesel(sql_type = Text)]
    token: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    key_authorization: String,
    #[diesel(sql_type = Timestamptz)]
    expires_at: OffsetDateTime,
}

impl From<ChallengeRow> for AcmeChallenge {
    fn from(row: ChallengeRow) -> Self {
        let ChallengeRow { token, name, key_authorization, expires_at } = row;
        Self { token, name, key_authorization, expires_at }
    }
}

#[async_trait]
impl CertificateStore for PgStore {
    async fn load_acme_account(&self, directory: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let load = Sql::new("SELECT credentials FROM acme_accounts WHERE directory = $1").text(directory);
        let row = load.row::<AccountRow>(&mut *self.connection().await?).await?;
        Ok(row.map(|row| row.credentials))
    }

    async fn save_acme_account(&self, directory: &str, sealed: &[u8], now: OffsetDateTime) -> Result<(), StoreError> {
        let save = Sql::new(SAVE_ACCOUNT).text(directory).bytes(sealed).time(now);
        save.run(&mut *self.connection().await?).await?;
        Ok(())
    }

    async fn load_certificate(&self, scope: &CertificateScope) -> Result<CertificateState, StoreError> {
        let key = scope.key();
        let load = Sql::new(LOAD).text(&scope.directory).text(&key);
        let row = load.row::<CertificateRow>(&mut *self.connection().await?).await?;
        Ok(row.map(CertificateRow::state).unwrap_or_default())
    }

    async fn claim_certificate(
        &self,
        scope: &CertificateScope,
        process_id: Uuid,
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let key = scope.key();
        let claim = Sql::new(CLAIM).text(&scope.directory).text(&key).uuid(process_id).time(now).time(until);
        let row = claim.row::<FlagRow>(&mut *self.connection().await?).await?;
        Ok(row.is_some_and(|row| row.flag))
    }

    async fn save_certificate(
        &self,
        scope: &CertificateScope,
        process_id: Uuid,
        certificate: &IssuedCertificate,
        plan: RenewalPlan,
    ) -> Result<bool, StoreError> {
        let key = scope.key();
        let save = Sql::new(SAVE)
            .text(&scope.directory)
            .text(&key)
            .uuid(process_id)
            .text(&certificate.chain)
            .bytes(&certificate.sealed_key)
            .time(certificate.valid_from)
            .time(certificate.valid_until)
            .time(plan.renew_at)
            .time(plan.check_at);
        Ok(save.run(&mut *self.connection().await?).await? > 0)
    }

    async fn save_renewal_plan(
        &self,
        scope: &CertificateScope,
        process_id: Uuid,
        plan: RenewalPlan,
    ) -> Result<(), StoreError> {
        let key = scope.key();
        let save = Sql::new(SAVE_PLAN).text(&scope.directory).text(&key).uuid(process_id);
        save.time(plan.renew_at).time(plan.check_at).run(&mut *self.connection().await?).await?;
        Ok(())
    }

    async fn save_certificate_failure(
        &self,
        scope: &CertificateScope,
        process_id: Uuid,
        reason: &str,
        retry_at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let key = scope.key();
        let save = Sql::new(SAVE_FAILURE).text(&scope.directory).text(&key).uuid(process_id);
        save.text(reason).time(retry_at).run(&mut *self.connection().await?).await?;
        Ok(())
    }

    async fn save_acme_challenge(&self, challenge: &AcmeChallenge, now: OffsetDateTime) -> Result<(), StoreError> {
        let AcmeChallenge { token, name, key_authorization, expires_at } = challenge;
        let save = Sql::new(SAVE_CHALLENGE).text(token).text(name).text(key_authorization).time(*expires_at).time(now);
        save.run(&mut *self.connection().await?).await?;
        Ok(())
    }

    async fn load_acme_challenges(&self, now: OffsetDateTime) -> Result<Vec<AcmeChallenge>, StoreError> {
        let load = Sql::new(LOAD_CHALLENGES).time(now);
        let rows = load.rows::<ChallengeRow>(&mut *self.connection().await?).await?;
        Ok(rows.into_iter().map(AcmeChallenge::from).collect())
    }
}
