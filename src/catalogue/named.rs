//! Reading `[[function]]` and `[[class.method]]`: names beside the fields of a callable in one table.
//!
//! serde's `flatten` would do it, but it forgets where things stand and lets unknown keys pass.

use super::allowed::table;
use super::schema::{Callable, Function, Method};
use serde::de::value::{MapAccessDeserializer, StringDeserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

impl<'de> Deserialize<'de> for Function {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (path, callable) = deserializer.deserialize_map(NamedVisitor("path"))?;
        Ok(Function { path, callable })
    }
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (name, callable) = deserializer.deserialize_map(NamedVisitor("name"))?;
        Ok(Method { name, callable })
    }
}

/// Reads a callable's table that also has a list of names under this key.
struct NamedVisitor(&'static str);

impl<'de> Visitor<'de> for NamedVisitor {
    type Value = (Vec<String>, Callable);

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        table(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let mut names = None;
        let callable =
            Callable::deserialize(MapAccessDeserializer::new(WithoutNames { map, key: self.0, names: &mut names }))?;
        match names {
            Some(names) if !names.is_empty() => Ok((names, callable)),
            _ => Err(A::Error::custom(format!("`{}` is missing", self.0))),
        }
    }
}

/// A table without the key of the names, which are put aside.
struct WithoutNames<'a, A> {
    map: A,
    key: &'static str,
    names: &'a mut Option<Vec<String>>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithoutNames<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let mut seed = Some(seed);
        loop {
            let key = KeySeed { key: self.key, seed: &mut seed, value: PhantomData };
            match self.map.next_key_seed(key)? {
                None => return Ok(None),
                Some(Some(other)) => return Ok(Some(other)),
                Some(None) => *self.names = Some(self.map.next_value()?),
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// Reads a key: `None` for the one with the names, else what `seed` makes of it.
struct KeySeed<'a, K, V> {
    key: &'static str,
    seed: &'a mut Option<K>,
    value: PhantomData<V>,
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for KeySeed<'_, K, K::Value> {
    type Value = Option<K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let key = String::deserialize(deserializer)?;
        if key == self.key {
            return Ok(None);
        }
        let Some(seed) = self.seed.take() else {
            return Err(D::Error::custom("a key is read twice"));
        };
        let key: StringDeserializer<D::Error> = key.into_deserializer();
        seed.deserialize(key).map(Some)
    }
}
