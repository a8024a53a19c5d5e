//! Fields of an operation in the OpenAPI document: path, query and header parameters and the fields of its body.
//!
//! Each field becomes a flag or an argument of the command that calls the operation.

use serde_json::Value;

use super::schema::{SchemaReader, ValueForm, ValueKind};

/// Place of a field in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FieldPlace {
    Path,
    Query,
    Header,
    Body,
}

/// Field of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiField {
    pub(crate) name: String,
    pub(crate) place: FieldPlace,
    pub(crate) form: ValueForm,
    pub(crate) is_required: bool,
    pub(crate) help: String,
}

impl ApiField {
    /// Reads a parameter.
    pub(super) fn from_parameter<'a>(reader: SchemaReader<'a>, parameter: &'a Value) -> Option<Self> {
        let parameter = reader.resolve(parameter);
        let place = match parameter["in"].as_str()? {
            "path" => FieldPlace::Path,
            "query" => FieldPlace::Query,
            "header" => FieldPlace::Header,
            _ => return None,
        };
        Some(Self {
            name: parameter["name"].as_str()?.to_owned(),
            place,
            form: reader.form(&parameter["schema"])?,
            is_required: parameter["required"] == true,
            help: help(reader.description(parameter)),
        })
    }

    /// Reads the fields of a body.
    pub(super) fn of_body<'a>(reader: SchemaReader<'a>, schema: &'a Value) -> Vec<Self> {
        let object = reader.object(schema);
        let required: Vec<&str> =
            object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let field = |(name, schema): (&String, &'a Value)| {
            Some(Self {
                name: name.clone(),
                place: FieldPlace::Body,
                form: reader.form(schema)?,
                is_required: required.contains(&name.as_str()),
                help: help(reader.description(schema)),
            })
        };
        object["properties"].as_object().into_iter().flatten().filter_map(field).collect()
    }

    /// Returns the name of the flag. An inbox or pod is named the same way everywhere.
    pub(crate) fn flag(&self) -> String {
        match self.name.as_str() {
            "inbox_id" => "inbox".to_owned(),
            "pod_id" => "pod".to_owned(),
            name => name.to_ascii_lowercase().replace('_', "-"),
        }
    }

    /// Returns the id of the argument, which is unique within a command.
    pub(crate) fn id(&self) -> String {
        let place = match self.place {
            FieldPlace::Path => "path",
            FieldPlace::Query => "query",
            FieldPlace::Header => "header",
            FieldPlace::Body => "body",
        };
        format!("{place}:{}", self.name)
    }

    /// Returns whether the field is an argument without a flag: a part of the path, or the text of a search.
    pub(crate) fn is_positional(&self) -> bool {
        self.place == FieldPlace::Path || (self.place == FieldPlace::Query && self.is_required)
    }

    /// Returns whether the flag accepts several values separated by commas: ids, labels and choices contain no comma.
    pub(crate) fn is_separated(&self) -> bool {
        let name = self.name.as_str();
        self.form.is_list && (!self.form.choices.is_empty() || name.ends_with("_ids") || name.ends_with("labels"))
    }

    /// Returns whether the word `null` clears the field. In free text, `null` is the text itself.
    pub(crate) fn is_cleared_by_null(&self) -> bool {
        let is_free_text = self.form.kind == ValueKind::Text && self.form.choices.is_empty() && !self.form.is_list;
        let names_thing = self.name.ends_with("_id") || self.name.ends_with("_at");
        self.place == FieldPlace::Body && self.form.is_nullable && (!is_free_text || names_thing)
    }

    /// Returns whether files can be attached to the field.
    pub(crate) fn takes_files(&self) -> bool {
        self.place == FieldPlace::Body && self.name.ends_with("attachments") && self.form.kind == ValueKind::Json
    }
}

/// Returns a description as one line.
pub(super) fn help(description: &str) -> String {
    let line = description.split_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_end_matches('.').to_owned()
}
