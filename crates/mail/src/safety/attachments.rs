//! Risks of an attachment, by its name and content.

use super::archives::{self, ArchiveEntries};
use super::kinds::AttachmentRisk;

/// Number of bytes of a page that are searched.
const MAX_PAGE_BYTES: usize = 256 * 1024;
/// Maximum length in bytes of the name of a header field.
const MAX_FIELD_NAME_BYTES: usize = 77;
/// Extensions of files that run when opened.
const PROGRAMS: &[&str] = &[
    "apk",
    "appinstaller",
    "application",
    "appref-ms",
    "appx",
    "appxbundle",
    "bat",
    "chm",
    "cmd",
    "com",
    "cpl",
    "diagcab",
    "dmg",
    "exe",
    "gadget",
    "hta",
    "img",
    "iso",
    "jar",
    "js",
    "jse",
    "library-ms",
    "lnk",
    "msc",
    "msi",
    "msix",
    "msixbundle",
    "msp",
    "mst",
    "pif",
    "pkg",
    "ps1",
    "psm1",
    "reg",
    "scf",
    "scr",
    "sct",
    "searchconnector-ms",
    "settingcontent-ms",
    "vbe",
    "vbs",
    "vhd",
    "vhdx",
    "ws",
    "wsc",
    "wsf",
    "wsh",
    "xll",
];
/// Extensions of the above that archives of source code contain.
const OF_PROJECTS: &[&str] = &["bat", "cmd", "com", "img", "jar", "js", "ps1", "psm1", "reg"];
/// Number of files from which an archive is source code, if half of them are in folders; a script among few files is meant to
/// be opened.
const MIN_PROJECT_FILES: usize = 4;
/// Beginnings of programs: Windows, Linux, macOS, shortcuts of Windows.
const PROGRAM_STARTS: &[&[u8]] = &[
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"L\x00\x00\x00\x01\x14\x02\x00",
];
/// Extensions of programs that do not begin with their first byte: interpreters of scripts pass over lines that they do not
/// understand, and disk images and archives are read from another place.
const BEGUN_LATER: &[&str] = &[
    "apk",
    "appx",
    "appxbundle",
    "bat",
    "cmd",
    "dmg",
    "hta",
    "img",
    "iso",
    "jar",
    "js",
    "jse",
    "msix",
    "msixbundle",
    "ps1",
    "vbe",
    "vbs",
    "vhd",
    "vhdx",
    "wsf",
];
/// Beginnings of documents and pictures, which do not run under any other name.
const DOCUMENT_STARTS: &[&[u8]] = &[b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"{\\rtf"];

/// Returns the risk of a file.
pub(crate) fn risk(name: Option<&str>, content: &[u8]) -> Option<AttachmentRisk> {
    let may_begin_later = name.is_some_and(|name| has_extension(name, BEGUN_LATER));
    if !may_begin_later && DOCUMENT_STARTS.iter().any(|start| content.starts_with(start)) {
        return None;
    }
    if PROGRAM_STARTS.iter().any(|start| content.starts_with(start)) || is_windows_program(content) {
        return Some(AttachmentRisk::Executable);
    }
    // Mail clients name attached messages by their subjects: "Your order at shop.example.com".
    let is_message = || name.is_some_and(|name| has_extension(name, &["com"])) && starts_with_field(content);
    if name.is_some_and(|name| has_extension(name, PROGRAMS)) && !is_message() {
        return Some(AttachmentRisk::Executable);
    }
    if is_page_that_writes_files(content) {
        return Some(AttachmentRisk::Executable);
    }
    let archive = archives::entries(content)?;
    if holds_program(&archive) {
        return Some(AttachmentRisk::Executable);
    }
    archive.is_encrypted.then_some(AttachmentRisk::PasswordProtected)
}

/// Returns true for content that starts with a header field, as messages do (RFC 5322, section 2.2).
fn starts_with_field(content: &[u8]) -> bool {
    let length =
        content.iter().take(MAX_FIELD_NAME_BYTES).take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
    length > 0 && content.get(length..).is_some_and(|behind| behind.starts_with(b": "))
}

