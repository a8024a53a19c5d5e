//! Changes of the queue.
//!
//! A claim is known by its id: a worker whose lease has run out finds another one and changes nothing.

use async_trait::async_trait;
use diesel::ExpressionMethods;
use diesel_async::RunQueryDsl;
use inboxd_core::model::{ClaimedMail, Outgoing};
use inboxd_core::ports::{CapturedMail, OutgoingClaim, OutgoingQueue, StoreError};
use inboxd_mail::EmailAddress;

use super::rows::OutgoingRow;
use crate::error::{expect_rows, failure};
use crate::return_paths;
use crate::schema::{captured, outgoing};
use crate::sql::Sql;
use crate::tx::PgTx;

/// How many captured mails are kept.
const CAPTURED: i64 = 1000;

#[async_trait]
impl OutgoingQueue for PgTx {
    async fn enqueue(&mut self, mails: &[Outgoing]) -> Result<(), StoreError> {
        if mails.is_empty() {
            return Ok(());
        }
        let rows: Vec<OutgoingRow> = mails.iter().map(OutgoingRow::of).collect();
        let written =
            diesel::insert_into(outgoing::table).values(rows).execute(self.connection()?).await.map_err(failure)?;
        expect_rows(written, mails.len())?;
        return_paths::note(self.connection()?, mails).await
    }

    async fn claim(&mut self, claim: &OutgoingClaim) -> Result<Vec<Outgoing>, StoreError> {
        super::claim::claim(self.connection()?, claim).await
    }

    async fn defer(&mut self, mail: &Outgoing) -> Result<bool, StoreError> {
        let recipients: Vec<&str> = mail.recipients.iter().map(EmailAddress::as_str).collect();
        let written = diesel::update(outgoing::table)
            .filter(outgoing::organization_id.eq(mail.organization_id.0))
            .filter(outgoing::outgoing_id.eq(mail.outgoing_id.0))
            .filter(outgoing::claim_id.eq(mail.claim_id))
            .set((
                outgoing::recipients.eq(recipients),
                outgoing::due_at.eq(mail.due_at),
                outgoing::is_delay_told.eq(mail.is_delay_told),
            ))
            .execute(self.connection()?)
            .await
            .map_err(failure)?;
        Ok(written > 0)
    }

    async fn remove(&mut self, claim: ClaimedMail) -> Result<bool, StoreError> {
        let deleted = diesel::delete(outgoing::table)
            .filter(outgoing::organization_id.eq(claim.organization_id.0))
            .filter(outgoing::outgoing_id.eq(claim.outgoing_id.0))
            .filter(outgoing::claim_id.eq(claim.claim_id))
            .execute(self.connection()?)
            .await
            .map_err(failure)?;
        Ok(deleted > 0)
    }

    async fn capture(&mut self, mail: &CapturedMail) -> Result<(), StoreError> {
        let recipients: Vec<&str> = mail.recipients.iter().map(EmailAddress::as_str).collect();
        let connection = self.connection()?;
        diesel::insert_into(captured::table)
            .values((
                captured::envelope_from.eq(mail.envelope_from.as_str()),
                captured::recipients.eq(recipients),
                captured::sealed.eq(mail.sealed.as_slice()),
                captured::captured_at.eq(mail.captured_at),
            ))
            .execute(connection)
            .await
            .map_err(failure)?;
        let text = "DELETE FROM captured WHERE captured_id <=
            (SELECT captured_id FROM captured ORDER BY captured_id DESC OFFSET $1 LIMIT 1)";
        Sql::new(text).big(CAPTURED).run(connection).await?;
        Ok(())
    }
}
