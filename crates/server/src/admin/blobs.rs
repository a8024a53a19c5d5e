//! Commands for contents outside the database.

use std::sync::Arc;

use inboxd_core::app::App;
use inboxd_core::app::blobs::{self, MoveProgress, MoveStep};
use inboxd_core::ports::{BlobRows as _, BlobTotals};
use inboxd_postgres::PgStore;

use super::{message_of, print};
use crate::failure::{ErrorContext, Failure};

/// Moved contents between two lines of progress.
const CONTENTS_PER_LINE: u64 = 100;

/// Prints the place of new contents, and the objects of each store.
pub(crate) async fn status(app: &App, store: &PgStore) -> Result<(), Failure> {
    let totals = store.blob_totals().await.context("cannot count the objects")?;
    match app.blobs.target() {
        Some(kind) => print(&format!("new contents above {} bytes: {}\n", app.blobs.threshold(), kind.as_str()))?,
        None => print("new contents: in the rows of the database\n")?,
    }
    for BlobTotals { store, objects, bytes, removals, removal_bytes } in totals {
        print(&format!(
            "{}: {objects} objects of {bytes} bytes; {removals} of {removal_bytes} bytes wait for their removal\n",
            store.as_str()
        ))?;
    }
    Ok(())
}

/// Moves contents to the configured place, or into the rows of the database.
pub(crate) async fn move_contents(
    app: &App,
    store: &PgStore,
    limit: Option<u64>,
    to_database: bool,
) -> Result<(), Failure> {
    let target = if to_database { app.blobs.for_rows() } else { app.blobs.as_ref().clone() };
    let app = App { blobs: Arc::new(target), ..app.clone() };
    let report = |step: MoveStep<'_>| {
        // A closed output is no reason to stop.
        let _ = match step {
            MoveStep::Moved(progress) if progress.contents.is_multiple_of(CONTENTS_PER_LINE) => print(&moved(progress)),
            MoveStep::Moved(_) => Ok(()),
            MoveStep::Lost(reason) => print(&format!("lost: {reason}\n")),
        };
    };
    let progress = blobs::move_contents(&app, store, limit.unwrap_or(u64::MAX), report).await;
    let progress = progress.map_err(message_of).context("the move stopped early; repeat the command to continue")?;
    print(&moved(&progress))?;
    if progress.lost > 0 {
        return Err(Failure::new(format!(
            "{} contents are lost and stay where they are: restore the objects that are named above from a backup and repeat \
             the command, or delete their messages, drafts and files",
            progress.lost
        )));
    }
    print(if progress.has_more {
        "more is left; repeat the command to continue\n"
    } else {
        "nothing is left to move\n"
    })
}

fn moved(progress: &MoveProgress) -> String {
    format!("moved {} contents of {} bytes\n", progress.contents, progress.bytes)
}
