//! Interpreter of content streams: text state, matrices and forms (ISO 32000, sections 8.4 and 9).
//!
//! A form is here a content stream that others draw (form `XObject`), not a form to fill in. The limits bound the work
//! for an untrusted document.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};
use hayro_syntax::page::{Page, Resources};

use super::font::PdfFont;
use super::layout::{PageLayout, TextPlace};
use super::matrix::Matrix;

/// Maximum depth of forms in forms.
const MAX_FORM_DEPTH: usize = 8;
/// Maximum number of forms drawn in a document.
const MAX_FORMS: usize = 20_000;
/// Maximum number of saved graphics states.
const MAX_STATES: usize = 512;
/// Maximum number of annotations of a page.
const MAX_ANNOTATIONS: usize = 1000;

#[derive(Clone)]
struct TextState {
    /// Current transformation matrix.
    page: Matrix,
    font: Option<Rc<PdfFont>>,
    size: f64,
    character_spacing: f64,
    word_spacing: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

impl Default for TextState {
    fn default() -> Self {
        Self {
            page: Matrix::IDENTITY,
            font: None,
            size: 1.0,
            character_spacing: 0.0,
            word_spacing: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

/// Reader of pages, with the fonts of the document by their object.
#[derive(Default)]
pub(crate) struct PageInterpreter {
    fonts: HashMap<(u32, i32), Rc<PdfFont>>,
    /// Number of forms drawn so far.
    forms: usize,
}

impl PageInterpreter {
    /// Returns the words of a page and of its annotations, such as filled fields.
    pub(crate) fn read(&mut self, page: &Page<'_>) -> String {
        let mut layout = PageLayout::default();
        let content = content_of(page.raw());
        self.run(&content, page.resources(), TextState::default(), 0, &mut layout);
        let annotations = page.raw().get::<Array<'_>>("Annots");
        for annotation in annotations.iter().flat_map(|all| all.iter::<Dict<'_>>().take(MAX_ANNOTATIONS)) {
            let appearance = annotation.get::<Dict<'_>>("AP").and_then(|looks| looks.get::<Stream<'_>>("N"));
            let origin = annotation.get::<Array<'_>>("Rect").map(|rect| numbers(&rect)).unwrap_or_default();
            if let (Some(form), [x, y, ..]) = (appearance, origin.as_slice()) {
                let state = TextState { page: Matrix::translation(*x, *y), ..TextState::default() };
                self.form(&form, page.resources(), &state, 1, &mut layout);
            }
        }
        layout.finish()
    }

    /// Draws a form. Without resources of its own it uses those of the content that draws it.
    fn form(
        &mut self,
        form: &Stream<'_>,
        outer_resources: &Resources<'_>,
        state: &TextState,
        depth: usize,
        layout: &mut PageLayout,
    ) {
        let dict = form.dict();
        if depth > MAX_FORM_DEPTH
            || self.forms >= MAX_FORMS
            || dict.get::<Name<'_>>("Subtype").as_deref() == Some(b"Image")
        {
            return;
        }
        self.forms += 1;
        let Ok(content) = form.decoded_data() else { return };
        let matrix = dict.get::<Array<'_>>("Matrix").map(|matrix| numbers(&matrix)).unwrap_or_default();
        let mut state = state.clone();
        if let Ok(matrix) = <[f64; 6]>::try_from(matrix) {
            state.page = state.page * Matrix(matrix);
        }
        match dict.get::<Dict<'_>>("Resources") {
            Some(own) => self.run(&content, &Resources::new(own), state, depth, layout),
            None => self.run(&content, outer_resources, state, depth, layout),
        }
    }

    /// Runs the operators of a content stream and adds the shown text to the layout.
    fn run(
        &mut self,
        content: &[u8],
        resources: &Resources<'_>,
        state: TextState,
        depth: usize,
        layout: &mut PageLayout,
    ) {
        let mut run = ContentRun { state, saved: Vec::new(), matrix: Matrix::IDENTITY, line: Matrix::IDENTITY };
        let mut operations = TypedIter::new(content);
        while let Some(operation) = operations.next() {
            match operation {
                TypedInstruction::SaveState(_) if run.saved.len() < MAX_STATES => run.saved.push(run.state.clone()),
                TypedInstruction::RestoreState(_) => run.state = run.saved.pop().unwrap_or(run.state),
                TypedInstruction::Transform(m) => {
                    run.state.page = run.state.page * matrix([m.0, m.1, m.2, m.3, m.4, m.5]);
                }
                TypedInstruction::BeginText(_) => run.set_matrix(Matrix::IDENTITY),
                TypedInstruction::CharacterSpacing(spacing) => run.state.character_spacing = spacing.0.as_f64(),
                TypedInstruction::WordSpacing(spacing) => run.state.word_spacing = spacing.0.as_f64(),
                TypedInstruction::HorizontalScaling(scale) => run.state.scale = scale.0.as_f64() / 100.0,
                TypedInstruction::TextLeading(leading) => run.state.leading = leading.0.as_f64(),
                TypedInstruction::TextRise(rise) => run.state.rise = rise.0.as_f64(),
                TypedInstruction::TextFont(font) => {
                    run.state.font = self.font(font.0, resources);
                    run.state.size = font.1.as_f64();
                }
                TypedInstruction::NextLine(step) => run.next_line(step.0.as_f64(), step.1.as_f64()),
                TypedInstruction::NextLineAndSetLeading(step) => {
                    run.state.leading = -step.1.as_f64();
                    run.next_line(step.0.as_f64(), step.1.as_f64());
                }
                TypedInstruction::SetTextMatrix(m) => run.set_matrix(matrix([m.0, m.1, m.2, m.3, m.4, m.5])),
                TypedInstruction::NextLineUsingLeading(_) => run.next_line(0.0, -run.state.leading),
                TypedInstruction::ShowText(shown) => run.show(shown.0.as_bytes(), layout),
                TypedInstruction::NextLineAndShowText(shown) => {
                    run.next_line(0.0, -run.state.leading);
                    run.show(shown.0.as_bytes(), layout);
                }
                TypedInstruction::ShowTextWithParameters(shown) => {
                    run.state.word_spacing = shown.0.as_f64();
                    run.state.character_spacing = shown.1.as_f64();
                    run.next_line(0.0, -run.state.leading);
                    run.show(shown.2.as_bytes(), layout);
                }
                TypedInstruction::ShowTexts(shown) => {
                    for piece in shown.0.iter::<Object<'_>>() {
                        match piece {
                            Object::String(text) => run.show(text.as_bytes(), layout),
                            Object::Number(shift) => {
                                run.advance(-shift.as_f64() / 1000.0 * run.state.size * run.state.scale);
                            }
                            _ => {}
                        }
                    }
                }
                TypedInstruction::XObject(name) => {
                    if let Some(form) = resources.get_x_object(name.0) {
                        self.form(&form, resources, &run.state, depth + 1, layout);
                    }
                }
                _ => {}
            }
        }
    }

