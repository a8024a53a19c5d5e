//! What PostgreSQL does alone: one row of a mail's size and one event row a commit.

use std::error::Error;
use std::time::Instant;

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};

use crate::receiving::count;

/// Commits a second with so many clients.
pub(crate) async fn commits_a_second(url: String, clients: usize, commits: usize) -> Result<f64, Box<dyn Error>> {
    let mut connection = AsyncPgConnection::establish(&url).await?;
    connection
        .batch_execute(
            "create table if not exists bench_mail (id bigserial primary key, mail text);
             create table if not exists bench_event (id bigserial primary key, kind text, at timestamptz)",
        )
        .await?;
    let began = Instant::now();
    let running: Vec<_> = (0..clients).map(|_| tokio::spawn(commit(url.clone(), commits / clients))).collect();
    for client in running {
        client.await?.map_err(|error| error.to_string())?;
    }
    let rate = count(commits) / began.elapsed().as_secs_f64();
    connection.batch_execute("drop table bench_mail; drop table bench_event").await?;
    Ok(rate)
}

async fn commit(url: String, commits: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut connection = AsyncPgConnection::establish(&url).await?;
    let mail = "x".repeat(8_000);
    let unit = format!(
        "begin; insert into bench_mail (mail) values ('{mail}'); \
         insert into bench_event (kind, at) values ('message.received', now()); commit"
    );
    for _ in 0..commits {
        connection.batch_execute(&unit).await?;
    }
    Ok(())
}
