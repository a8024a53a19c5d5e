//! Claims of due messages.
//!
//! A queue may have very many messages that cannot be sent now: those of a destination with a full share, and those
//! that are not due. So no query scans the queue from its beginning. Each jumps along indexes, from organization to
//! organization and from destination to destination, and reads a few due rows there. The number of organizations and
//! destinations is bounded. If there are more, a walk starts at a random message, so that each has its turn.

use std::sync::LazyLock;

use diesel_async::AsyncPgConnection;
use inboxd_core::model::QueuedMail;
use inboxd_core::ports::{OutgoingClaim, StoreError};
use uuid::Uuid;

use super::rows::{OUTGOING, OutgoingRow};
use crate::sql::Sql;

/// Rows read beyond the claimable number, in case other workers lock some of them.
const SPARE_ROWS: i64 = 64;
/// Organizations that a walk passes, of all with queued messages.
const MAX_WALKED_ORGANIZATIONS: i64 = 1024;
/// Organizations with due messages that are considered.
const MAX_ORGANIZATIONS: i64 = 128;
/// Destinations of an organization that are considered, in each of two ways.
const MAX_DESTINATIONS: i64 = 64;

/// Claims codes first, the longest due first, within their own permits: they do not wait for tenants' mail, and half of
/// the permits stay for tenants. The remaining permits are shared among organizations with due mail, one message each
/// before a second, and within each among its destinations likewise.
///
/// `hand` has the claimed messages of the process by destination, and `held` by organization: none may use all permits
/// for silent servers. A part of the remaining permits stays free for codes. Permits that codes use at a destination
/// are missing for the others. Within an organization's part, retries and new messages have half each. Rows are checked
/// again once locked, because another worker may have claimed them. Mail of suspended or removed organizations and of
/// paused inboxes is skipped even before it is held. Each check is a scalar subquery, so that the planner makes no join
/// with a whole table. `MATERIALIZED` ensures that rows are picked and locked once, and that random values are drawn
/// once.
///
/// Ranges have both ends in the order of one index, `(destination, due_at)` between `(d, '-infinity')` and `(d, now)`.
/// With `destination = d AND due_at <= now` the planner could use an index on the time alone, because it does not know
/// how many rows of other destinations come first.
static CLAIM: LazyLock<String> = LazyLock::new(|| {
    let (own_ready, their_ready) = (ready(&CODES), ready(&TENANT_MAIL));
    format!(
        "WITH RECURSIVE hand AS MATERIALIZED (
        SELECT destination, taken FROM unnest($6::text[], $7::bigint[]) AS h(destination, taken)
    ), held AS MATERIALIZED (
        SELECT organization_id, taken FROM unnest($15::uuid[], $16::bigint[]) AS h(organization_id, taken)
    ), chance AS MATERIALIZED (
        SELECT NULL::uuid AS organization_id, random() AS draw
    ), own_ready AS MATERIALIZED (
        SELECT place, due_at, is_again, row_number() OVER (PARTITION BY is_again ORDER BY due_at) AS turn
        FROM chance t CROSS JOIN LATERAL ({own_ready}) o
    ), own AS MATERIALIZED (
        SELECT o.organization_id, o.outgoing_id, o.destination FROM outgoing o JOIN own_ready r ON o.ctid = r.place
        WHERE o.ctid = ANY (ARRAY(SELECT place FROM own_ready WHERE NOT is_again OR turn <= $4 ORDER BY due_at LIMIT least($3, $17) + $10))
            AND o.due_at <= $1
        ORDER BY r.due_at LIMIT least($3, $17) FOR NO KEY UPDATE OF o SKIP LOCKED
    ), room AS MATERIALIZED (
        SELECT CASE WHEN (SELECT held_at IS NULL FROM service_state) IS NOT FALSE
            THEN least($13, $3 - (SELECT count(*) FROM own)) ELSE 0 END AS places
    ), own_at AS MATERIALIZED (
        SELECT destination, count(*) AS taken FROM own GROUP BY destination
    ), first AS MATERIALIZED (
        SELECT o.organization_id FROM chance
            CROSS JOIN LATERAL (
                SELECT due_at AS since FROM outgoing WHERE NOT is_code ORDER BY due_at LIMIT 1) oldest
            CROSS JOIN LATERAL (
                SELECT organization_id FROM outgoing
                WHERE NOT is_code AND due_at <= oldest.since + chance.draw * ($1 - oldest.since)
                ORDER BY due_at DESC LIMIT 1) o
        WHERE oldest.since <= $1
    ), walk AS (
        SELECT organization_id FROM first
        UNION
        SELECT next.organization_id FROM walk w CROSS JOIN LATERAL (
            SELECT coalesce(
                (SELECT organization_id FROM outgoing
                    WHERE NOT is_code AND organization_id > w.organization_id
                    ORDER BY organization_id LIMIT 1),
                (SELECT organization_id FROM outgoing WHERE NOT is_code
                    ORDER BY organization_id LIMIT 1)) AS organization_id
        ) next WHERE next.organization_id IS NOT NULL
    ), drawn AS MATERIALIZED (
        SELECT w.organization_id, random() AS draw FROM (SELECT organization_id FROM walk LIMIT $8) w
        WHERE (SELECT true FROM outgoing
            WHERE NOT is_code AND (organization_id, due_at) >= (w.organization_id, '-infinity')
                AND (organization_id, due_at) <= (w.organization_id, $1)
            ORDER BY organization_id, due_at LIMIT 1)
            AND (SELECT g.suspended_at IS NULL AND g.brake IS DISTINCT FROM 'held' AND g.removed_at IS NULL FROM organizations g
                WHERE g.organization_id = w.organization_id) IS NOT FALSE
        LIMIT $9
    ), their_ready AS (
        SELECT t.organization_id, t.draw, o.*
        FROM drawn t CROSS JOIN LATERAL ({their_ready}) o
    ), turns AS (
        SELECT *, row_number() OVER (PARTITION BY organization_id ORDER BY nth, due_at) AS turn,
            row_number() OVER (PARTITION BY destination ORDER BY nth, draw)
                + coalesce((SELECT taken FROM own_at WHERE own_at.destination = their_ready.destination), 0)
                AS place_at_destination
        FROM their_ready
    ), fitting AS (
        SELECT *, row_number() OVER (PARTITION BY organization_id, is_again ORDER BY turn) AS turn_of_kind
        FROM turns WHERE destination = '' OR place_at_destination <= share
    ), fair AS (
        SELECT f.*, row_number() OVER (PARTITION BY f.organization_id ORDER BY f.turn_of_kind, f.turn)
            + coalesce((SELECT taken FROM held WHERE held.organization_id = f.organization_id), 0) AS place_of_organization
        FROM fitting f
    ), picked AS MATERIALIZED (
        SELECT *, row_number() OVER (PARTITION BY is_again ORDER BY turn, draw) AS turn_again
        FROM fair WHERE place_of_organization <= $14
    ), theirs AS MATERIALIZED (
        SELECT o.organization_id, o.outgoing_id FROM outgoing o JOIN picked p ON o.ctid = p.place
        WHERE o.ctid = ANY (ARRAY(SELECT place FROM picked WHERE NOT is_again OR turn_again <= $4
                ORDER BY turn, draw LIMIT (SELECT places FROM room) + $10))
            AND o.due_at <= $1
            AND (SELECT i.paused_at IS NULL FROM inboxes i
                WHERE i.organization_id = o.organization_id AND i.inbox_id = o.inbox_id) IS NOT FALSE
        ORDER BY p.turn, p.draw LIMIT (SELECT places FROM room) FOR NO KEY UPDATE OF o SKIP LOCKED
    ), due AS MATERIALIZED (
        SELECT organization_id, outgoing_id FROM own UNION ALL SELECT organization_id, outgoing_id FROM theirs
    )
    UPDATE outgoing o SET due_at = $2, attempts = o.attempts + 1, claim_id = $12
    FROM due WHERE o.organization_id = due.organization_id AND o.outgoing_id = due.outgoing_id
    RETURNING {OUTGOING}"
    )
});

