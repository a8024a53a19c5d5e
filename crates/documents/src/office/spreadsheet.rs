//! XLSX: each sheet as a table of shown values. Formulas have the values that were stored with them.

use inboxd_mail::zip::ZipArchive;

use super::number_format::{NumberKind, cell_formats, shown};
use super::{is_on, part, relations};
use crate::output::TextOutput;
use crate::xml::{XmlElement, XmlEvent, XmlReader, decode};
use crate::{DocumentError, DocumentLimits};

const WORKBOOK: &str = "xl/workbook.xml";
/// Maximum number of columns that are read.
const MAX_COLUMNS: usize = 256;

/// A sheet of the workbook.
struct Sheet {
    name: String,
    part: String,
    is_hidden: bool,
}

/// What the cells refer to.
struct Workbook {
    strings: Vec<String>,
    formats: Vec<NumberKind>,
    is_1904: bool,
}

/// Writes all sheets.
pub(crate) fn read(content: &[u8], limits: &DocumentLimits, output: &mut TextOutput) -> Result<(), DocumentError> {
    let mut archive = ZipArchive::open(content, limits.max_entries, limits.max_unpacked_bytes)?;
    let (sheets, is_1904) = sheets(&mut archive)?;
    let strings = match archive.read("xl/sharedStrings.xml")? {
        Some(xml) => shared_strings(&decode(&xml))?,
        None => Vec::new(),
    };
    let formats = match archive.read("xl/styles.xml")? {
        Some(xml) => cell_formats(&decode(&xml))?,
        None => Vec::new(),
    };
    let workbook = Workbook { strings, formats, is_1904 };
    for (at, sheet) in sheets.iter().enumerate() {
        if at >= limits.max_pages {
            output.cut();
        }
        if at >= limits.max_pages || output.is_full() {
            break;
        }
        let note = if sheet.is_hidden { " (hidden)" } else { "" };
        output.heading(1, &format!("{}{note}", sheet.name));
        let xml = part(&mut archive, &sheet.part)?;
        read_sheet(&xml, &workbook, output)?;
        output.end_table();
    }
    Ok(())
}

/// Returns the sheets in order, and true if dates count from 1904.
fn sheets(archive: &mut ZipArchive<'_>) -> Result<(Vec<Sheet>, bool), DocumentError> {
    let targets = relations(archive, WORKBOOK)?;
    let xml = part(archive, WORKBOOK)?;
    let mut reader = XmlReader::new(&xml);
    let (mut sheets, mut is_1904) = (Vec::new(), false);
    while let Some(event) = reader.next()? {
        let XmlEvent::Open(element) = event else { continue };
        match element.name() {
            "workbookPr" => is_1904 = element.attribute("date1904").is_some_and(|value| is_on(Some(&value))),
            "sheet" => {
                let target = element.prefixed_attribute("id").and_then(|id| targets.get(&id));
                if let (Some(name), Some(part)) = (element.attribute("name"), target) {
                    let is_hidden = element.attribute("state").is_some_and(|state| state != "visible");
                    // A sheet of a chart alone has no cells.
                    if !part.contains("chartsheets/") {
                        sheets.push(Sheet { name, part: part.clone(), is_hidden });
                    }
                }
            }
            _ => {}
        }
    }
    Ok((sheets, is_1904))
}

fn shared_strings(xml: &str) -> Result<Vec<String>, DocumentError> {
    let mut strings = Vec::new();
    let mut reader = XmlReader::new(xml);
    let (mut is_text, mut is_phonetic) = (false, false);
    while let Some(event) = reader.next()? {
        match event {
            XmlEvent::Open(element) => match element.name() {
                "si" => strings.push(String::new()),
                "t" => is_text = true,
                "rPh" => is_phonetic = true,
                _ => {}
            },
            XmlEvent::Close(name) => match name.as_str() {
                "t" => is_text = false,
                "rPh" => is_phonetic = false,
                _ => {}
            },
            XmlEvent::Text(text) => {
                if let Some(last) = strings.last_mut().filter(|_| is_text && !is_phonetic) {
                    last.push_str(&text);
                }
            }
        }
    }
    Ok(strings)
}

/// The cell that is being read.
#[derive(Default)]
struct OpenCell {
    kind: String,
    format: usize,
    value: String,
}

fn read_sheet(xml: &str, workbook: &Workbook, output: &mut TextOutput) -> Result<(), DocumentError> {
    let mut reader = XmlReader::new(xml);
    let mut row: Vec<String> = Vec::new();
    let mut cell = OpenCell::default();
    let mut is_value = false;
    while let Some(event) = reader.next()?
        && !output.is_full()
    {
        match event {
            XmlEvent::Open(element) => match element.name() {
                "row" => row.clear(),
                "c" => {
                    pad(&mut row, &element);
                    cell = OpenCell {
                        kind: element.attribute("t").unwrap_or_default(),
                        format: element.attribute("s").and_then(|format| format.parse().ok()).unwrap_or_default(),
                        value: String::new(),
                    };
                }
                "v" | "t" => is_value = true,
                _ => {}
            },
            XmlEvent::Text(text) if is_value => cell.value.push_str(&text),
            XmlEvent::Text(_) => {}
            XmlEvent::Close(name) => match name.as_str() {
                "v" | "t" => is_value = false,
                "c" if row.len() < MAX_COLUMNS => row.push(value(&std::mem::take(&mut cell), workbook)),
                "row" => output.row(&row),
                _ => {}
            },
        }
    }
    Ok(())
}

/// Adds empty cells up to the column of a reference such as `C7`.
fn pad(row: &mut Vec<String>, element: &XmlElement<'_>) {
    let reference = element.attribute("r").unwrap_or_default();
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic).take(3);
    let column = letters.fold(0, |column, letter| column * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    while row.len() + 1 < column.min(MAX_COLUMNS) {
        row.push(String::new());
    }
}

fn value(cell: &OpenCell, workbook: &Workbook) -> String {
    match cell.kind.as_str() {
        "s" => {
            let at: Option<usize> = cell.value.trim().parse().ok();
            at.and_then(|at| workbook.strings.get(at)).cloned().unwrap_or_default()
        }
        "b" => if cell.value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
        "" | "n" => {
            let kind = workbook.formats.get(cell.format).copied().unwrap_or(NumberKind::Plain);
            shown(cell.value.trim(), kind, workbook.is_1904)
        }
        _ => cell.value.clone(),
    }
}
