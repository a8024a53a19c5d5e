//! The queue of events for webhooks, and the log of attempts.

mod claim;
mod queue;
mod read;
mod runs;
mod settle;

/// Jumps along the key of `webhook_deliveries` from one webhook that has deliveries to the next: a webhook costs a step,
/// whether a thousand deliveries wait for it or a million. It stands behind `WITH RECURSIVE`.
const QUEUED: &str = "queued AS (
        (SELECT organization_id, webhook_id FROM webhook_deliveries ORDER BY organization_id, webhook_id LIMIT 1)
        UNION ALL
        SELECT next.organization_id, next.webhook_id FROM queued q CROSS JOIN LATERAL (
            SELECT organization_id, webhook_id FROM webhook_deliveries
            WHERE (organization_id, webhook_id) > (q.organization_id, q.webhook_id)
            ORDER BY organization_id, webhook_id LIMIT 1) next
    )";