/// Query parts for one kind of message: codes, or messages of the organization `t`.
struct ClaimKind {
    /// Condition on the rows.
    rows: &'static str,
    /// Leading index columns before the usual ones, and their values; each with a comma if not empty.
    lead: [&'static str; 2],
    /// Descending order by time.
    newest_first: &'static str,
    /// Number of free permits.
    room: &'static str,
}

/// Codes.
const CODES: ClaimKind =
    ClaimKind { rows: "is_code", lead: ["", ""], newest_first: "due_at DESC", room: "least($3, $17)" };

/// Messages of an organization.
const TENANT_MAIL: ClaimKind = ClaimKind {
    rows: "NOT is_code",
    lead: ["organization_id, ", "t.organization_id, "],
    newest_first: "organization_id DESC, due_at DESC",
    room: "(SELECT places FROM room)",
};

/// Builds the query of due rows at each destination, up to its free permits (`share`).
fn ready(kind: &ClaimKind) -> String {
    let ClaimKind { rows, lead: [column, value], room, .. } = kind;
    let destinations = destinations(kind);
    format!(
        "SELECT d.destination, $5 - coalesce(h.taken, 0) AS share, w.place, w.due_at, w.is_again,
            row_number() OVER (PARTITION BY d.destination ORDER BY w.due_at) AS nth
        FROM ({destinations}) d LEFT JOIN hand h ON h.destination = d.destination CROSS JOIN LATERAL (
            SELECT ctid AS place, due_at, attempts > 0 AS is_again FROM outgoing
            WHERE {rows} AND ({column}destination, due_at) >= ({value}d.destination, '-infinity')
                AND ({column}destination, due_at) <= ({value}d.destination, $1)
            ORDER BY {column}destination, due_at
            LIMIT CASE WHEN d.destination = '' THEN {room} + $10 ELSE greatest(0, $5 - coalesce(h.taken, 0)) END) w"
    )
}

/// Builds the query of destinations: those of the rows that are due for the longest time, and a circular walk from the
/// destination of a random due row, drawn by `t.draw`.
fn destinations(kind: &ClaimKind) -> String {
    let ClaimKind { rows, lead: [column, value], newest_first, .. } = kind;
    // The rows of other organizations are on both sides of one organization's rows.
    let within =
        if column.is_empty() { String::new() } else { format!(" AND ({column}due_at) >= ({value}'-infinity')") };
    let own = if column.is_empty() { "" } else { " AND organization_id = t.organization_id" };
    format!(
        "SELECT destination FROM (
            SELECT destination FROM outgoing WHERE {rows}{within} AND ({column}due_at) <= ({value}$1)
            ORDER BY {column}due_at LIMIT $11) longest_due
        UNION
        SELECT destination FROM (
            WITH RECURSIVE around AS (
                (SELECT o.destination FROM (
                    SELECT due_at AS since FROM outgoing WHERE {rows}{within} AND ({column}due_at) <= ({value}$1)
                    ORDER BY {column}due_at LIMIT 1) oldest
                    CROSS JOIN LATERAL (
                        SELECT destination FROM outgoing
                        WHERE {rows}{within}
                            AND ({column}due_at) <= ({value}oldest.since + t.draw * ($1 - oldest.since))
                        ORDER BY {newest_first} LIMIT 1) o)
                UNION
                SELECT next.destination FROM around a CROSS JOIN LATERAL (
                    SELECT coalesce(
                        (SELECT destination FROM outgoing WHERE {rows}{own} AND destination > a.destination
                            ORDER BY destination LIMIT 1),
                        (SELECT destination FROM outgoing WHERE {rows}{own} ORDER BY destination LIMIT 1)) AS destination
                ) next WHERE next.destination IS NOT NULL
            ) SELECT destination FROM around LIMIT $11) walked"
    )
}

