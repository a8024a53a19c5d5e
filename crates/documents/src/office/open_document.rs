//! ODF 1.3: texts, spreadsheets and presentations. Deleted text of tracked changes is omitted.

use inboxd_mail::zip::ZipArchive;

use super::part;
use crate::blocks::{BlockBuilder, ParagraphRole};
use crate::output::TextOutput;
use crate::xml::{XmlElement, XmlEvent, XmlReader, decode};
use crate::{DocumentError, DocumentLimits};

/// Maximum number of equal cells or rows that one element stands for; more are empty space at the end.
const MAX_REPEATS: usize = 100;
/// Maximum number of spaces of one element.
const MAX_SPACES: usize = 80;

/// Writes the content of a document.
pub(crate) fn read(content: &[u8], limits: &DocumentLimits, output: &mut TextOutput) -> Result<(), DocumentError> {
    let mut archive = ZipArchive::open(content, limits.max_entries, limits.max_unpacked_bytes)?;
    let manifest = archive.read("META-INF/manifest.xml")?.unwrap_or_default();
    if decode(&manifest).contains("encryption-data") {
        return Err(DocumentError::Encrypted);
    }
    let xml = part(&mut archive, "content.xml")?;
    let mut document = OdfReader { max_pages: limits.max_pages, ..OdfReader::default() };
    let mut reader = XmlReader::new(&xml);
    while let Some(event) = reader.next()?
        && !output.is_full()
        && !document.is_done
    {
        match event {
            XmlEvent::Open(element) => document.open(&element, output),
            XmlEvent::Close(name) => document.close(&name, output),
            // White space of the markup collapses (ODF 1.3, part 3, section 6.1.2).
            XmlEvent::Text(text) if document.unshown == 0 => document.blocks.text(&text.replace(['\n', '\t'], " ")),
            XmlEvent::Text(_) => {}
        }
    }
    Ok(())
}

#[derive(Default)]
struct OdfReader {
    blocks: BlockBuilder,
    /// Depth of open elements without shown words.
    unshown: usize,
    lists: usize,
    /// Times that the current cell is repeated.
    repeats: usize,
    is_spreadsheet: bool,
    pages: usize,
    max_pages: usize,
    is_done: bool,
    link: Option<(String, usize)>,
}

impl OdfReader {
    fn open(&mut self, element: &XmlElement<'_>, output: &mut TextOutput) {
        match element.name() {
            "tracked-changes" | "annotation" | "sequence-decls" | "forms" | "settings" => self.unshown += 1,
            _ if self.unshown > 0 => {}
            "h" => {
                self.blocks.open_paragraph();
                let level = element.attribute("outline-level").and_then(|level| level.parse().ok()).unwrap_or(1);
                self.blocks.set_role(ParagraphRole::Heading(level));
            }
            "p" => {
                self.blocks.open_paragraph();
                if let Some(depth) = self.lists.checked_sub(1) {
                    self.blocks.set_role(ParagraphRole::Item(depth));
                }
            }
            "list" => self.lists += 1,
            "s" => self.blocks.text(&" ".repeat(count(element, "c").min(MAX_SPACES))),
            "tab" => self.blocks.text("\t"),
            "line-break" => self.blocks.text("\n"),
            "a" => self.link = element.attribute("href").map(|target| (target, self.blocks.position())),
            "spreadsheet" => self.is_spreadsheet = true,
            "page" => self.page(element, "Slide", output),
            "table" => {
                if self.is_spreadsheet && !self.blocks.is_in_table() {
                    self.page(element, "", output);
                }
                self.blocks.open_table();
            }
            "table-cell" | "covered-table-cell" => {
                self.repeats = count(element, "number-columns-repeated");
                self.blocks.open_cell();
            }
            _ => {}
        }
    }

    /// Writes the name of a slide or a sheet, which counts as a page.
    fn page(&mut self, element: &XmlElement<'_>, kind: &str, output: &mut TextOutput) {
        self.pages += 1;
        if self.pages > self.max_pages {
            output.cut();
            self.is_done = true;
            return;
        }
        let name = if kind.is_empty() { None } else { Some(format!("{kind} {}", self.pages)) };
        let name = name.or_else(|| element.attribute("name"));
        output.heading(1, &name.unwrap_or_default());
    }

    fn close(&mut self, name: &str, output: &mut TextOutput) {
        match name {
            "tracked-changes" | "annotation" | "sequence-decls" | "forms" | "settings" => {
                self.unshown = self.unshown.saturating_sub(1);
            }
            _ if self.unshown > 0 => {}
            "h" | "p" => self.blocks.close_paragraph(output),
            "list" => self.lists = self.lists.saturating_sub(1),
            "a" => {
                if let Some((target, start)) = self.link.take() {
                    self.blocks.link_from(start, &target, output.is_markdown());
                }
            }
            "table-cell" | "covered-table-cell" => {
                self.blocks.close_cell();
                self.blocks.repeat_cell(self.repeats.min(MAX_REPEATS).saturating_sub(1));
            }
            "table-row" => self.blocks.close_row(output),
            "table" => self.blocks.close_table(output),
            _ => {}
        }
    }
}

/// Returns the number in an attribute; 1 without one.
fn count(element: &XmlElement<'_>, name: &str) -> usize {
    element.attribute(name).and_then(|count| count.parse().ok()).unwrap_or(1)
}
