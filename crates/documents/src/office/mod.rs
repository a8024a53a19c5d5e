//! Office documents: parts of OOXML (ECMA-376) and ODF in a ZIP archive.

mod number_format;
pub(crate) mod open_document;
pub(crate) mod presentation;
pub(crate) mod spreadsheet;
pub(crate) mod word;

use std::collections::HashMap;

use inboxd_mail::zip::ZipArchive;

use crate::DocumentError;
use crate::xml::{XmlEvent, XmlReader, decode};

/// Targets of the relations of a part, by their ids.
pub(crate) type Relations = HashMap<String, String>;

/// Reads the relations of a part. Targets inside the package are full names without the leading slash.
pub(crate) fn relations(archive: &mut ZipArchive<'_>, part: &str) -> Result<Relations, DocumentError> {
    let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
    let mut relations = Relations::new();
    let Some(xml) = archive.read(&format!("{folder}/_rels/{file}.rels"))? else { return Ok(relations) };
    let xml = decode(&xml);
    let mut reader = XmlReader::new(&xml);
    while let Some(event) = reader.next()? {
        if let XmlEvent::Open(element) = event
            && let (Some(id), Some(target)) = (element.attribute("Id"), element.attribute("Target"))
        {
            let is_external = element.attribute("TargetMode").is_some_and(|mode| mode == "External");
            relations.insert(id, if is_external { target } else { resolve(folder, &target) });
        }
    }
    Ok(relations)
}

/// Resolves a target against the folder of its part.
fn resolve(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut path: Vec<&str> = folder.split('/').collect();
    for step in target.split('/') {
        match step {
            ".." => {
                path.pop();
            }
            "." => {}
            _ => path.push(step),
        }
    }
    path.join("/")
}

/// Reads a part that must exist.
pub(crate) fn part(archive: &mut ZipArchive<'_>, name: &str) -> Result<String, DocumentError> {
    let xml = archive.read(name)?.ok_or(DocumentError::Malformed)?;
    Ok(decode(&xml).into_owned())
}

/// Returns true for the values of OOXML that switch a property on; an absent value does.
pub(crate) fn is_on(value: Option<&str>) -> bool {
    !matches!(value, Some("0" | "false" | "off"))
}
