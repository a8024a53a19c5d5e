//! Used `client_id`s and the resources that they created.

use async_trait::async_trait;
use diesel::QueryableByName;
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::{ClientIdKind, ClientIdWrites, StoreError};

use crate::error::contention;
use crate::schema::client_ids;
use crate::sql::Sql;
use crate::tx::PgTx;

#[derive(QueryableByName)]
#[diesel(table_name = client_ids)]
struct MadeRow {
    made: String,
}

#[async_trait]
impl ClientIdWrites for PgTx {
    async fn spend(
        &mut self,
        organization_id: OrganizationId,
        kind: ClientIdKind,
        client_id: &str,
        made: &str,
    ) -> Result<Option<String>, StoreError> {
        let text = "INSERT INTO client_ids (organization_id, kind, client_id, made) VALUES ($1, $2, $3, $4)
            ON CONFLICT ON CONSTRAINT client_ids_pkey DO NOTHING";
        let statement = Sql::new(text).uuid(organization_id.0).text(kind.as_str()).text(client_id).text(made);
        if statement.run(self.connection().await?).await? == 1 {
            return Ok(None);
        }
        // A concurrent user of the id has committed by now: the statement above waited for it.
        let text = "SELECT made FROM client_ids WHERE organization_id = $1 AND kind = $2 AND client_id = $3";
        let statement = Sql::new(text).uuid(organization_id.0).text(kind.as_str()).text(client_id);
        let row = statement.row::<MadeRow>(self.connection().await?).await?.ok_or_else(contention)?;
        Ok(Some(row.made))
    }
}
