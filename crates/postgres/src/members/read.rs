//! Reads of members, without removed ones.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper};
use diesel_async::RunQueryDsl;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{Member, MemberId, Membership, OrganizationId, Page};
use inboxd_core::ports::{MemberQuery, MemberReads, StoreError};
use inboxd_mail::EmailAddress;

use super::rows::{MEMBER, MemberRow, memberships, memberships_of};
use crate::error::failure;
use crate::keyset::{KeysetOrder, behind_cursor, cursor_uuid, rows_to_read};
use crate::schema::members;
use crate::sql::Sql;
use crate::store::PgStore;

#[async_trait]
impl MemberReads for PgStore {
    async fn member(&self, organization_id: OrganizationId, member_id: MemberId) -> Result<Option<Member>, StoreError> {
        let row: Option<MemberRow> = members::table
            .filter(members::organization_id.eq(organization_id.0))
            .filter(members::member_id.eq(member_id.0))
            .filter(members::removed_at.is_null())
            .select(MemberRow::as_select())
            .first(&mut *self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(MemberRow::entity).transpose()
    }

    async fn list_members(&self, query: &MemberQuery) -> Result<Page<Member>, StoreError> {
        let text = format!(
            "SELECT {MEMBER} FROM members
            WHERE organization_id = $1 AND removed_at IS NULL {behind}
            ORDER BY created_at {sort}, member_id {sort} LIMIT $2",
            behind = behind_cursor(&query.page, "created_at, member_id", "$3, $4"),
            sort = KeysetOrder::of(query.page.direction).sort,
        );
        let after = query.page.after.as_ref();
        let rows = Sql::new(text)
            .uuid(query.organization_id.0)
            .big(rows_to_read(query.page.limit))
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .rows::<MemberRow>(&mut *self.connection().await?)
            .await?;
        let found = rows.into_iter().map(MemberRow::entity).collect::<Result<Vec<_>, _>>()?;
        Ok(Page::of(found, query.page.limit, |member| Cursor {
            time: member.created_at,
            id: member.member_id.0.to_string(),
        }))
    }

    async fn memberships(&self, email: &EmailAddress) -> Result<Vec<Membership>, StoreError> {
        memberships(&mut *self.connection().await?, email, None).await
    }

    async fn memberships_of(&self, emails: &[EmailAddress]) -> Result<Vec<Option<Vec<Membership>>>, StoreError> {
        let found = memberships_of(&mut *self.connection().await?, emails, None).await?;
        let readable = |found: Result<Vec<Membership>, StoreError>| {
            found.inspect_err(|error| tracing::error!(%error, "memberships of address unreadable")).ok()
        };
        Ok(found.into_iter().map(readable).collect())
    }
}
