//! Events of submissions, by which their undecided commits are verified.

use std::time::Duration;

use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, QueryResult};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use inboxd_core::model::{Event, EventType, OrganizationId};
use inboxd_core::ports::{StoreError, SubmissionKey, Tx};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::rows::{EVENT, EventRow};
use crate::schema::organizations;
use crate::sql::Sql;
use crate::store::PgStore;

/// Time limit of a read with all its attempts.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// Delay between two attempts.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// Reads the events of submissions, again while the database is away or accepts no locks because it is a standby.
pub(super) async fn read(
    store: &PgStore,
    organization_id: OrganizationId,
    submissions: &[SubmissionKey],
) -> Result<Vec<Option<Event>>, StoreError> {
    let attempts = async {
        loop {
            match read_locked(store, organization_id, submissions).await {
                Err(error) if !matches!(error, StoreError::Failed(_)) => sleep(RETRY_DELAY).await,
                decided => return decided,
            }
        }
    };
    let late = |_| StoreError::Unavailable(format!("no events within {} s", READ_TIMEOUT.as_secs()));
    timeout(READ_TIMEOUT, attempts).await.map_err(late)?
}

/// Reads the events of submissions behind the units of work that hold the lock of the organization.
async fn read_locked(
    store: &PgStore,
    organization_id: OrganizationId,
    submissions: &[SubmissionKey],
) -> Result<Vec<Option<Event>>, StoreError> {
    let mut tx = store.attempt_unit_of_work().await?;
    let locking = async |mut connection: &AsyncPgConnection| {
        let locked: QueryResult<Uuid> = organizations::table
            .filter(organizations::organization_id.eq(organization_id.0))
            .select(organizations::organization_id)
            .for_no_key_update()
            .first(&mut connection)
            .await;
        // One of several attempts, so that its failure is not counted.
        locked.optional().map_err(|error| StoreError::Unavailable(error.to_string()))
    };
    let _locked: Option<Uuid> = tx.beginning(locking).await?;
    // A later statement of the same transaction sees the commits before the lock. Another connection may reach a standby.
    let connection = tx.connection().await?;
    let mut events = Vec::with_capacity(submissions.len());
    for submission in submissions {
        events.push(event_of(connection, organization_id, submission).await?);
    }
    Box::new(tx).commit().await?;
    Ok(events)
}

async fn event_of(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    submission: &SubmissionKey,
) -> Result<Option<Event>, StoreError> {
    let text = format!(
        "SELECT {EVENT} FROM events e
        WHERE organization_id = $1 AND inbox_id = $2 AND message_id = $3 AND created_at = $4 AND event_type = ANY($5)
        LIMIT 1"
    );
    let row = Sql::new(text)
        .uuid(organization_id.0)
        .text(submission.inbox_id.as_str())
        .text(submission.message_id.as_str())
        .time(submission.submitted_at)
        .texts([EventType::MessageSent, EventType::MessageHeld].map(EventType::as_str))
        .row::<EventRow>(connection)
        .await?;
    row.map(EventRow::logged).transpose()
}
