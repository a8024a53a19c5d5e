//! Which tables hold data, and which only lay out a page.

use super::attributes::Given;
use super::elements::Tag;
use super::tokens::{Kind, tokens};

#[derive(Debug, Default)]
struct Table {
    /// It has a head, a caption or lines around its cells.
    looks_like_data: bool,
    /// It has a row of more than one cell.
    has_columns: bool,
    /// It is said to be for layout, or holds other tables.
    is_layout: bool,
    cells: u32,
}

/// Of each `<table>` in `html`, in order, whether its rows are to be read as rows.
pub(crate) fn data_tables(html: &str) -> Vec<bool> {
    let mut verdicts = Vec::new();
    let mut open: Vec<(usize, Table)> = Vec::new();
    for token in tokens(html) {
        match token.kind {
            Kind::Open(name, attributes) => {
                let tag = Tag::of(name);
                if tag == Tag::Table {
                    if let Some((_, outer)) = open.last_mut() {
                        outer.is_layout = true;
                    }
                    open.push((verdicts.len(), described(attributes)));
                    verdicts.push(false);
                } else if let Some((_, table)) = open.last_mut() {
                    table.add(tag, name);
                }
            }
            Kind::Close(name) if Tag::of(name) == Tag::Table => {
                if let Some((number, table)) = open.pop() {
                    judge(&mut verdicts, number, &table);
                }
            }
            _ => {}
        }
    }
    for (number, table) in &open {
        judge(&mut verdicts, *number, table);
    }
    verdicts
}

fn described(attributes: &str) -> Table {
    let given = Given::read(attributes);
    let is_layout = given.role.is_some_and(|role| matches!(role.trim(), "presentation" | "none"));
    let has_border = given.border.is_some_and(|border| border.trim() != "0");
    Table { is_layout, looks_like_data: has_border, ..Table::default() }
}

impl Table {
    fn add(&mut self, tag: Tag, name: &str) {
        match tag {
            Tag::Row => self.cells = 0,
            Tag::Cell | Tag::HeadCell => {
                self.cells += 1;
                self.has_columns |= self.cells > 1;
                self.looks_like_data |= tag == Tag::HeadCell;
            }
            Tag::Caption => self.looks_like_data = true,
            Tag::Rows => self.looks_like_data |= name.eq_ignore_ascii_case("thead"),
            _ => {}
        }
    }
}

fn judge(verdicts: &mut [bool], number: usize, table: &Table) {
    if let Some(verdict) = verdicts.get_mut(number) {
        *verdict = table.looks_like_data && table.has_columns && !table.is_layout;
    }
}
