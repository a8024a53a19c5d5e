//! Sign-in codes. No statement here depends on the existence of an account.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, Queryable, QueryableByName, Selectable, SelectableHelper,
};
use diesel_async::RunQueryDsl;
use inboxd_core::model::SignInCode;
use inboxd_core::ports::{SignInWrites, StoreError};
use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};

use crate::accounts::rows::{stored_address, stored_hash};
use crate::error::failure;
use crate::schema::sign_in_codes;
use crate::sql::Sql;
use crate::tx::PgTx;

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = sign_in_codes, check_for_backend(diesel::pg::Pg))]
struct SignInCodeRow {
    email: String,
    nonce: Vec<u8>,
    expires_at: OffsetDateTime,
    attempts: i32,
    mail_due_at: Option<OffsetDateTime>,
    guesses_until: Option<OffsetDateTime>,
    mails_newcomers: bool,
}

impl SignInCodeRow {
    fn entity(self) -> Result<SignInCode, StoreError> {
        Ok(SignInCode {
            email: stored_address(&self.email)?,
            nonce: stored_hash(self.nonce)?,
            expires_at: self.expires_at,
            attempts: u32::try_from(self.attempts).unwrap_or(0),
            mail_due_at: self.mail_due_at,
            guesses_until: self.guesses_until,
            mails_newcomers: self.mails_newcomers,
        })
    }
}

#[async_trait]
impl SignInWrites for PgTx {
    async fn ask(&mut self, code: &SignInCode, now: OffsetDateTime) -> Result<(), StoreError> {
        let text = "INSERT INTO sign_in_codes AS known
                (email, nonce, expires_at, attempts, mail_due_at, asked_since, asked, asked_at, mails_newcomers)
            VALUES ($1, $2, $3, $4, $5, $6, 1, $6, $11)
            ON CONFLICT (email) DO UPDATE SET nonce = excluded.nonce, expires_at = excluded.expires_at,
                attempts = excluded.attempts, mail_due_at = excluded.mail_due_at, asked_at = excluded.asked_at,
                mails_newcomers = excluded.mails_newcomers,
                asked_since = CASE WHEN known.asked_since > $7 THEN known.asked_since ELSE excluded.asked_since END,
                asked = CASE WHEN known.asked_since > $7 THEN known.asked + 1 ELSE 1 END
            WHERE known.asked_since <= $7 OR known.asked < $8 OR (coalesce(known.asked_at, known.asked_since) <= $9
                AND (known.expires_at <= $6 OR known.attempts >= $10))";
        Sql::new(text)
            .text(&code.email.normalized())
            .bytes(&code.nonce)
            .time(code.expires_at)
            .integer(integer(code.attempts))
            .optional_time(code.mail_due_at)
            .time(now)
            .time(now - SignInCode::PERIOD)
            .integer(integer(SignInCode::MAX_CODES))
            .time(now - SignInCode::PACE)
            .integer(integer(SignInCode::MAX_ATTEMPTS))
            .bind::<diesel::sql_types::Bool, _>(code.mails_newcomers)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn lock(&mut self, email: &EmailAddress) -> Result<Option<SignInCode>, StoreError> {
        let row: Option<SignInCodeRow> = sign_in_codes::table
            .filter(sign_in_codes::email.eq(email.normalized()))
            .select(SignInCodeRow::as_select())
            .for_update()
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(SignInCodeRow::entity).transpose()
    }

    async fn tried(&mut self, code: &SignInCode) -> Result<(), StoreError> {
        diesel::update(sign_in_codes::table)
            .filter(sign_in_codes::email.eq(code.email.normalized()))
            .set((
                sign_in_codes::attempts.eq(integer(code.attempts)),
                sign_in_codes::guesses_until.eq(code.guesses_until),
            ))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(())
    }

    async fn end(&mut self, email: &EmailAddress, at: OffsetDateTime) -> Result<(), StoreError> {
        diesel::update(sign_in_codes::table)
            .filter(sign_in_codes::email.eq(email.normalized()))
            .set((sign_in_codes::expires_at.eq(at), sign_in_codes::mail_due_at.eq(None::<OffsetDateTime>)))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(())
    }

    async fn claim(&mut self, now: OffsetDateTime, lease: Duration, limit: u32) -> Result<Vec<SignInCode>, StoreError> {
        let text = "UPDATE sign_in_codes SET mail_due_at = $2
            WHERE email IN (SELECT email FROM sign_in_codes WHERE mail_due_at <= $1
                ORDER BY mail_due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
            RETURNING email, nonce, expires_at, attempts, mail_due_at, guesses_until, mails_newcomers";
        let rows = Sql::new(text)
            .time(now)
            .time(now + lease)
            .big(i64::from(limit))
            .rows::<SignInCodeRow>(self.connection().await?)
            .await?;
        let readable = |row: SignInCodeRow| {
            row.entity().inspect_err(|error| tracing::error!(%error, "stored sign-in code unreadable")).ok()
        };
        Ok(rows.into_iter().filter_map(readable).collect())
    }

    async fn settle(&mut self, codes: &[SignInCode]) -> Result<(), StoreError> {
        let emails: Vec<String> = codes.iter().map(|code| code.email.normalized()).collect();
        let nonces: Vec<Vec<u8>> = codes.iter().map(|code| code.nonce.to_vec()).collect();
        let text = "UPDATE sign_in_codes c SET mail_due_at = NULL
            FROM unnest($1::text[], $2::bytea[]) AS settled(email, nonce)
            WHERE c.email = settled.email AND c.nonce = settled.nonce";
        Sql::new(text)
            .texts(emails.iter().map(String::as_str))
            .bind::<diesel::sql_types::Array<diesel::sql_types::Binary>, _>(nonces)
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn forget_expired(&mut self, now: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let text = "DELETE FROM sign_in_codes WHERE email IN
            (SELECT email FROM sign_in_codes WHERE greatest(expires_at, guesses_until) <= $1
                ORDER BY greatest(expires_at, guesses_until) LIMIT $2 FOR UPDATE SKIP LOCKED)";
        // No code expires before its request, so the period of all requested codes has ended too.
        let over = now - SignInCode::PERIOD;
        let forgotten = Sql::new(text).time(over).big(i64::from(limit)).run(self.connection().await?).await?;
        Ok(u64::try_from(forgotten).unwrap_or(u64::MAX))
    }
}

fn integer(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