/// Returns true for a page with a script that makes a file of its own content, as programs are brought past filters.
fn is_page_that_writes_files(content: &[u8]) -> bool {
    let content = content.get(..MAX_PAGE_BYTES).unwrap_or(content);
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let holds = |sign: &str| memchr::memmem::find(content, sign.as_bytes()).is_some();
    content.trim_ascii_start().starts_with(b"<")
        && holds("<script")
        && (holds("new Blob(") || holds("msSaveOrOpenBlob") || holds("createObjectURL"))
}

/// Returns true for a program of Windows or DOS: its header names the place of the next one.
fn is_windows_program(content: &[u8]) -> bool {
    let next = || u32::from_le_bytes(content.get(60..64)?.try_into().ok()?).try_into().ok();
    content.starts_with(b"MZ")
        && next().is_some_and(|at: usize| content.get(at..).is_some_and(|header| header.starts_with(b"PE\0\0")))
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    let extension = name.trim_end_matches(['.', ' ']).rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| extensions.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

fn holds_program(archive: &ArchiveEntries) -> bool {
    let in_folders = archive.names.iter().filter(|name| name.contains(['/', '\\'])).count();
    let is_project = archive.names.len() >= MIN_PROJECT_FILES && 2 * in_folders >= archive.names.len();
    let is_program = |name: &String| has_extension(name, PROGRAMS) && !(is_project && has_extension(name, OF_PROJECTS));
    archive.names.iter().any(is_program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows_program() -> Vec<u8> {
        let mut content = b"MZ".to_vec();
        content.resize(60, 0);
        content.extend(64_u32.to_le_bytes());
        content.extend(b"PE\0\0");
        content
    }

    #[test]
    fn scripts_in_folders_of_projects_are_no_programs() {
        let archive = |names: &[&str]| ArchiveEntries {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            is_encrypted: false,
        };
        for (names, expected) in [
            (&["src/app.js", "src/index.html", "gradlew.bat", "README.md", "lib/a.jar"][..], false),
            (&["invoice.js", "a.txt", "b.txt", "c.txt"], true),
            (&["src/app.js", "src/a.html", "README.md"], true),
            (&["src/app.js", "src/a.html", "setup.exe", "src/b.html"], true),
        ] {
            assert_eq!(holds_program(&archive(names)), expected, "{names:?}");
        }
    }

    #[test]
    fn programs_are_found_by_name_and_content() {
        for name in ["a.exe", "a.PDF.scr", "a.Lnk", "a.js. ", "update.msi", "a.msc", "report.com"] {
            assert_eq!(risk(Some(name), b"text"), Some(AttachmentRisk::Executable), "{name}");
        }
        for name in ["a.pdf", "exe", "a.exe.txt", "notes.py", "run.sh", ""] {
            assert_eq!(risk(Some(name), b"text"), None, "{name}");
        }
        assert_eq!(risk(Some("invoice.pdf"), &windows_program()), Some(AttachmentRisk::Executable));
        assert_eq!(risk(None, b"\x7fELF\x02"), Some(AttachmentRisk::Executable));
        assert_eq!(risk(None, b"MZ is the name of a bank"), None);
        assert_eq!(risk(Some("flyer-example.com"), b"%PDF-1.7"), None);
        for name in ["invoice.iso", "invoice.jar", "invoice.vhd", "invoice.dmg"] {
            assert_eq!(risk(Some(name), b"GIF89a"), Some(AttachmentRisk::Executable), "{name}");
        }
        assert_eq!(risk(Some("invoice.pdf.hta"), b"%PDF-1.7\n<script>"), Some(AttachmentRisk::Executable));
        let page = |script: &str| format!("<html><script>{script}</script></html>");
        assert_eq!(risk(Some("a.html"), page("x(new Blob([a]))").as_bytes()), Some(AttachmentRisk::Executable));
        let marked = format!("\u{feff}{}", page("x(new Blob([a]))"));
        assert_eq!(risk(Some("a.html"), marked.as_bytes()), Some(AttachmentRisk::Executable));
        assert_eq!(risk(Some("a.html"), page("print()").as_bytes()), None);
        assert_eq!(risk(Some("Your order at shop.com"), b"Received: from a\r\n"), None);
        assert_eq!(risk(Some("order.exe"), b"Received: from a\r\n"), Some(AttachmentRisk::Executable));
        assert_eq!(risk(Some("a.js.txt"), b"x(new Blob([a]))"), None);
    }
}
