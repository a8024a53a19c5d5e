//! Usage samples.

use diesel_async::AsyncPgConnection;
use inboxd_core::model::{OrganizationId, PodId};
use inboxd_core::ports::{Sampling, StoreError};
use uuid::Uuid;

use super::{DOMAINS, NO_POD};
use crate::scalar_rows::OrganizationIdRow;
use crate::sql::Sql;

/// Samples all organizations, pods and inboxes of a batch. An unchanged scope is skipped for a time. Old samples are
/// deleted, as are samples of a pod or inbox that were written during its deletion.
pub(crate) async fn sample(
    connection: &mut AsyncPgConnection,
    sampling: &Sampling,
) -> Result<Option<OrganizationId>, StoreError> {
    let batch =
        "SELECT organization_id FROM organizations WHERE organization_id > $1 ORDER BY organization_id LIMIT $2";
    let organizations = Sql::new(batch)
        .uuid(sampling.after.map_or_else(Uuid::nil, |after| after.0))
        .big(i64::from(sampling.limit))
        .rows::<OrganizationIdRow>(connection)
        .await?;
    let Some(last) = organizations.last() else { return Ok(None) };
    Sql::new(writing())
        .uuids(organizations.iter().map(|key| key.organization_id))
        .time(sampling.hour)
        .time(sampling.taken_at)
        .time(sampling.unchanged_since)
        .time(sampling.kept_since)
        .uuid(NO_POD)
        .run(connection)
        .await?;
    Ok(Some(last.organization_id.into()))
}

/// Builds the sample statement: the sums of all scopes in one pass over the inboxes, each compared with its last
/// sample. A second writer in one hour writes nothing.
fn writing() -> String {
    format!(
        "WITH used AS (
            SELECT i.organization_id, i.pod_id, i.inbox_id, count(*) AS inboxes, sum(u.storage_bytes) AS storage_bytes,
                sum(u.messages) AS messages, sum(u.threads) AS threads
            FROM inboxes i
                LEFT JOIN inbox_usage u ON u.organization_id = i.organization_id AND u.inbox_id = i.inbox_id
            WHERE i.organization_id = ANY($1) AND i.deleted_at IS NULL
            GROUP BY GROUPING SETS (
                (i.organization_id), (i.organization_id, i.pod_id), (i.organization_id, i.pod_id, i.inbox_id))
        ), scopes AS (
            SELECT organization_id, NULL::uuid AS pod_id, '' AS inbox_id FROM organizations
                WHERE organization_id = ANY($1)
            UNION ALL SELECT organization_id, pod_id, '' FROM pods
                WHERE organization_id = ANY($1) AND deleted_at IS NULL
        ), counted AS MATERIALIZED (
            SELECT s.organization_id, coalesce(s.pod_id, $6) AS pod_id, s.inbox_id,
                coalesce(u.storage_bytes, 0)::bigint AS storage_bytes, coalesce(u.messages, 0)::bigint AS message_count,
                coalesce(u.threads, 0)::bigint AS thread_count, coalesce(u.inboxes, 0) AS inbox_count,
                CASE WHEN s.pod_id IS NULL THEN (
                    SELECT count(*) FROM pods p WHERE p.organization_id = s.organization_id AND p.deleted_at IS NULL)
                ELSE 0 END AS pod_count,
                {DOMAINS} AS domain_count
            FROM scopes s LEFT JOIN used u ON u.organization_id = s.organization_id
                AND coalesce(u.pod_id, $6) = coalesce(s.pod_id, $6) AND coalesce(u.inbox_id, '') = s.inbox_id
            UNION ALL
            SELECT organization_id, $6, inbox_id, coalesce(storage_bytes, 0)::bigint, coalesce(messages, 0)::bigint,
                coalesce(threads, 0)::bigint, 0, 0, 0
            FROM used WHERE inbox_id IS NOT NULL
        ), outdated AS (
            DELETE FROM usage_samples WHERE organization_id = ANY($1) AND hour < $5
        )
        INSERT INTO usage_samples (organization_id, pod_id, inbox_id, hour, taken_at, storage_bytes, message_count,
            thread_count, inbox_count, pod_count, domain_count)
        SELECT c.organization_id, c.pod_id, c.inbox_id, $2, $3, c.storage_bytes, c.message_count, c.thread_count,
            c.inbox_count, c.pod_count, c.domain_count
        FROM counted c LEFT JOIN LATERAL (
            SELECT * FROM usage_samples p
            WHERE p.organization_id = c.organization_id AND p.pod_id = c.pod_id AND p.inbox_id = c.inbox_id
            ORDER BY hour DESC LIMIT 1) last ON true
        WHERE last.hour IS NULL OR last.taken_at < $4
            OR (c.storage_bytes, c.message_count, c.thread_count, c.inbox_count, c.pod_count, c.domain_count)
                IS DISTINCT FROM (last.storage_bytes, last.message_count, last.thread_count, last.inbox_count,
                    last.pod_count, last.domain_count)
        ORDER BY c.organization_id, c.pod_id, c.inbox_id
        ON CONFLICT DO NOTHING",
    )
}

/// Deletes the samples of a pod.
pub(crate) async fn delete_pod_samples(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    pod_id: PodId,
) -> Result<(), StoreError> {
    let text = "DELETE FROM usage_samples WHERE organization_id = $1 AND pod_id = $2";
    Sql::new(text).uuid(organization_id.0).uuid(pod_id.0).run(connection).await?;
    Ok(())
}

/// Deletes the samples of an inbox.
pub(crate) async fn delete_inbox_samples(
    connection: &mut AsyncPgConnection,
    organization_id: Uuid,
    inbox_id: &str,
) -> Result<(), StoreError> {
    let text = "DELETE FROM usage_samples WHERE organization_id = $1 AND pod_id = $2 AND inbox_id = $3";
    Sql::new(text).uuid(organization_id).uuid(NO_POD).text(inbox_id).run(connection).await?;
    Ok(())
}
