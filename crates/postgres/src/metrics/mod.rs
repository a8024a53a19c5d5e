//! Counts and usage over time.

use uuid::Uuid;

mod read;
pub(crate) mod sample;

/// `pod_id` in the key of a sample of an organization or an inbox.
const NO_POD: Uuid = Uuid::nil();

/// Number of custom domains of a scope `s`: its `organization_id`, and its `pod_id`, which is null for the whole
/// organization.
const DOMAINS: &str = "(SELECT count(*) FROM domains d WHERE d.organization_id = s.organization_id
    AND d.deleted_at IS NULL AND (s.pod_id IS NULL OR d.pod_id = s.pod_id))";
