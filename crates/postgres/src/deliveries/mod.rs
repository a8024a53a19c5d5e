//! Queue of webhook deliveries and log of attempts.

mod claim;
mod failure_state;
mod queue;
mod read;
mod update_claimed;

/// Condition that webhook `w` matches an event `e` of its organization. Both may be any tables with the columns of
/// `webhooks` and of `feed`.
pub(crate) const HEARS: &str = "w.enabled AND e.event_type = ANY(w.event_types)
    AND (w.pod_id IS NULL OR w.pod_id = e.pod_id) AND (w.inbox_id IS NULL OR w.inbox_id = e.inbox_id)
    AND (w.trust = '{}' OR e.event_type NOT LIKE 'message.received%' OR e.verdict = ANY(w.trust))
    AND (NOT w.narrowed OR e.pod_id = ANY(w.pod_ids) OR e.inbox_id = ANY(w.inbox_ids))";

/// Recursive query that jumps along the key of `webhook_deliveries` to each webhook with deliveries. A webhook costs
/// one step for any number of deliveries. It follows `WITH RECURSIVE`.
const QUEUED: &str = "queued AS (
        (SELECT organization_id, webhook_id FROM webhook_deliveries ORDER BY organization_id, webhook_id LIMIT 1)
        UNION ALL
        SELECT next.organization_id, next.webhook_id FROM queued q CROSS JOIN LATERAL (
            SELECT organization_id, webhook_id FROM webhook_deliveries
            WHERE (organization_id, webhook_id) > (q.organization_id, q.webhook_id)
            ORDER BY organization_id, webhook_id LIMIT 1) next
    )";