/// Claims messages in the order of their acceptance.
pub(super) async fn claim(
    connection: &mut AsyncPgConnection,
    claim: &OutgoingClaim,
) -> Result<Vec<QueuedMail>, StoreError> {
    let (destinations, taken): (Vec<&str>, Vec<i64>) =
        claim.in_hand.iter().map(|(destination, taken)| (destination.as_str(), i64::from(*taken))).unzip();
    let (organizations, held): (Vec<Uuid>, Vec<i64>) =
        claim.held.iter().map(|(organization_id, held)| (organization_id.0, i64::from(*held))).unzip();
    let rows = Sql::new(CLAIM.as_str())
        .time(claim.now)
        .time(claim.until)
        .big(i64::from(claim.limit))
        .big(i64::from(claim.retries))
        .big(i64::from(claim.per_destination))
        .texts(destinations)
        .bigs(taken)
        .big(MAX_WALKED_ORGANIZATIONS)
        .big(MAX_ORGANIZATIONS)
        .big(SPARE_ROWS)
        .big(MAX_DESTINATIONS)
        .uuid(claim.claim_id)
        .big(i64::from(claim.messages))
        .big(i64::from(claim.per_organization))
        .uuids(organizations)
        .bigs(held)
        .big(i64::from(claim.codes))
        .rows::<OutgoingRow>(connection)
        .await?;
    // An unreadable message must not block others: it is out of the way until its claim expires.
    let mut mails: Vec<QueuedMail> = rows.into_iter().filter_map(OutgoingRow::readable).collect();
    mails.sort_by_key(|mail| (mail.created_at, mail.outgoing_id));
    Ok(mails)
}
