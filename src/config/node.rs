//! Configuration as a tree with places, the same for TOML and JSON, so that every error can point
//! into the file. Both parsers limit nesting, so the recursion here is bounded.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Its first byte in the file.
    pub offset: usize,
}

/// A key of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Its first byte in the file.
    pub offset: usize,
}

/// What a value can be.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// A list.
    List(Vec<Node>),
    /// A table, in the order of the file.
    Table(Vec<(Key, Node)>),
    /// Something configuration has no use for (a date, null, a number out of range).
    Other,
}

impl Value {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "a string",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Bool(_) => "true or false",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Other => "something else",
        }
    }
}

impl Node {
    /// The part of a table at a path of keys, if it is all there.
    pub fn part(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, &name| match &node.value {
            Value::Table(entries) => entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node),
            _ => None,
        })
    }

    /// A TOML text as a tree.
    ///
    /// # Errors
    /// The byte and the message of the first syntax error.
    pub fn from_toml(text: &str) -> Result<Node, (usize, String)> {
        let table = DeTable::parse(text)
            .map_err(|error| (error.span().map_or(0, |span| span.start), error.message().to_string()))?;
        let offset = table.span().start;
        Ok(Node { value: from_table(table.into_inner()), offset })
    }

    /// A JSON text as a tree. JSON values come without places: a key's is looked for in the text, from
    /// the place of the table around it on.
    ///
    /// # Errors
    /// The byte and the message of the first syntax error.
    pub fn from_json(text: &str) -> Result<Node, (usize, String)> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|error| {
            let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            (line_start + error.column().saturating_sub(1), error.to_string())
        })?;
        Ok(from_json_value(value, text, 0))
    }
}

fn from_table(table: DeTable<'_>) -> Value {
    let entries = table.into_iter().map(|(key, value)| {
        let offset = key.span().start;
        (Key { name: key.into_inner().into_owned(), offset }, from_toml_value(value))
    });
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(|(key, _)| key.offset);
    Value::Table(entries)
}

fn from_toml_value(value: Spanned<DeValue<'_>>) -> Node {
    let offset = value.span().start;
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Other, Value::Integer)
        }
        DeValue::Float(number) => number.as_str().parse().map_or(Value::Other, Value::Float),
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Datetime(_) => Value::Other,
        DeValue::Array(items) => Value::List(items.into_iter().map(from_toml_value).collect()),
        DeValue::Table(table) => from_table(table),
    };
    Node { value, offset }
}

fn from_json_value(value: serde_json::Value, text: &str, offset: usize) -> Node {
    use serde_json::Value as Json;
    let value = match value {
        Json::String(text) => Value::Text(text),
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::Integer(whole),
            (None, Some(other)) => Value::Float(other),
            (None, None) => Value::Other,
        },
        Json::Array(items) => Value::List(items.into_iter().map(|item| from_json_value(item, text, offset)).collect()),
        Json::Object(entries) => {
            Value::Table(entries.into_iter().map(|(name, value)| entry(name, value, text, offset)).collect())
        }
        Json::Null => Value::Other,
    };
    Node { value, offset }
}

fn entry(name: String, value: serde_json::Value, text: &str, table: usize) -> (Key, Node) {
    let quoted = format!("\"{name}\"");
    let offset = text.get(table..).and_then(|rest| rest.find(&quoted)).map_or(table, |found| table + found);
    let node = from_json_value(value, text, offset);
    (Key { name, offset }, node)
}
