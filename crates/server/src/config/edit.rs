//! Changes of the configuration file, which leave its other lines and comments as they are.

use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::example;
use crate::failure::{ErrorContext, Failure};

/// Rights of a new file: it may contain secrets.
const MODE: u32 = 0o600;
/// Rights of a new file below [`SYSTEM_FOLDER`], whose folder has the group of the service.
const SYSTEM_MODE: u32 = 0o640;
/// Folder of the configuration of services.
const SYSTEM_FOLDER: &str = "/etc";

/// Stores settings in a file. A new file is the annotated example with these values.
///
/// # Errors
/// A file that is not TOML, or that cannot be read or written.
pub(crate) fn store(path: &Path, values: &[(&str, &str)]) -> Result<(), Failure> {
    let shown = path.display();
    // The target of a link, so that the link stays.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (text, rights) = match std::fs::read_to_string(&target) {
        Ok(text) => (text, Some(std::fs::metadata(&target).context(format!("cannot read {shown}"))?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (example::text(), None),
        Err(error) => return Err(error).context(format!("cannot read {shown}")),
    };
    let text = with_values(&text, values).context(&shown)?;
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    replace(&folder, &target, &text, rights.as_ref()).context(format!("cannot write {shown}"))
}

/// Replaces a file at once, so that no reader finds half of it.
fn replace(folder: &Path, target: &Path, text: &str, rights: Option<&std::fs::Metadata>) -> std::io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".inboxd-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    let mode = match rights {
        Some(rights) => {
            fchown(file.as_file(), Some(rights.uid()), Some(rights.gid()))?;
            rights.permissions().mode() & 0o7777
        }
        None if is_system(folder) => {
            // The service reads the file as the group of the folder, where the creator may choose that.
            let _ = fchown(file.as_file(), None, Some(std::fs::metadata(folder)?.gid()));
            SYSTEM_MODE
        }
        None => MODE,
    };
    file.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    std::fs::File::open(folder)?.sync_all()
}

/// Returns whether a folder has configuration of services.
fn is_system(folder: &Path) -> bool {
    folder.canonicalize().is_ok_and(|folder| folder.starts_with(SYSTEM_FOLDER))
}

/// Returns a text with these values: in place of the former value, of the default in a comment, or at the end.
fn with_values(text: &str, values: &[(&str, &str)]) -> Result<String, String> {
    let mut text = text.to_owned();
    for (name, value) in values {
        let value = toml::Value::String((*value).to_owned()).to_string();
        let line = format!("{name} = {value}");
        let comment = format!("# {name} = ");
        if let Some(span) = span_of(&text, name)? {
            text.replace_range(span, &value);
        } else if let Some(start) = line_start(&text, &comment) {
            let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
            text.replace_range(start..end, &line);
        } else {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&line);
            text.push('\n');
        }
    }
    Ok(text)
}

/// Returns the place of the value of a setting.
fn span_of(text: &str, name: &str) -> Result<Option<std::ops::Range<usize>>, String> {
    // The full text of the error has the line, which may contain a secret.
    let table = DeTable::parse(text).map_err(|error| format!("is not TOML: {}", error.message()))?;
    let entry = table.get_ref().iter().find(|(key, _)| &**key.get_ref() == name);
    Ok(entry.map(|(_, value)| value.span()))
}

/// Returns the start of the last line that begins with a text.
fn line_start(text: &str, prefix: &str) -> Option<usize> {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.rev().find(|start| text[*start..].starts_with(prefix))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    #[test]
    fn other_lines_and_comments_stay() {
        let text = "# Ours.\nINBOXD_DOMAIN = 'a.example' # the name\n# INBOXD_SIGNUP = \"open\"\nINBOXD_KEY_RATE = 5";
        let values = [("INBOXD_DOMAIN", "b.example"), ("INBOXD_SIGNUP", "invite"), ("INBOXD_DELIVERY", "di\"rect")];
        let expected = "# Ours.\nINBOXD_DOMAIN = \"b.example\" # the name\nINBOXD_SIGNUP = \"invite\"\n\
                        INBOXD_KEY_RATE = 5\nINBOXD_DELIVERY = 'di\"rect'\n";
        let changed = with_values(text, &values).unwrap();
        assert_eq!(changed, expected);
        assert_eq!(with_values(&changed, &values).unwrap(), expected, "a repeated change changes nothing");
        assert_eq!(with_values("", &[("INBOXD_SIGNUP", "open")]).unwrap(), "INBOXD_SIGNUP = \"open\"\n");
    }

    #[test]
    fn value_of_several_lines_is_replaced() {
        let text = "INBOXD_HTTP_ADDR = [\n  \"127.0.0.1:80\",\n]\nINBOXD_DOMAIN = \"\"\"x\"\"\"\n";
        let changed = with_values(text, &[("INBOXD_HTTP_ADDR", "1"), ("INBOXD_DOMAIN", "2")]).unwrap();
        assert_eq!(changed, "INBOXD_HTTP_ADDR = \"1\"\nINBOXD_DOMAIN = \"2\"\n");
    }

    #[test]
    fn error_does_not_show_line() {
        let error = with_values("INBOXD_SECRET_KEY = abc\n", &[("INBOXD_DOMAIN", "a.example")]).unwrap_err();
        assert!(error.starts_with("is not TOML") && !error.contains("abc"), "{error}");
    }

    #[test]
    fn rights_of_file_stay_and_new_file_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (new, old, link) = (folder.path().join("new"), folder.path().join("old"), folder.path().join("link"));
        store(&new, &[("INBOXD_DOMAIN", "a.example")]).unwrap();
        assert_eq!(mode(&new), 0o600);
        assert!(is_system(Path::new("/etc")) && !is_system(folder.path()));
        let text = std::fs::read_to_string(&new).unwrap();
        assert!(text.contains("\nINBOXD_DOMAIN = \"a.example\"\n") && text.contains("# INBOXD_KEY_RATE = "), "{text}");
        std::fs::write(&old, "").unwrap();
        std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink(&old, &link).unwrap();
        store(&link, &[("INBOXD_DOMAIN", "a.example")]).unwrap();
        assert!(link.is_symlink() && mode(&old) == 0o600);
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "INBOXD_DOMAIN = \"a.example\"\n");
    }
}
