//! Claims of due messages.
//!
//! Each organization has a share of the permits, and all codes together have one ahead of them. A claim takes three
//! steps: the shares with due messages, the next messages of these shares in fair order, and their locks.
//!
//! A queue may have very many messages that cannot be sent now: those of a destination without free permits, and those
//! that are not due. So no step scans the queue from its beginning. Each walks along an index, from share to share and
//! from destination to destination, and reads a few due rows there. The number of shares and destinations is bounded. If
//! there are more, a walk starts at a random due message, so that each has its turn.

use std::collections::BTreeMap;

use diesel::QueryableByName;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::QueuedMail;
use inboxd_core::ports::{OutgoingClaim, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use super::queue::NEVER;
use super::rows::{OUTGOING, OutgoingRow};
use crate::sql::Sql;

/// Share of all codes. No organization has this id.
const CODES: Uuid = Uuid::nil();
/// Candidates beyond the claimable number, in case other workers lock some of them.
const SPARE_ROWS: i64 = 64;
/// Shares that a walk passes, of all with queued messages.
const MAX_WALKED_SHARES: i32 = 1024;
/// Shares with due messages that are considered.
const MAX_SHARES: i64 = 128;
/// Destinations of a share that are considered.
const MAX_DESTINATIONS: i32 = 64;

/// Shares of organizations with due messages. The walk is a circle from that of a random due message: the last one
/// before a random moment since the longest due. Mail of suspended, held or removed organizations is skipped even before
/// its messages are held.
const SHARES: &str = "
    WITH RECURSIVE walk AS (
        SELECT o.share_id, o.share_id AS first, 1 AS step FROM (
            SELECT share_id FROM outgoing
            WHERE NOT is_code AND due_at <= (
                SELECT due_at + random() * ($1 - due_at) FROM outgoing WHERE NOT is_code ORDER BY due_at LIMIT 1)
            ORDER BY due_at DESC LIMIT 1) o
        UNION ALL
        SELECT next.share_id, w.first, w.step + 1 FROM walk w CROSS JOIN LATERAL (
            SELECT coalesce(
                (SELECT share_id FROM outgoing WHERE share_id > w.share_id ORDER BY share_id LIMIT 1),
                (SELECT share_id FROM outgoing WHERE share_id > $4 ORDER BY share_id LIMIT 1)) AS share_id) next
        WHERE w.step < $2 AND next.share_id <> w.first
    )
    SELECT w.share_id FROM walk w
    CROSS JOIN LATERAL (
        SELECT FROM outgoing WHERE share_id = w.share_id AND due_at <= $1 ORDER BY due_at LIMIT 1) longest_due
    LEFT JOIN organizations g ON g.organization_id = w.share_id
    WHERE g.suspended_at IS NULL AND g.brake IS DISTINCT FROM 'held' AND g.removed_at IS NULL
        AND (SELECT held_at FROM service_state) IS NULL
    LIMIT $3";

/// The next due messages of the shares `$2`, in fair order: a message of each share before a second of any.
///
/// Within a share, new messages and those tried before alternate, and the destinations of both take turns, the longest
/// due first at each. A share has at most `$9` permits, a destination `$6` over all shares, `$10` and `$7` of which are
/// taken. Messages through a relay have no destination (`''`) and no such limit.
const CANDIDATES: &str = "
    WITH RECURSIVE walk AS (
        SELECT s.share_id, o.destination, o.destination AS first, 1 AS step, random() AS draw
        FROM unnest($2::uuid[]) AS s(share_id)
        CROSS JOIN LATERAL (
            SELECT due_at + random() * ($1 - due_at) AS moment FROM outgoing
            WHERE share_id = s.share_id AND due_at <= $1 ORDER BY due_at LIMIT 1) longest_due
        CROSS JOIN LATERAL (
            SELECT destination FROM outgoing
            WHERE share_id = s.share_id AND due_at <= longest_due.moment ORDER BY due_at DESC LIMIT 1) o
        UNION ALL
        SELECT w.share_id, next.destination, w.first, w.step + 1, w.draw FROM walk w CROSS JOIN LATERAL (
            SELECT coalesce(
                (SELECT destination FROM outgoing WHERE share_id = w.share_id AND destination > w.destination
                    ORDER BY destination LIMIT 1),
                (SELECT destination FROM outgoing WHERE share_id = w.share_id
                    ORDER BY destination LIMIT 1)) AS destination) next
        WHERE w.step < $3 AND next.destination <> w.first
    ), places AS (
        SELECT w.share_id, w.destination, w.draw,
            CASE WHEN w.destination = '' THEN $4 ELSE greatest($6 - coalesce(h.taken, 0), 0) END AS free
        FROM walk w LEFT JOIN unnest($7::text[], $8::bigint[]) AS h(destination, taken) ON h.destination = w.destination
    ), due AS (
        SELECT p.*, o.*, row_number() OVER (PARTITION BY p.share_id, p.destination ORDER BY o.due_at) AS nth
        FROM places p CROSS JOIN LATERAL (
            SELECT organization_id, outgoing_id, due_at, attempts > 0 AS is_again FROM outgoing
            WHERE share_id = p.share_id AND destination = p.destination AND due_at <= $1
            ORDER BY due_at LIMIT p.free) o
    ), turns AS (
        SELECT *, row_number() OVER (PARTITION BY destination ORDER BY nth, draw) AS place_at_destination,
            row_number() OVER (PARTITION BY share_id, is_again ORDER BY nth, due_at) AS turn
        FROM due
    ), fair AS (
        SELECT *, row_number() OVER (PARTITION BY share_id ORDER BY turn, is_again) AS place_of_share
        FROM turns WHERE destination = '' OR place_at_destination <= free
    ), fitting AS (
        SELECT f.*, row_number() OVER (PARTITION BY f.is_again ORDER BY f.place_of_share, f.draw) AS place_of_kind
        FROM fair f LEFT JOIN unnest($10::uuid[], $11::bigint[]) AS h(share_id, taken) ON h.share_id = f.share_id
        WHERE f.place_of_share + coalesce(h.taken, 0) <= $9
    )
    SELECT organization_id, outgoing_id FROM fitting
    WHERE NOT is_again OR place_of_kind <= $5
    ORDER BY place_of_share, draw LIMIT $4";

/// Locks the first of the candidates that no other worker has locked, and claims them. A row is checked again once
/// locked, because another worker may have claimed it. Mail of paused inboxes is skipped even before it is held.
const CLAIM: &str = "
    WITH locked AS (
        SELECT o.organization_id, o.outgoing_id
        FROM unnest($4::uuid[], $5::uuid[]) WITH ORDINALITY AS c(organization_id, outgoing_id, place)
            JOIN outgoing o ON o.organization_id = c.organization_id AND o.outgoing_id = c.outgoing_id
            LEFT JOIN inboxes i ON i.organization_id = o.organization_id AND i.inbox_id = o.inbox_id
        WHERE o.due_at <= $1 AND i.paused_at IS NULL
        ORDER BY c.place LIMIT $6 FOR NO KEY UPDATE OF o SKIP LOCKED
    )
    UPDATE outgoing o SET due_at = $2, attempts = o.attempts + 1, claim_id = $3
    FROM locked l WHERE o.organization_id = l.organization_id AND o.outgoing_id = l.outgoing_id
    RETURNING ";

/// Holds those of the candidates whose inbox is paused. An interrupted request leaves them due, and they would precede the
/// mail of all other inboxes of their organization at each claim.
const HOLD_PAUSED: &str = "
    WITH paused AS (
        SELECT o.organization_id, o.outgoing_id
        FROM unnest($2::uuid[], $3::uuid[]) AS c(organization_id, outgoing_id)
            JOIN outgoing o ON o.organization_id = c.organization_id AND o.outgoing_id = c.outgoing_id
            JOIN inboxes i ON i.organization_id = o.organization_id AND i.inbox_id = o.inbox_id
        WHERE o.due_at <= $1 AND o.held_due_at IS NULL AND i.paused_at IS NOT NULL
        FOR NO KEY UPDATE OF o SKIP LOCKED
    )
    UPDATE outgoing o SET held_due_at = o.due_at, due_at = ";

#[derive(QueryableByName)]
struct ShareRow {
    #[diesel(sql_type = SqlUuid)]
    share_id: Uuid,
}

#[derive(QueryableByName)]
struct DueMailRow {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    outgoing_id: Uuid,
}

/// Claims messages in the order of their acceptance.
///
/// Codes come first, within their own permits: they do not wait for tenants' mail, and half of the permits stay for
/// tenants. Permits that codes use at a destination are missing for the others.
pub(super) async fn claim(
    connection: &mut AsyncPgConnection,
    claim: &OutgoingClaim,
) -> Result<Vec<QueuedMail>, StoreError> {
    let codes = OutgoingClaim {
        limit: claim.limit.min(claim.codes),
        per_organization: u32::MAX,
        held: Vec::new(),
        ..claim.clone()
    };
    let mut rows = claim_of(connection, &codes, &[CODES]).await?;
    let mail = after_codes(claim, &rows);
    if mail.limit > 0 {
        let shares = shares(connection, claim.now).await?;
        rows.extend(claim_of(connection, &mail, &shares).await?);
    }
    // An unreadable message must not block others: it is out of the way until its claim expires.
    let mut mails: Vec<QueuedMail> = rows.into_iter().filter_map(OutgoingRow::readable).collect();
    mails.sort_by_key(|mail| (mail.created_at, mail.outgoing_id));
    Ok(mails)
}

/// Returns the claim of tenants' mail with the permits that codes left.
fn after_codes(claim: &OutgoingClaim, codes: &[OutgoingRow]) -> OutgoingClaim {
    let mut in_hand: BTreeMap<String, u32> = claim.in_hand.iter().cloned().collect();
    for code in codes {
        *in_hand.entry(code.destination().to_owned()).or_default() += 1;
    }
    let claimed = u32::try_from(codes.len()).unwrap_or(u32::MAX);
    OutgoingClaim {
        limit: claim.limit.saturating_sub(claimed).min(claim.messages),
        in_hand: in_hand.into_iter().collect(),
        ..claim.clone()
    }
}

/// Returns the shares of organizations with due messages.
async fn shares(connection: &mut AsyncPgConnection, now: OffsetDateTime) -> Result<Vec<Uuid>, StoreError> {
    let rows = Sql::new(SHARES)
        .time(now)
        .integer(MAX_WALKED_SHARES)
        .big(MAX_SHARES)
        .uuid(CODES)
        .rows::<ShareRow>(connection)
        .await?;
    Ok(rows.into_iter().map(|row| row.share_id).collect())
}

/// Claims messages of these shares.
async fn claim_of(
    connection: &mut AsyncPgConnection,
    claim: &OutgoingClaim,
    shares: &[Uuid],
) -> Result<Vec<OutgoingRow>, StoreError> {
    if claim.limit == 0 || shares.is_empty() {
        return Ok(Vec::new());
    }
    let candidates = candidates(connection, claim, shares).await?;
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let claimed: Vec<OutgoingRow> = Sql::new(format!("{CLAIM}{OUTGOING}"))
        .time(claim.now)
        .time(claim.until)
        .uuid(claim.claim_id)
        .uuids(candidates.iter().map(|row| row.organization_id))
        .uuids(candidates.iter().map(|row| row.outgoing_id))
        .big(i64::from(claim.limit))
        .rows(connection)
        .await?;
    let limit = usize::try_from(claim.limit).unwrap_or(usize::MAX);
    if claimed.len() < candidates.len().min(limit) {
        hold_paused(connection, claim.now, &candidates).await?;
    }
    Ok(claimed)
}

/// Holds the candidates of paused inboxes.
async fn hold_paused(
    connection: &mut AsyncPgConnection,
    now: OffsetDateTime,
    candidates: &[DueMailRow],
) -> Result<(), StoreError> {
    let text = format!(
        "{HOLD_PAUSED}{NEVER} FROM paused p
        WHERE o.organization_id = p.organization_id AND o.outgoing_id = p.outgoing_id"
    );
    Sql::new(text)
        .time(now)
        .uuids(candidates.iter().map(|row| row.organization_id))
        .uuids(candidates.iter().map(|row| row.outgoing_id))
        .run(connection)
        .await?;
    Ok(())
}

/// Returns the next due messages of these shares, with some to spare.
async fn candidates(
    connection: &mut AsyncPgConnection,
    claim: &OutgoingClaim,
    shares: &[Uuid],
) -> Result<Vec<DueMailRow>, StoreError> {
    Sql::new(CANDIDATES)
        .time(claim.now)
        .uuids(shares.iter().copied())
        .integer(MAX_DESTINATIONS)
        .big(i64::from(claim.limit) + SPARE_ROWS)
        .big(i64::from(claim.retries))
        .big(i64::from(claim.per_destination))
        .texts(claim.in_hand.iter().map(|(destination, _)| destination.as_str()))
        .bigs(claim.in_hand.iter().map(|(_, taken)| i64::from(*taken)))
        .big(i64::from(claim.per_organization))
        .uuids(claim.held.iter().map(|(organization_id, _)| organization_id.0))
        .bigs(claim.held.iter().map(|(_, taken)| i64::from(*taken)))
        .rows(connection)
        .await
}
