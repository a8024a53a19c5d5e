//! Counts over time.

use uuid::Uuid;

mod read;
pub(crate) mod sample;

/// The `pod_id` in the key of a sample that is not of a pod, but of an organization or an inbox.
const NO_POD: Uuid = Uuid::nil();

/// How many custom domains a scope `s` has: its `organization_id`, and its `pod_id`, which is null where the scope is
/// the whole organization.
const DOMAINS: &str = "(SELECT count(*) FROM domains d WHERE d.organization_id = s.organization_id
    AND d.deleted_at IS NULL AND (s.pod_id IS NULL OR d.pod_id = s.pod_id))";
