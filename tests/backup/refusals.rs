//! Refused restores: each is one line and changes nothing.

use std::path::Path;
use std::process::{Output, Stdio};

use inboxd_testkit::{TestDatabase, TestServer, empty_database, eventually};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::{error_line, folder, key_pair, passphrase, path, program, succeed};
use crate::support::{mail_to, receive, server_and_agent};

/// Backup of a server by key pair.
struct Backups {
    server: TestServer,
    folder: TempDir,
    identity: String,
    by_key: String,
    key: String,
}

impl Backups {
    async fn make() -> Self {
        let (server, agent) = server_and_agent().await;
        // Several chunks of encryption.
        let noise: Vec<u8> = (0..400_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let mail = mail_to(&agent, "large").attach("noise.bin", "application/octet-stream", &noise);
        receive(&server, &agent, &mail).await;
        let folder = folder();
        let (identity, recipient) = key_pair(folder.path());
        let [by_key, key] = ["by-key.age", "key.age"].map(|name| path(&folder.path().join(name)));
        let backups = Self { server, folder, identity, by_key, key };
        backups.backup(&[&backups.by_key, "--secret-key", &backups.key, "--recipient", &recipient]).await;
        backups
    }

    /// Makes a backup by passphrase; returns its file and that of the passphrase.
    async fn by_phrase(&self) -> (String, String) {
        let phrase = passphrase(self.folder.path(), "passphrase", "correct horse battery staple");
        let file = path(&self.folder.path().join("by-phrase.age"));
        self.backup(&[&file, "--passphrase-file", &phrase]).await;
        (file, phrase)
    }

    async fn backup(&self, arguments: &[&str]) {
        let output = self.server.command(&[&["admin", "backup"], arguments].concat()).await;
        assert!(output.status.success(), "{output:?}");
    }

    /// Writes a changed copy of the backup by key pair.
    fn changed(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut bytes = std::fs::read(&self.by_key).unwrap();
        change(&mut bytes);
        let file = self.folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        path(&file)
    }
}

async fn restore(data_dir: &Path, database: &TestDatabase, arguments: &[&str]) -> Output {
    program(data_dir, Some(&database.url()), &[&["admin", "restore"], arguments].concat()).output().await.unwrap()
}

/// Requires that a database has no tables.
async fn require_empty(database: &TestDatabase) {
    let tables = "SELECT relname::text AS text FROM pg_class WHERE relnamespace = 'public'::regnamespace";
    assert_eq!(database.session().await.texts(tables).await, Vec::<String>::new());
}

fn names(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[tokio::test]
async fn refused_restore_names_cause_and_changes_nothing() {
    let backups = Backups::make().await;
    let (by_phrase, phrase) = &backups.by_phrase().await;
    let Backups { identity, by_key, key, .. } = &backups;
    let others = folder();
    let (other_identity, _) = key_pair(others.path());
    let other_phrase = passphrase(others.path(), "other", "wrong");
    let middle = backups.changed("tampered.age", |bytes| {
        let place = bytes.len() / 2;
        bytes[place] ^= 1;
    });
    let head = backups.changed("head.age", |bytes| bytes[200] ^= 1);
    let cut = backups.changed("cut.age", |bytes| bytes.truncate(bytes.len() - 1000));
    let garbage = backups.changed("garbage.age", |bytes| bytes.fill(7));
    let own_key = std::fs::read_to_string(backups.server.data_dir().join("secret-key")).unwrap();
    let by_own = |file| [file, "--secret-key", key.as_str(), "--identity", identity.as_str()];
    let table: [(&[&str], &str); 11] = [
        (&[by_phrase, "--passphrase-file", &other_phrase], "cannot be opened with this passphrase"),
        (&[by_key, "--identity", &other_identity], "cannot be opened with this identity"),
        (&[by_key, "--passphrase-file", phrase], "is encrypted for a key pair: use --identity"),
        (&[by_phrase, "--identity", identity], "is encrypted with a passphrase: use --passphrase-file"),
        (&by_own(&middle), "tampered.age is damaged or incomplete"),
        (&by_own(&head), "head.age"),
        (&by_own(&cut), "cut.age is damaged or incomplete"),
        (&by_own(&garbage), "garbage.age is no backup"),
        (&by_own(key), "is not a backup of the database"),
        (&[by_key, "--identity", identity], "the secret key of the backup is missing"),
        (&[&path(&others.path().join("none.age")), "--identity", identity], "cannot open"),
    ];
    let (database, data) = (empty_database().await, folder());
    for (arguments, words) in table {
        let line = error_line(&restore(data.path(), &database, arguments).await);
        assert!(line.contains(words), "{words}: {line}");
        require_empty(&database).await;
        assert_eq!(names(data.path()), 0, "{words}");
    }

    // Another secret key, in its file and in the environment, stays.
    let other_key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n";
    let file = data.path().join("secret-key");
    std::fs::write(&file, other_key).unwrap();
    let line = error_line(&restore(data.path(), &database, &by_own(by_key)).await);
    assert!(line.contains("is another secret key") && line.contains("not overwritten"), "{line}");
    let line = error_line(&restore(data.path(), &database, &[by_key, "--identity", identity]).await);
    assert!(line.contains("is not that of the backup") && line.contains("--without-secret-key"), "{line}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), other_key);
    require_empty(&database).await;
    std::fs::remove_file(&file).unwrap();

    // A database with tables stays.
    let line = error_line(&restore(data.path(), backups.server.database(), &by_own(by_key)).await);
    assert!(line.contains("the database is not empty, it has public."), "{line}");
    assert_eq!(names(data.path()), 0);

    // Then everything is restored, and not twice.
    let arguments = [&["admin", "restore"], &by_own(by_key)[..]].concat();
    succeed(program(data.path(), Some(&database.url()), &arguments)).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), own_key);
    let line = error_line(&restore(data.path(), &database, &by_own(by_key)).await);
    assert!(line.contains("not empty"), "{line}");
}

#[tokio::test]
async fn damaged_stream_leaves_database_empty() {
    let backups = Backups::make().await;
    let keyed = folder();
    std::fs::copy(backups.server.data_dir().join("secret-key"), keyed.path().join("secret-key")).unwrap();
    let database = empty_database().await;
    for lost in [1, 50, 70_000] {
        let file = backups.changed("cut.age", |bytes| bytes.truncate(bytes.len() - lost));
        let arguments = ["admin", "restore", "-", "--identity", &backups.identity];
        let mut command = program(keyed.path(), Some(&database.url()), &arguments);
        command.stdin(std::fs::File::open(file).unwrap());
        let line = error_line(&command.output().await.unwrap());
        assert!(line.contains("standard input is damaged or incomplete"), "{lost}: {line}");
        require_empty(&database).await;
    }
}

#[tokio::test]
async fn stopped_restore_leaves_database_empty() {
    let backups = Backups::make().await;
    let keyed = folder();
    std::fs::copy(backups.server.data_dir().join("secret-key"), keyed.path().join("secret-key")).unwrap();
    let database = empty_database().await;
    let sessions = "SELECT application_name::text AS text FROM pg_stat_activity
        WHERE application_name = 'inboxd backup' AND datname = current_database()";
    for signal in ["-TERM", "-KILL"] {
        let arguments = ["admin", "restore", "-", "--identity", &backups.identity];
        let mut command = program(keyed.path(), Some(&database.url()), &arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        // The end is missing while the statements before it are executed.
        let bytes = std::fs::read(&backups.by_key).unwrap();
        input.write_all(&bytes[..bytes.len() - 1000]).await.unwrap();
        let is_idle = async || database.session().await.texts(sessions).await.is_empty();
        eventually("psql runs", async || (!is_idle().await).then_some(())).await;
        let process = child.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, process.as_str()]).status().await.unwrap().success());
        let output = child.wait_with_output().await.unwrap();
        assert!(!output.status.success(), "{output:?}");
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(signal == "-KILL" || line.contains("stopped by a signal, nothing was changed"), "{line}");
        drop(input);
        eventually("psql has ended", async || is_idle().await.then_some(())).await;
        require_empty(&database).await;
    }
}

