//! PPTX: the slides in order with titles, lists, tables and notes.

use inboxd_mail::zip::ZipArchive;

use super::{part, relations};
use crate::blocks::{BlockBuilder, ParagraphRole};
use crate::output::TextOutput;
use crate::xml::{XmlElement, XmlEvent, XmlReader};
use crate::{DocumentError, DocumentLimits};

const PRESENTATION: &str = "ppt/presentation.xml";

/// Writes all slides.
pub(crate) fn read(content: &[u8], limits: &DocumentLimits, output: &mut TextOutput) -> Result<(), DocumentError> {
    let mut archive = ZipArchive::open(content, limits.max_entries, limits.max_unpacked_bytes)?;
    let targets = relations(&mut archive, PRESENTATION)?;
    let presentation = part(&mut archive, PRESENTATION)?;
    let mut reader = XmlReader::new(&presentation);
    let mut slides = Vec::new();
    while let Some(event) = reader.next()? {
        if let XmlEvent::Open(element) = event
            && element.name() == "sldId"
            && let Some(target) = element.prefixed_attribute("id").and_then(|id| targets.get(&id))
        {
            slides.push(target.clone());
        }
    }
    for (at, slide) in slides.iter().enumerate() {
        if at >= limits.max_pages {
            output.cut();
        }
        if at >= limits.max_pages || output.is_full() {
            break;
        }
        output.heading(1, &format!("Slide {}", at + 1));
        let xml = part(&mut archive, slide)?;
        SlideReader::default().read(&xml, output)?;
        let linked = relations(&mut archive, slide)?;
        if let Some(notes) = linked.values().find(|target| target.contains("notesSlides/")) {
            let xml = part(&mut archive, notes)?;
            output.heading(2, "Notes");
            SlideReader { needs_body: true, ..SlideReader::default() }.read(&xml, output)?;
        }
    }
    Ok(())
}

/// Reader of one slide or of its notes.
#[derive(Default)]
struct SlideReader {
    blocks: BlockBuilder,
    /// True if only the body of notes is shown, not the number and the picture of the slide.
    needs_body: bool,
    role: ParagraphRole,
    is_body: bool,
    is_text: bool,
}

impl SlideReader {
    fn read(mut self, xml: &str, output: &mut TextOutput) -> Result<(), DocumentError> {
        let mut reader = XmlReader::new(xml);
        while let Some(event) = reader.next()?
            && !output.is_full()
        {
            match event {
                XmlEvent::Open(element) => self.open(&element),
                XmlEvent::Close(name) => self.close(&name, output),
                XmlEvent::Text(text) if self.is_text && (self.is_body || !self.needs_body) => self.blocks.text(&text),
                XmlEvent::Text(_) => {}
            }
        }
        Ok(())
    }

    fn open(&mut self, element: &XmlElement<'_>) {
        match element.name() {
            "sp" => (self.role, self.is_body) = (ParagraphRole::Body, false),
            "ph" => match element.attribute("type").as_deref() {
                Some("title" | "ctrTitle") => self.role = ParagraphRole::Heading(2),
                Some("body") if self.needs_body => self.is_body = true,
                // The body of a slide is a list; its marks are in the layout.
                Some("body") | None => self.role = ParagraphRole::Item(0),
                Some(_) => {}
            },
            "p" => {
                self.blocks.open_paragraph();
                self.blocks.set_role(self.role);
            }
            "pPr" => {
                if let Some(level) = element.attribute("lvl").and_then(|level| level.parse().ok()) {
                    self.blocks.set_role(ParagraphRole::Item(level));
                }
            }
            "buNone" => self.blocks.set_role(ParagraphRole::Body),
            "buChar" | "buAutoNum" if self.role == ParagraphRole::Body => self.blocks.set_role(ParagraphRole::Item(0)),
            "t" => self.is_text = true,
            "br" => self.blocks.text("\n"),
            "tbl" => self.blocks.open_table(),
            "tc" => self.blocks.open_cell(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str, output: &mut TextOutput) {
        match name {
            "p" => self.blocks.close_paragraph(output),
            "t" => self.is_text = false,
            "tc" => self.blocks.close_cell(),
            "tr" => self.blocks.close_row(output),
            "tbl" => self.blocks.close_table(output),
            _ => {}
        }
    }
}
