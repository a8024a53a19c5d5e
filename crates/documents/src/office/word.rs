//! DOCX: paragraphs, headings, lists, tables, links, footnotes. Deleted and hidden text is omitted.

use std::collections::HashMap;

use inboxd_mail::zip::ZipArchive;

use super::{Relations, is_on, part, relations};
use crate::blocks::{BlockBuilder, ParagraphRole};
use crate::output::TextOutput;
use crate::xml::{XmlElement, XmlEvent, XmlReader};
use crate::{DocumentError, DocumentLimits};

const DOCUMENT: &str = "word/document.xml";
/// Parts with further words of a person, with their heading.
const NOTES: [(&str, &str); 3] =
    [("word/footnotes.xml", "Footnotes"), ("word/endnotes.xml", "Endnotes"), ("word/comments.xml", "Comments")];

/// Writes the body and the notes.
pub(crate) fn read(content: &[u8], limits: &DocumentLimits, output: &mut TextOutput) -> Result<(), DocumentError> {
    let mut archive = ZipArchive::open(content, limits.max_entries, limits.max_unpacked_bytes)?;
    let headings = heading_styles(&mut archive)?;
    let links = relations(&mut archive, DOCUMENT)?;
    let body = part(&mut archive, DOCUMENT)?;
    WordReader::new(&headings, &links).read(&body, output)?;
    for (name, title) in NOTES {
        let links = relations(&mut archive, name)?;
        let Some(xml) = archive.read(name)? else { continue };
        let mut notes = TextOutput::beside(output);
        WordReader::new(&headings, &links).read(&crate::xml::decode(&xml), &mut notes)?;
        let notes = notes.finish();
        if !notes.text.is_empty() {
            output.heading(2, title);
            output.paragraph(&notes.text);
        }
    }
    Ok(())
}

/// Returns the levels of the styles that are headings. Ids are translated by office programs, names are not.
fn heading_styles(archive: &mut ZipArchive<'_>) -> Result<HashMap<String, usize>, DocumentError> {
    let mut headings = HashMap::new();
    let Some(xml) = archive.read("word/styles.xml")? else { return Ok(headings) };
    let xml = crate::xml::decode(&xml);
    let mut reader = XmlReader::new(&xml);
    let mut style = None;
    while let Some(event) = reader.next()? {
        let XmlEvent::Open(element) = event else { continue };
        match element.name() {
            "style" => style = element.attribute("styleId"),
            "name" => {
                let name = element.attribute("val").unwrap_or_default().to_ascii_lowercase();
                let level =
                    if name == "title" { Some(1) } else { name.strip_prefix("heading ").and_then(|n| n.parse().ok()) };
                if let (Some(style), Some(level)) = (style.take(), level) {
                    headings.insert(style, level);
                }
            }
            _ => {}
        }
    }
    Ok(headings)
}

struct WordReader<'w> {
    headings: &'w HashMap<String, usize>,
    links: &'w Relations,
    blocks: BlockBuilder,
    /// Depth of open elements without shown words.
    unshown: usize,
    is_text: bool,
    is_hidden: bool,
    is_item: bool,
    link: Option<(String, usize)>,
}

impl<'w> WordReader<'w> {
    fn new(headings: &'w HashMap<String, usize>, links: &'w Relations) -> Self {
        Self {
            headings,
            links,
            blocks: BlockBuilder::default(),
            unshown: 0,
            is_text: false,
            is_hidden: false,
            is_item: false,
            link: None,
        }
    }

    fn read(mut self, xml: &str, output: &mut TextOutput) -> Result<(), DocumentError> {
        let mut reader = XmlReader::new(xml);
        while let Some(event) = reader.next()?
            && !output.is_full()
        {
            match event {
                XmlEvent::Open(element) => self.open(&element),
                XmlEvent::Close(name) => self.close(&name, output),
                XmlEvent::Text(text) if self.is_text && self.unshown == 0 && !self.is_hidden => self.blocks.text(&text),
                XmlEvent::Text(_) => {}
            }
        }
        Ok(())
    }

    fn open(&mut self, element: &XmlElement<'_>) {
        let value = || element.attribute("val");
        match element.name() {
            // Older programs read the fallback, which repeats the words.
            "Fallback" | "moveFrom" => self.unshown += 1,
            "p" => self.blocks.open_paragraph(),
            "pStyle" => {
                if let Some(level) = value().and_then(|style| self.headings.get(&style)) {
                    self.blocks.set_role(ParagraphRole::Heading(*level));
                }
            }
            "numPr" => {
                self.is_item = true;
                self.blocks.set_role(ParagraphRole::Item(0));
            }
            "ilvl" if self.is_item => {
                let depth = value().and_then(|depth| depth.parse().ok()).unwrap_or_default();
                self.blocks.set_role(ParagraphRole::Item(depth));
            }
            "r" => self.is_hidden = false,
            "vanish" => self.is_hidden = is_on(value().as_deref()),
            "t" => self.is_text = true,
            "tab" if self.unshown == 0 => self.blocks.text("\t"),
            "br" | "cr" if self.unshown == 0 => self.blocks.text("\n"),
            "noBreakHyphen" if self.unshown == 0 => self.blocks.text("-"),
            "hyperlink" => {
                let target = element.prefixed_attribute("id").and_then(|id| self.links.get(&id));
                self.link = target.map(|target| (target.clone(), self.blocks.position()));
            }
            "tbl" => self.blocks.open_table(),
            "tc" => self.blocks.open_cell(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str, output: &mut TextOutput) {
        match name {
            "Fallback" | "moveFrom" => self.unshown = self.unshown.saturating_sub(1),
            "p" => {
                self.is_item = false;
                self.is_hidden = false;
                self.link = None;
                self.blocks.close_paragraph(output);
            }
            "numPr" => self.is_item = false,
            "t" => self.is_text = false,
            "hyperlink" => {
                if let Some((target, start)) = self.link.take() {
                    self.blocks.link_from(start, &target, output.is_markdown());
                }
            }
            "tc" => self.blocks.close_cell(),
            "tr" => self.blocks.close_row(output),
            "tbl" => self.blocks.close_table(output),
            _ => {}
        }
    }
}
