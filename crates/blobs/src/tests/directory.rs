//! Folder of a file system.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::time::Duration;

use inboxd_core::ports::{BlobError, BlobStore as _};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::stores::{assert_store, content, name, opened};
use crate::{DirectoryBlobs, RawBlobs as _, prepare_folder};

#[tokio::test]
async fn directory_behaves_like_every_store() {
    let folder = tempfile::tempdir().unwrap();
    assert_store(&opened(DirectoryBlobs::new(folder.path()))).await;
}

#[tokio::test]
async fn file_reveals_no_content_and_belongs_to_the_account() {
    let folder = tempfile::tempdir().unwrap();
    let secret = b"a secret that no thief of a disk may read".repeat(10);
    opened(DirectoryBlobs::new(folder.path())).put(&name("one/2026-11/a"), &secret).await.unwrap();
    let path = folder.path().join("one/2026-11/a");
    let file = std::fs::read(&path).unwrap();
    assert!(!file.windows(8).any(|part| secret.starts_with(part)), "the file has the content");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn folder_that_hangs_keeps_few_threads() {
    let folder = tempfile::tempdir().unwrap();
    let object = name("pipe");
    // To open a named pipe takes a writer, as to open a file of a dead server takes that server.
    let pipe = folder.path().join(&object.0);
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let store = DirectoryBlobs::new(folder.path());
    let mut reads = JoinSet::new();
    for _ in 0..100 {
        let (store, object) = (store.clone(), object.clone());
        reads.spawn(async move { timeout(Duration::from_millis(300), store.get(&object, None)).await.is_err() });
    }
    let has_hung = reads.join_all().await;
    let listed = timeout(Duration::from_millis(50), store.list(None, 1)).await;
    // It ends all threads that hang.
    drop(std::fs::OpenOptions::new().write(true).open(&pipe).unwrap());
    assert!(has_hung.into_iter().all(|has_hung| has_hung));
    assert!(listed.is_err(), "another thread is taken: {listed:?}");
    store.list(None, 1).await.unwrap();
}

#[tokio::test]
async fn missing_folder_is_an_outage_and_not_a_missing_object() {
    let parent = tempfile::tempdir().unwrap();
    let root = parent.path().join("blobs");
    let store = opened(DirectoryBlobs::new(&root));
    let object = name("one/2026-11/a");
    for round in 0..2 {
        assert!(matches!(store.put(&object, b"x").await, Err(BlobError::Unavailable(_))), "round {round}");
        assert!(matches!(store.get(&object, None).await, Err(BlobError::Unavailable(_))), "round {round}");
        assert!(
            matches!(store.delete(std::slice::from_ref(&object)).await, Err(BlobError::Unavailable(_))),
            "round {round}"
        );
        assert!(matches!(store.list(None, 1).await, Err(BlobError::Unavailable(_))), "round {round}");
        assert!(!root.exists(), "a request creates the folder, which may be a disk that is not mounted");
        prepare_folder(&root).unwrap();
        store.put(&object, b"x").await.unwrap();
        assert_eq!(store.get(&object, None).await, Ok(b"x".to_vec()));
        std::fs::remove_dir_all(&root).unwrap();
    }
}

#[tokio::test]
async fn listing_has_the_order_of_the_bytes_of_names() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(DirectoryBlobs::new(folder.path()));
    // A dash sorts before a slash, so the order of folders is not that of their names.
    let names = ["one-b/2026-11/a", "one/2026-10/z", "one/2026-11/a"].map(name);
    for object in names.iter().rev() {
        store.put(object, b"x").await.unwrap();
    }
    let list = async |after: Option<&str>| {
        let listed = store.list(after.map(name).as_ref(), 10).await.unwrap();
        listed.into_iter().map(|object| object.name).collect::<Vec<_>>()
    };
    assert_eq!(list(None).await, names);
    assert_eq!(list(Some("one-b/2026-11/a")).await, names[1..]);
    assert_eq!(list(Some("one/2026-11")).await, names[2..], "the name need not exist");
}

#[tokio::test]
async fn unfinished_file_is_listed_and_deleted_like_an_object() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("one/2026-11")).unwrap();
    std::fs::write(folder.path().join("one/2026-11/a-new"), content(100)).unwrap();
    let store = opened(DirectoryBlobs::new(folder.path()));
    let listed: Vec<_> = store.list(None, 10).await.unwrap().into_iter().map(|object| object.name).collect();
    assert_eq!(listed, [name("one/2026-11/a-new")]);
    assert!(matches!(store.get(&listed[0], None).await, Err(BlobError::Damaged { .. })));
    let object = name("one/2026-11/a");
    store.put(&object, b"again").await.unwrap();
    assert_eq!(store.get(&object, None).await, Ok(b"again".to_vec()));
    assert_eq!(store.list(None, 10).await.unwrap().len(), 2, "no other draft remains");
    store.delete(&[object]).await.unwrap();
    store.delete(&listed).await.unwrap();
    assert!(!folder.path().join("one").exists(), "an empty folder remains");
}

#[tokio::test]
async fn one_of_concurrent_writers_of_a_name_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let store = DirectoryBlobs::new(folder.path());
    let object = name("one/2026-11/a");
    let contents: Vec<_> = (0..8_u8).map(|number| vec![number; 10_000]).collect();
    let writers = contents.iter().map(|content| {
        let (store, object, content) = (store.clone(), object.clone(), content.clone());
        tokio::spawn(async move { store.put(&object, content.into()).await.is_ok() })
    });
    let mut successes = 0;
    for writer in writers.collect::<Vec<_>>() {
        successes += usize::from(writer.await.unwrap());
    }
    assert_eq!(successes, 1);
    assert!(contents.contains(&store.get(&object, None).await.unwrap().to_vec()), "contents are mixed");
}

#[test]
fn folder_that_cannot_be_created_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    assert!(prepare_folder(&folder.path().join("file/blobs")).is_err());
    let root = folder.path().join("new/blobs");
    prepare_folder(&root).unwrap();
    prepare_folder(&root).unwrap();
    assert_eq!(std::fs::read_dir(&root).unwrap().count(), 0, "a probe remains");
}