#[tokio::test]
async fn backup_of_later_schema_is_refused_with_its_version() {
    let (server, _) = server_and_agent().await;
    let folder = folder();
    let (identity, recipient) = key_pair(folder.path());
    let later =
        "INSERT INTO schema_migrations (name, program) VALUES ('99990000000000_later', '9.8.7 (abc 2030-01-01)')";
    server.database().execute(later).await;
    let file = path(&folder.path().join("later.age"));
    let output = server.command(&["admin", "backup", &file, "--recipient", &recipient]).await;
    assert!(output.status.success(), "{output:?}");
    let database = empty_database().await;
    let line = error_line(&restore(server.data_dir(), &database, &[&file, "--identity", &identity]).await);
    assert!(line.contains("schema of inboxd 9.8.7 (abc 2030-01-01) (99990000000000_later)"), "{line}");
    assert!(line.contains("restore it with that version or a later one"), "{line}");
    require_empty(&database).await;
    // An older program on the later schema itself.
    for arguments in [&["migrate"][..], &["serve"], &["admin", "organizations"]] {
        let output = program(server.data_dir(), Some(&server.database().url()), arguments).output().await.unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = text.lines().last().unwrap_or_default();
        assert!(!output.status.success(), "{output:?}");
        assert!(line.contains("later version (inboxd 9.8.7 (abc 2030-01-01), 99990000000000_later)"), "{line}");
        assert!(line.contains("run that version of inboxd or a later one"), "{line}");
    }
}

