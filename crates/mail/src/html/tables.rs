//! Distinction between data tables and layout tables.

use super::attributes::ElementAttributes;
use super::elements::HtmlTag;
use super::tokens::{TokenKind, tokens};

#[derive(Debug, Default)]
struct TableTraits {
    /// True for a header, a caption or visible borders.
    looks_like_data: bool,
    /// True for a row of more than one cell.
    has_columns: bool,
    /// True for a layout role or nested tables.
    is_layout: bool,
    cells: u32,
}

/// Returns for each `<table>` in `html`, in order, true for a data table.
pub(crate) fn data_tables(html: &str) -> Vec<bool> {
    let mut data_flags = Vec::new();
    let mut open: Vec<(usize, TableTraits)> = Vec::new();
    for token in tokens(html) {
        match token.kind {
            TokenKind::Open(name, source_attributes) => {
                let tag = HtmlTag::of(name);
                if tag == HtmlTag::Table {
                    if let Some((_, outer)) = open.last_mut() {
                        outer.is_layout = true;
                    }
                    open.push((data_flags.len(), from_attributes(source_attributes)));
                    data_flags.push(false);
                } else if let Some((_, table)) = open.last_mut() {
                    table.add(tag, name);
                }
            }
            TokenKind::Close(name) if HtmlTag::of(name) == HtmlTag::Table => {
                if let Some((number, table)) = open.pop() {
                    classify(&mut data_flags, number, &table);
                }
            }
            _ => {}
        }
    }
    for (number, table) in &open {
        classify(&mut data_flags, *number, table);
    }
    data_flags
}

fn from_attributes(source_attributes: &str) -> TableTraits {
    let attributes = ElementAttributes::read(source_attributes);
    let is_layout = attributes.role.is_some_and(|role| matches!(role.trim(), "presentation" | "none"));
    let has_border = attributes.border.is_some_and(|border| border.trim() != "0");
    TableTraits { is_layout, looks_like_data: has_border, ..TableTraits::default() }
}

impl TableTraits {
    fn add(&mut self, tag: HtmlTag, name: &str) {
        match tag {
            HtmlTag::Row => self.cells = 0,
            HtmlTag::Cell | HtmlTag::HeadCell => {
                self.cells += 1;
                self.has_columns |= self.cells > 1;
                self.looks_like_data |= tag == HtmlTag::HeadCell;
            }
            HtmlTag::Caption => self.looks_like_data = true,
            HtmlTag::Rows => self.looks_like_data |= name.eq_ignore_ascii_case("thead"),
            _ => {}
        }
    }
}

fn classify(data_flags: &mut [bool], number: usize, table: &TableTraits) {
    if let Some(is_data) = data_flags.get_mut(number) {
        *is_data = table.looks_like_data && table.has_columns && !table.is_layout;
    }
}
