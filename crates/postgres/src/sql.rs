//! SQL statements with bound values.
//!
//! [`diesel::sql_query`] prepares a statement at each use, with a round trip each. A [`Sql`] is prepared once per
//! connection.

use std::borrow::Cow;
use std::marker::PhantomData;

use diesel::QueryResult;
use diesel::deserialize::{FromSqlRow, QueryableByName};
use diesel::dsl::SqlTypeOf;
use diesel::expression::{QueryMetadata, Selectable};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use diesel::serialize::ToSql;
use diesel::sql_types::{
    Array, BigInt, Binary, Bool, HasSqlType, Integer, Jsonb, Nullable, SmallInt, Text, Timestamptz, Untyped,
    Uuid as SqlUuid,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::failure;
use crate::json::StoredJson;
use crate::text::storable;

/// Column types of a row, in order.
pub(crate) type Columns<R> = SqlTypeOf<<R as Selectable<Pg>>::SelectExpression>;

/// A statement. Its text names the values `$1`, `$2` and so on, in bind order; a value may occur several times, or
/// never.
pub(crate) struct Sql<'a> {
    text: Cow<'a, str>,
    values: Vec<Box<dyn QueryFragment<Pg> + Send + 'a>>,
    is_cached: bool,
}

impl<'a> Sql<'a> {
    /// Creates a statement that is prepared once and cached: its text must be one of few.
    pub(crate) fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), values: Vec::new(), is_cached: true }
    }

    /// Returns the statement without caching, for texts with many variants.
    pub(crate) fn uncached(self) -> Self {
        Self { is_cached: false, ..self }
    }

    /// Binds the next value.
    pub(crate) fn bind<ST, T>(mut self, value: T) -> Self
    where
        ST: Send + 'a,
        Pg: HasSqlType<ST>,
        T: ToSql<ST, Pg> + Send + 'a,
    {
        self.values.push(Box::new(BoundValue { value, sql_type: PhantomData::<ST> }));
        self
    }

    /// Binds a UUID.
    pub(crate) fn uuid(self, value: Uuid) -> Self {
        self.bind::<SqlUuid, _>(value)
    }

    /// Binds UUIDs.
    pub(crate) fn uuids(self, values: impl IntoIterator<Item = Uuid>) -> Self {
        self.bind::<Array<SqlUuid>, _>(values.into_iter().collect::<Vec<_>>())
    }

    /// Binds a text.
    pub(crate) fn text(self, value: &'a str) -> Self {
        self.bind::<Text, _>(storable(value))
    }

    /// Binds an optional text.
    pub(crate) fn optional_text(self, value: Option<&'a str>) -> Self {
        self.bind::<Nullable<Text>, _>(value.map(storable))
    }

    /// Binds texts.
    pub(crate) fn texts(self, values: impl IntoIterator<Item = &'a str>) -> Self {
        self.bind::<Array<Text>, _>(values.into_iter().map(storable).collect::<Vec<Cow<'a, str>>>())
    }

    /// Binds optional texts.
    pub(crate) fn optional_texts(self, values: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let values = values.into_iter().map(|value| value.map(storable));
        self.bind::<Array<Nullable<Text>>, _>(values.collect::<Vec<Option<Cow<'a, str>>>>())
    }

    /// Binds times.
    pub(crate) fn times(self, values: impl IntoIterator<Item = OffsetDateTime>) -> Self {
        self.bind::<Array<Timestamptz>, _>(values.into_iter().collect::<Vec<_>>())
    }

    /// Binds optional times.
    pub(crate) fn optional_times(self, values: impl IntoIterator<Item = Option<OffsetDateTime>>) -> Self {
        self.bind::<Array<Nullable<Timestamptz>>, _>(values.into_iter().collect::<Vec<_>>())
    }

    /// Binds several `integer` values.
    pub(crate) fn integers(self, values: impl IntoIterator<Item = i32>) -> Self {
        self.bind::<Array<Integer>, _>(values.into_iter().collect::<Vec<_>>())
    }

    /// Binds a time.
    pub(crate) fn time(self, value: OffsetDateTime) -> Self {
        self.bind::<Timestamptz, _>(value)
    }

    /// Binds an optional time.
    pub(crate) fn optional_time(self, value: Option<OffsetDateTime>) -> Self {
        self.bind::<Nullable<Timestamptz>, _>(value)
    }

    /// Binds JSON.
    pub(crate) fn json(self, value: StoredJson) -> Self {
        self.bind::<Jsonb, _>(value)
    }

    /// Binds bytes.
    pub(crate) fn bytes(self, value: &'a [u8]) -> Self {
        self.bind::<Binary, _>(value)
    }

    /// Binds optional bytes.
    pub(crate) fn optional_bytes(self, value: Option<&'a [u8]>) -> Self {
        self.bind::<Nullable<Binary>, _>(value)
    }

    /// Binds a `bigint`.
    pub(crate) fn big(self, value: i64) -> Self {
        self.bind::<BigInt, _>(value)
    }

    /// Binds several `bigint` values.
    pub(crate) fn bigs(self, values: impl IntoIterator<Item = i64>) -> Self {
        self.bind::<Array<BigInt>, _>(values.into_iter().collect::<Vec<_>>())
    }

    /// Binds an `integer`.
    pub(crate) fn integer(self, value: i32) -> Self {
        self.bind::<Integer, _>(value)
    }

    /// Binds a `smallint`.
    pub(crate) fn small(self, value: i16) -> Self {
        self.bind::<SmallInt, _>(value)
    }

    /// Binds several `smallint` values.
    pub(crate) fn smalls(self, values: impl IntoIterator<Item = i16>) -> Self {
        self.bind::<Array<SmallInt>, _>(values.into_iter().collect::<Vec<_>>())
    }

    /// Binds several booleans.
    pub(crate) fn bools(self, values: impl IntoIterator<Item = bool>) -> Self {
        self.bind::<Array<Bool>, _>(values.into_iter().collect::<Vec<_>>())
    }

    /// Runs the statement and reads its rows.
    pub(crate) async fn rows<R>(self, connection: &mut AsyncPgConnection) -> Result<Vec<R>, StoreError>
    where
        R: QueryableByName<Pg> + Send + 'static,
    {
        self.rows_among(connection).await
    }

    /// Runs the statement as one of several on the same connection, and reads its rows.
    ///
    /// Statements that are polled together are sent at once and run one after the other, so none may need the effect of
    /// another. In a transaction they are joined `biased`: results arrive in order, and the first failure is the cause
    /// of the later ones.
    pub(crate) async fn rows_among<R>(self, mut connection: &AsyncPgConnection) -> Result<Vec<R>, StoreError>
    where
        R: QueryableByName<Pg> + Send + 'static,
    {
        self.load(&mut connection).await.map_err(failure)
    }

    /// Runs the statement and reads its rows by the position of columns with these types, which is faster than by name.
    pub(crate) async fn columns<ST, R>(self, connection: &mut AsyncPgConnection) -> Result<Vec<R>, StoreError>
    where
        ST: CompatibleType<R, Pg, SqlType = ST> + 'static,
        Pg: QueryMetadata<ST>,
        R: FromSqlRow<ST, Pg> + Send + 'static,
    {
        TypedStatement { sql: self, columns: PhantomData::<fn() -> ST> }.load(connection).await.map_err(failure)
    }

    /// Runs the statement and reads its first row, if there is one.
    pub(crate) async fn row<R>(self, connection: &mut AsyncPgConnection) -> Result<Option<R>, StoreError>
    where
        R: QueryableByName<Pg> + Send + 'static,
    {
        Ok(self.rows(connection).await?.into_iter().next())
    }

    /// Runs the statement and returns the number of written rows.
    pub(crate) async fn run(self, connection: &mut AsyncPgConnection) -> Result<usize, StoreError> {
        self.execute(connection).await.map_err(failure)
    }
}

struct BoundValue<ST, T> {
    value: T,
    sql_type: PhantomData<ST>,
}

impl<ST, T> QueryFragment<Pg> for BoundValue<ST, T>
where
    Pg: HasSqlType<ST>,
    T: ToSql<ST, Pg>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_bind_param::<ST, T>(&self.value)
    }
}

