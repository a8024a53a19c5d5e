//! Codes by which people sign in. No statement here asks whether anybody has the address.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, Queryable, QueryableByName, Selectable, SelectableHelper,
};
use diesel_async::RunQueryDsl;
use inboxd_core::model::SignInCode;
use inboxd_core::ports::{SignIns, StoreError};
use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};

use crate::accounts::{stored_address, stored_hash};
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
}

impl SignInCodeRow {
    fn entity(self) -> Result<SignInCode, StoreError> {
        Ok(SignInCode {
            email: stored_address(&self.email)?,
            nonce: stored_hash(self.nonce)?,
            expires_at: self.expires_at,
            attempts: u32::try_from(self.attempts).unwrap_or(0),
            mail_due_at: self.mail_due_at,
        })
    }
}

#[async_trait]
impl SignIns for PgTx {
    async fn put(&mut self, code: &SignInCode) -> Result<(), StoreError> {
        let text = "INSERT INTO sign_in_codes (email, nonce, expires_at, attempts, mail_due_at)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (email) DO UPDATE SET nonce = excluded.nonce, expires_at = excluded.expires_at,
                attempts = excluded.attempts, mail_due_at = excluded.mail_due_at";
        Sql::new(text)
            .text(&code.email.normalized())
            .octets(&code.nonce)
            .time(code.expires_at)
            .integer(i32::try_from(code.attempts).unwrap_or(i32::MAX))
            .optional_time(code.mail_due_at)
            .run(self.connection()?)
            .await?;
        Ok(())
    }

    async fn lock(&mut self, email: &EmailAddress) -> Result<Option<SignInCode>, StoreError> {
        let row: Option<SignInCodeRow> = sign_in_codes::table
            .filter(sign_in_codes::email.eq(email.normalized()))
            .select(SignInCodeRow::as_select())
            .for_update()
            .first(self.connection()?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(SignInCodeRow::entity).transpose()
    }

    async fn delete(&mut self, email: &EmailAddress) -> Result<(), StoreError> {
        diesel::delete(sign_in_codes::table)
            .filter(sign_in_codes::email.eq(email.normalized()))
            .execute(self.connection()?)
            .await
            .map_err(failure)?;
        Ok(())
    }

    async fn claim(&mut self, now: OffsetDateTime, lease: Duration, limit: u32) -> Result<Vec<SignInCode>, StoreError> {
        let text = "UPDATE sign_in_codes SET mail_due_at = $2
            WHERE email IN (SELECT email FROM sign_in_codes WHERE mail_due_at <= $1
                ORDER BY mail_due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
            RETURNING email, nonce, expires_at, attempts, mail_due_at";
        let rows = Sql::new(text)
            .time(now)
            .time(now + lease)
            .big(i64::from(limit))
            .rows::<SignInCodeRow>(self.connection()?)
            .await?;
        rows.into_iter().map(SignInCodeRow::entity).collect()
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
            .run(self.connection()?)
            .await?;
        Ok(())
    }

    async fn forget_expired(&mut self, before: OffsetDateTime, limit: u32) -> Result<(), StoreError> {
        let text = "DELETE FROM sign_in_codes WHERE email IN
            (SELECT email FROM sign_in_codes WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)";
        Sql::new(text).time(before).big(i64::from(limit)).run(self.connection()?).await?;
        Ok(())
    }
}
