//! Rows of `members`, and the memberships of an address.

use std::collections::HashMap;

use diesel::sql_types::{Nullable, Text, Timestamptz};
use diesel::{Insertable, Queryable, QueryableByName, Selectable};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{InboxId, Member, Membership, OrganizationId};
use inboxd_core::ports::{MAX_INVITATIONS_READ, StoreError};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::accounts::rows::{OrganizationRow, stored_address};
use crate::schema::members;
use crate::sql::Sql;
use crate::text::stored;

/// A row of `members`, without its removal.
#[derive(Queryable, QueryableByName, Selectable, Insertable)]
#[diesel(table_name = members, check_for_backend(diesel::pg::Pg))]
pub(crate) struct MemberRow {
    organization_id: Uuid,
    member_id: Uuid,
    email: String,
    name: String,
    role: String,
    inbox_ids: Vec<String>,
    client_id: Option<String>,
    joined_at: Option<OffsetDateTime>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

/// The columns of a [`MemberRow`].
pub(super) const MEMBER: &str = "organization_id, member_id, email, name, role, inbox_ids, client_id, joined_at,
    created_at, updated_at";

impl MemberRow {
    /// Creates the row of a member.
    pub(super) fn of(member: &Member) -> Self {
        Self {
            organization_id: member.organization_id.0,
            member_id: member.member_id.0,
            email: member.email.as_str().to_owned(),
            name: stored(&member.name),
            role: member.role.as_str().to_owned(),
            inbox_ids: inbox_ids(member),
            client_id: member.client_id.as_deref().map(stored),
            joined_at: member.joined_at,
            created_at: member.created_at,
            updated_at: member.updated_at,
        }
    }

    /// Returns the member of the row.
    pub(crate) fn entity(self) -> Result<Member, StoreError> {
        Ok(Member {
            organization_id: self.organization_id.into(),
            member_id: self.member_id.into(),
            email: stored_address(&self.email)?,
            name: self.name,
            role: self.role.parse().map_err(|_| StoreError::Failed(format!("unknown role {:?}", self.role)))?,
            inbox_ids: self.inbox_ids.into_iter().map(InboxId::stored).collect(),
            client_id: self.client_id,
            joined_at: self.joined_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// Returns the stored form of a member's inboxes.
pub(super) fn inbox_ids(member: &Member) -> Vec<String> {
    member.inbox_ids.iter().map(|inbox_id| stored(inbox_id.as_str())).collect()
}

#[derive(QueryableByName)]
struct WholeMemberRow {
    #[diesel(sql_type = Text)]
    asked_for: String,
    #[diesel(embed)]
    member: MemberRow,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    used_at: Option<OffsetDateTime>,
}

/// Only the newest invitations are returned: anyone can send them.
const MEMBERSHIPS: &str = "
    WITH of_address AS (
        SELECT e.email AS asked_for, m.*, row_number() OVER (
            PARTITION BY e.email, m.joined_at IS NULL ORDER BY m.created_at DESC, m.member_id) AS place
        FROM member_emails e
        JOIN members m ON m.organization_id = e.organization_id AND m.member_id = e.member_id
        WHERE e.email = ANY($1) AND m.removed_at IS NULL
    )
    SELECT m.asked_for, m.organization_id, m.member_id, m.email, m.name, m.role, m.inbox_ids, m.client_id, m.joined_at,
        m.created_at, m.updated_at,
        greatest(
            (SELECT max(greatest(k.created_at, k.used_at)) FROM api_keys k
                WHERE k.organization_id = m.organization_id AND k.member_id = m.member_id),
            (SELECT max(g.used_at) FROM oauth_grants g
                WHERE g.organization_id = m.organization_id AND g.member_id = m.member_id AND g.revoked_at IS NULL)
        ) AS used_at
    FROM of_address m
    WHERE m.joined_at IS NOT NULL OR m.place <= $2 OR m.organization_id = $3
    ORDER BY m.organization_id";

/// Returns the memberships of an address and its newest invitations, by organization. Those in `asked` are always
/// included.
pub(super) async fn memberships(
    connection: &mut AsyncPgConnection,
    email: &EmailAddress,
    asked: Option<OrganizationId>,
) -> Result<Vec<Membership>, StoreError> {
    let found = memberships_of(connection, std::slice::from_ref(email), asked).await?;
    found.into_iter().next().unwrap_or_else(|| Ok(Vec::new()))
}

/// Returns the memberships of each address, in order. It takes two queries, because the tables share column names.
pub(super) async fn memberships_of(
    connection: &mut AsyncPgConnection,
    emails: &[EmailAddress],
    asked: Option<OrganizationId>,
) -> Result<Vec<Result<Vec<Membership>, StoreError>>, StoreError> {
    let emails: Vec<String> = emails.iter().map(EmailAddress::normalized).collect();
    let members = Sql::new(MEMBERSHIPS)
        .texts(emails.iter().map(String::as_str))
        .big(i64::from(MAX_INVITATIONS_READ))
        .uuid(asked.map_or_else(Uuid::nil, |asked| asked.0))
        .rows::<WholeMemberRow>(connection)
        .await?;
    let text =
        "SELECT o.organization_id, o.owner_email, o.plan, o.verified_at, o.default_pod_id, o.created_at, o.updated_at,
            o.suspended_at, o.suspended_reason, o.quarantine, o.owner_changes,
            o.brake, o.brake_since, o.brake_reason, o.brake_counts_from
        FROM organizations o
        WHERE o.organization_id = ANY($1)";
    let organizations = Sql::new(text)
        .uuids(members.iter().map(|row| row.member.organization_id))
        .rows::<OrganizationRow>(connection)
        .await?;
    let organizations: HashMap<Uuid, OrganizationRow> =
        organizations.into_iter().map(|row| (row.organization_id, row)).collect();
    let mut found: HashMap<String, Result<Vec<Membership>, StoreError>> = HashMap::new();
    for row in members {
        let Some(organization) = organizations.get(&row.member.organization_id) else { continue };
        let all = found.entry(row.asked_for).or_insert_with(|| Ok(Vec::new()));
        add(all, organization.clone(), row.member, row.used_at);
    }
    Ok(emails.iter().map(|email| found.remove(email).unwrap_or_else(|| Ok(Vec::new()))).collect())
}

/// Adds the memberships of an address; an error is preserved.
fn add(
    all: &mut Result<Vec<Membership>, StoreError>,
    organization: OrganizationRow,
    member: MemberRow,
    used_at: Option<OffsetDateTime>,
) {
    let Ok(found) = all else { return };
    match (organization.entity(), member.entity()) {
        (Ok(organization), Ok(member)) => found.push(Membership { organization, member, used_at }),
        (Err(error), _) | (_, Err(error)) => *all = Err(error),
    }
}
