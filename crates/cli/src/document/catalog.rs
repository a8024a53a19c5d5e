//! All commands of a document.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field::{ApiField, FieldPlace};
use super::naming::{self, CommandName};
use super::operation::ApiOperation;
use super::schema::SchemaReader;

/// Part of an account that an operation concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CommandScope {
    Organization,
    Pod,
    Inbox,
}

impl CommandScope {
    /// Returns the path parameter that names the part.
    pub(crate) fn parameter(self) -> Option<&'static str> {
        match self {
            Self::Organization => None,
            Self::Pod => Some("pod_id"),
            Self::Inbox => Some("inbox_id"),
        }
    }
}

/// Command with its operations, one per scope.
#[derive(Debug, Clone)]
pub(crate) struct ApiCommand {
    pub(crate) group: String,
    pub(crate) name: String,
    /// Operations by scope, the widest first; never empty.
    operations: Vec<(CommandScope, ApiOperation)>,
}

impl ApiCommand {
    /// Returns the operation of the widest scope, which describes the command.
    pub(crate) fn widest(&self) -> Option<&ApiOperation> {
        self.operations.first().map(|(_, operation)| operation)
    }

    /// Returns the summary of the command: the shortest one, which names no scope.
    pub(crate) fn summary(&self) -> &str {
        let summaries = self.operations.iter().map(|(_, operation)| operation.summary.as_str());
        summaries.min_by_key(|summary| summary.len()).unwrap_or_default()
    }

    /// Returns all operations with their scopes.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (CommandScope, &ApiOperation)> {
        self.operations.iter().map(|(scope, operation)| (*scope, operation))
    }

    /// Returns the operation of a scope.
    pub(crate) fn operation(&self, scope: CommandScope) -> Option<&ApiOperation> {
        self.operations().find_map(|(known, operation)| (known == scope).then_some(operation))
    }

    /// Returns the fields of all operations, without the one that `--pod` or `--inbox` supplies.
    pub(crate) fn fields(&self) -> Vec<&ApiField> {
        let mut fields: Vec<&ApiField> = Vec::new();
        for (scope, operation) in &self.operations {
            for field in &operation.fields {
                let is_scope = field.place == FieldPlace::Path && scope.parameter() == Some(field.name.as_str());
                if !is_scope && !fields.iter().any(|known| known.id() == field.id()) && !self.is_selected(field) {
                    fields.push(field);
                }
            }
        }
        fields
    }

    /// Returns whether a field outside the path names the inbox or pod that also selects the operation.
    fn is_selected(&self, field: &ApiField) -> bool {
        let by_scope = |scope: &CommandScope| scope.parameter() == Some(field.name.as_str());
        field.place != FieldPlace::Path && self.operations.iter().any(|(scope, _)| by_scope(scope))
    }

    fn admits(&self, operation: &ApiOperation, scope: CommandScope) -> bool {
        let same = |known: &ApiOperation| {
            known.method == operation.method && known.response.schema == operation.response.schema
        };
        self.operation(scope).is_none() && self.widest().is_some_and(same)
    }
}

/// All commands of a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Catalog {
    commands: Vec<ApiCommand>,
}

impl Catalog {
    /// Reads the operations of a document.
    pub(crate) fn read(document: &Value) -> Self {
        let reader = SchemaReader(document);
        let mut operations: Vec<ApiOperation> = Vec::new();
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            let methods = item.as_object().into_iter().flatten();
            operations.extend(methods.filter_map(|(method, value)| ApiOperation::read(reader, path, method, value)));
        }
        // Operations of the organization come first, so that those of other scopes join them.
        operations.sort_by_key(|operation| (naming::scoped(operation).scope, operation.path.clone()));
        let mut catalog = Self::default();
        for operation in operations {
            catalog.add(operation);
        }
        catalog.commands.sort_by(|one, other| (&one.group, &one.name).cmp(&(&other.group, &other.name)));
        catalog
    }

    fn add(&mut self, operation: ApiOperation) {
        let name = naming::scoped(&operation);
        let known = self.commands.iter_mut().find(|known| known.group == name.group && known.name == name.name);
        match known {
            Some(known) if known.admits(&operation, name.scope) => known.operations.push((name.scope, operation)),
            // Another thing with the same name: the path below its inbox or pod names the command.
            Some(_) => self.insert(naming::whole(&operation), operation),
            None => self.insert(name, operation),
        }
    }

    fn insert(&mut self, CommandName { group, name, scope }: CommandName, operation: ApiOperation) {
        self.commands.push(ApiCommand { group, name, operations: vec![(scope, operation)] });
    }

    /// Returns all commands by group.
    pub(crate) fn groups(&self) -> BTreeMap<&str, Vec<&ApiCommand>> {
        let mut groups: BTreeMap<&str, Vec<&ApiCommand>> = BTreeMap::new();
        for command in &self.commands {
            groups.entry(&command.group).or_default().push(command);
        }
        groups
    }

    /// Returns a command.
    pub(crate) fn command(&self, group: &str, name: &str) -> Option<&ApiCommand> {
        self.commands.iter().find(|command| command.group == group && command.name == name)
    }
}
