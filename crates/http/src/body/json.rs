//! Bounded JSON reader of request fields.
//!
//! Unknown fields are skipped and known fields have a limit of values, so that a body needs about as much memory as it
//! has bytes. An unbounded tree of `[0,0,…]` would need thirty times as much.

use std::cell::Cell;
use std::fmt;

use inboxd_core::Error;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::ignored;

/// Number of values in the known fields of a body at most, nested values included.
const MAX_JSON_VALUES: usize = 20_000;

/// Reads an object, returns its known fields and records some of the other names. An empty body equals an empty object.
pub(super) fn fields(
    bytes: &[u8],
    known: impl Fn(&str) -> bool,
    ignored: &mut Vec<String>,
) -> Result<Map<String, Value>, Error> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    let left = Cell::new(MAX_JSON_VALUES);
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = (&mut json).deserialize_any(FieldsVisitor { known, ignored, left: &left });
    match read.and_then(|read| json.end().map(|()| read)) {
        Ok(Some(fields)) => Ok(fields),
        Ok(None) => Err(Error::invalid("", "the body must be a JSON object")),
        Err(_) if left.get() == 0 => {
            Err(Error::invalid("", format!("the body has too many values: {MAX_JSON_VALUES} or more")))
        }
        Err(error) => Err(Error::invalid("", format!("the body is not valid JSON: {error}"))),
    }
}

/// Visitor of the outermost value: `None` if it is neither an object nor null.
struct FieldsVisitor<'a, K> {
    known: K,
    ignored: &'a mut Vec<String>,
    left: &'a Cell<usize>,
}

impl<'de, K: Fn(&str) -> bool> Visitor<'de> for FieldsVisitor<'_, K> {
    type Value = Option<Map<String, Value>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            if (self.known)(&name) {
                let value = object.next_value_seed(BoundedValue(self.left))?;
                fields.insert(name, value);
            } else {
                if self.ignored.len() < ignored::MAX_NAMES {
                    self.ignored.push(ignored::shown(&name));
                }
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Some(fields))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Some(Map::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self::Value, A::Error> {
        while values.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// Visitor of any value that fails once the limit of values is reached.
#[derive(Clone, Copy)]
struct BoundedValue<'a>(&'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for BoundedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        self.0.set(self.0.get().saturating_sub(1));
        if self.0.get() == 0 {
            return Err(D::Error::custom("too many values"));
        }
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BoundedValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(value) = values.next_element_seed(self)? {
            array.push(value);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(self)?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use super::*;

    fn fields(bytes: &[u8], known: &[&str]) -> Result<Map<String, Value>, Error> {
        super::fields(bytes, |name| known.contains(&name), &mut Vec::new())
    }

    #[test]
    fn known_fields_are_read_as_they_are() {
        let json = r#"{"a": {"b": [1, -1, 1.5, "x", "\u00e9", true, null, {}, []]}, "c": 7}"#;
        let whole: Value = serde_json::from_str(json).unwrap();
        let read = fields(json.as_bytes(), &["a", "z"]).unwrap();
        assert_eq!(Value::Object(read), serde_json::json!({ "a": whole["a"] }));
    }

    #[test]
    fn unknown_fields_are_skipped_however_large_and_deep() {
        let many = format!(r#"{{"x": [{}0], "a": 1}}"#, "0,".repeat(MAX_JSON_VALUES * 2));
        let deep = format!(r#"{{"x": {}{}, "a": 1}}"#, "[".repeat(100_000), "]".repeat(100_000));
        for json in [many, deep] {
            assert_eq!(fields(json.as_bytes(), &["a"]).unwrap().len(), 1);
        }
        assert!(fields(br#"{"x": [0, "a": 1}"#, &["a"]).is_err(), "what is skipped is JSON nonetheless");
    }

    #[test]
    fn known_fields_have_so_many_values_and_no_more() {
        let with = |count: usize| format!(r#"{{"a": [{}0]}}"#, "0,".repeat(count - 2));
        assert!(fields(with(MAX_JSON_VALUES - 1).as_bytes(), &["a"]).is_ok());
        let Err(Error::Invalid(errors)) = fields(with(MAX_JSON_VALUES).as_bytes(), &["a"]) else { unreachable!() };
        assert!(errors.iter().all(|error| error.path.is_empty() && error.message.contains("too many")), "{errors:?}");
        assert_eq!(errors.len(), 1);
    }
}