impl QueryFragment<Pg> for Sql<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        if !self.is_cached {
            out.unsafe_to_cache_prepared();
        }
        out.push_sql(&self.text);
        // Diesel writes a placeholder for each bound value. The text has its own, so those of diesel go into a comment.
        out.push_sql(" /* ");
        for value in &self.values {
            value.walk_ast(out.reborrow())?;
        }
        out.push_sql(" */");
        Ok(())
    }
}

/// Without a type id of its own, a statement is found in the cache of a connection by its text and value types.
impl QueryId for Sql<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Sql<'_> {
    type SqlType = Untyped;
}

/// A statement with its column types.
struct TypedStatement<'a, ST> {
    sql: Sql<'a>,
    columns: PhantomData<fn() -> ST>,
}

impl<ST> QueryFragment<Pg> for TypedStatement<'_, ST> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.sql.walk_ast(out)
    }
}

impl<ST> QueryId for TypedStatement<'_, ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST> Query for TypedStatement<'_, ST> {
    type SqlType = ST;
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use diesel_async::AsyncConnection;
    use inboxd_testkit::database::database;

    use super::*;

    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        text: String,
    }

    #[derive(QueryableByName)]
    struct Kept {
        #[diesel(sql_type = BigInt)]
        count: i64,
    }

    fn twice(unused: i64) -> Sql<'static> {
        Sql::new("SELECT $2 || $2 AS text").big(unused).text("'x\0")
    }

    /// Returns the number of statements of [`twice`] that the connection has prepared.
    async fn kept(connection: &mut AsyncPgConnection) -> i64 {
        let text = "SELECT count(*) AS count FROM pg_prepared_statements WHERE statement LIKE 'SELECT $2 ||%'";
        Sql::new(text).row::<Kept>(connection).await.unwrap().unwrap().count
    }

    #[tokio::test]
    async fn statement_is_prepared_once_for_any_values() {
        let database = database().await;
        let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
        for value in 0..3 {
            let row: Row = twice(value).row(&mut connection).await.unwrap().unwrap();
            assert_eq!(row.text, "'x\u{fffd}'x\u{fffd}");
            assert_eq!(kept(&mut connection).await, 1);
        }
    }

    #[tokio::test]
    async fn uncached_statement_is_not_cached() {
        let database = database().await;
        let mut connection = AsyncPgConnection::establish(&database.url()).await.unwrap();
        for value in 0..3 {
            twice(value).uncached().row::<Row>(&mut connection).await.unwrap();
            assert_eq!(kept(&mut connection).await, 0);
        }
    }
}