    fn font(&mut self, name: &Name<'_>, resources: &Resources<'_>) -> Option<Rc<PdfFont>> {
        let key = resources.fonts.get_ref(name).map(|reference| (reference.obj_number, reference.gen_number));
        if let Some(known) = key.and_then(|key| self.fonts.get(&key)) {
            return Some(known.clone());
        }
        let font = Rc::new(PdfFont::read(&resources.get_font(name)?));
        if let Some(key) = key {
            self.fonts.insert(key, font.clone());
        }
        Some(font)
    }
}

/// State of one content stream.
struct ContentRun {
    state: TextState,
    saved: Vec<TextState>,
    /// Text matrix: position of the next glyph.
    matrix: Matrix,
    /// Text line matrix: start of the line.
    line: Matrix,
}

impl ContentRun {
    fn set_matrix(&mut self, matrix: Matrix) {
        self.matrix = matrix;
        self.line = matrix;
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.set_matrix(self.line * Matrix::translation(x, y));
    }

    /// Moves along the line by a distance in text space.
    fn advance(&mut self, distance: f64) {
        self.matrix = self.matrix * Matrix::translation(distance, 0.0);
    }

    fn show(&mut self, bytes: &[u8], layout: &mut PageLayout) {
        let Some(font) = self.state.font.clone() else { return };
        for glyph in font.glyphs(bytes) {
            let spacing = if glyph.is_space { self.state.word_spacing } else { 0.0 };
            let width = glyph.width * self.state.size;
            let before = self.position();
            let start = self.state.page * self.matrix;
            self.advance(width * self.state.scale);
            let after = self.position();
            self.advance((self.state.character_spacing + spacing) * self.state.scale);
            if let Some(text) = &glyph.text {
                layout.add(text, place(start, before, after, self.state.size));
            }
        }
    }

    /// Returns the origin of the next glyph on the page.
    fn position(&self) -> (f64, f64) {
        let placed = self.state.page * self.matrix * Matrix::translation(0.0, self.state.rise);
        let Matrix([.., x, y]) = placed;
        (x, y)
    }
}

/// Projects a glyph onto the direction of its line.
fn place(start: Matrix, before: (f64, f64), after: (f64, f64), size: f64) -> TextPlace {
    let Matrix(start) = start;
    let length = start[0].hypot(start[1]);
    let (cos, sin) = if length > 0.0 { (start[0] / length, start[1] / length) } else { (1.0, 0.0) };
    #[expect(clippy::cast_possible_truncation, reason = "degrees are between -180 and 180")]
    let direction = sin.atan2(cos).to_degrees().round() as i32;
    let along = |(x, y): (f64, f64)| x * cos + y * sin;
    let across = before.1 * cos - before.0 * sin;
    TextPlace {
        start: along(before),
        end: along(after),
        line: across,
        size: size.abs() * start[2].hypot(start[3]),
        direction,
    }
}

/// Returns the content streams of a page as one.
fn content_of(page: &Dict<'_>) -> Vec<u8> {
    if let Some(stream) = page.get::<Stream<'_>>("Contents") {
        return stream.decoded_data().map(std::borrow::Cow::into_owned).unwrap_or_default();
    }
    let mut content = Vec::new();
    for stream in page.get::<Array<'_>>("Contents").iter().flat_map(Array::iter::<Stream<'_>>) {
        content.extend(stream.decoded_data().unwrap_or_default().iter());
        content.push(b' ');
    }
    content
}

fn matrix(numbers: [Number; 6]) -> Matrix {
    Matrix(numbers.map(|number| number.as_f64()))
}

fn numbers(array: &Array<'_>) -> Vec<f64> {
    array.iter::<f64>().take(6).collect()
}