#[tokio::test]
async fn backup_from_before_first_release_is_refused() {
    let (server, _) = server_and_agent().await;
    let folder = folder();
    let (identity, recipient) = key_pair(folder.path());
    let former = "INSERT INTO schema_migrations (name) VALUES ('00000000000091_outgoing_shares')";
    server.database().execute(former).await;
    let file = path(&folder.path().join("former.age"));
    let output = server.command(&["admin", "backup", &file, "--recipient", &recipient]).await;
    assert!(output.status.success(), "{output:?}");
    let database = empty_database().await;
    let line = error_line(&restore(server.data_dir(), &database, &[&file, "--identity", &identity]).await);
    assert!(line.contains("made by a build before the first release (00000000000091_outgoing_shares)"), "{line}");
    assert!(line.contains("restore it with that build"), "{line}");
    require_empty(&database).await;
}

#[tokio::test]
async fn existing_file_is_never_overwritten() {
    let (server, _) = server_and_agent().await;
    let folder = folder();
    let (_, recipient) = key_pair(folder.path());
    let (file, key) = (path(&folder.path().join("old")), path(&folder.path().join("key.age")));
    std::fs::write(&file, "old").unwrap();
    for [new, other] in [[file.as_str(), key.as_str()], [key.as_str(), file.as_str()]] {
        let all = ["admin", "backup", new, "--secret-key", other, "--recipient", &recipient];
        let line = error_line(&server.command(&all).await);
        assert!(line.contains("exists and stays as it is"), "{line}");
        assert_eq!((std::fs::read_to_string(&file).unwrap().as_str(), names(folder.path())), ("old", 2));
    }
}

#[tokio::test]
async fn lost_secret_key_is_no_obstacle() {
    let backups = Backups::make().await;
    let (database, data) = (empty_database().await, folder());
    let arguments = ["admin", "restore", &backups.by_key, "--without-secret-key", "--identity", &backups.identity];
    succeed(program(data.path(), Some(&database.url()), &arguments)).await;
    let output = program(data.path(), Some(&database.url()), &["admin", "accept-secret-key", "--yes"]);
    assert!(succeed(output).await.contains("now uses this secret key"));
}

#[tokio::test]
async fn secret_key_of_another_database_is_not_saved() {
    let (server, _) = server_and_agent().await;
    let (folder, other) = (folder(), folder());
    let (_, recipient) = key_pair(folder.path());
    std::fs::write(other.path().join("secret-key"), format!("{}\n", "ab".repeat(32))).unwrap();
    let file = path(&folder.path().join("key.age"));
    let before = names(folder.path());
    for (url, words) in [
        (server.database().url(), "this database is used with another secret key"),
        ("postgres://inboxd@127.0.0.1:1/inboxd".to_owned(), "cannot be compared with the database, and is not saved"),
    ] {
        let arguments = ["admin", "backup", "--secret-key", &file, "--recipient", &recipient];
        let line = error_line(&program(other.path(), Some(&url), &arguments).output().await.unwrap());
        assert!(line.contains(words), "{line}");
        assert_eq!(names(folder.path()), before, "no file is left");
    }
}

#[tokio::test]
async fn restored_hold_begins_with_the_restore() {
    let (server, _) = server_and_agent().await;
    let folder = folder();
    let (identity, recipient) = key_pair(folder.path());
    server.database().execute("UPDATE service_state SET held_at = '2020-01-01T00:00:00Z'").await;
    let file = path(&folder.path().join("held.age"));
    let output = server.command(&["admin", "backup", &file, "--recipient", &recipient]).await;
    assert!(output.status.success(), "{output:?}");
    let database = empty_database().await;
    let output = restore(server.data_dir(), &database, &[&file, "--identity", &identity]).await;
    assert!(output.status.success(), "{output:?}");
    // A division by zero fails unless the hold is a recent one.
    database.execute("SELECT 1 / count(*) FROM service_state WHERE held_at > now() - interval '1 hour'").await;
}

#[tokio::test]
async fn secret_key_is_saved_and_restored_alone() {
    let (server, _) = server_and_agent().await;
    let (folder, data) = (folder(), folder());
    let (identity, recipient) = key_pair(folder.path());
    let key = path(&folder.path().join("key.age"));
    let output = server.command(&["admin", "backup", "--secret-key", &key, "--recipient", &recipient]).await;
    assert!(output.status.success(), "{output:?}");
    let place = data.path().join("secret-key");
    for said in ["the secret key is in", "in place already"] {
        let arguments = ["admin", "restore", "--secret-key", &key, "--identity", &identity];
        assert!(succeed(program(data.path(), None, &arguments)).await.contains(said));
        let original = std::fs::read(server.data_dir().join("secret-key")).unwrap();
        assert_eq!(std::fs::read(&place).unwrap(), original);
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&place).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(names(data.path()), 1, "no database was started");
}
