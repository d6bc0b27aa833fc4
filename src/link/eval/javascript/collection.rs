//! `Map`, `Set` and their weak kin. Entries of a map are kept apart from its properties: a map may well
//! hold something under the key `get`.

use super::super::Frame;
use crate::ir::*;
use crate::link::eval::Args;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

/// Of longer sets the elements are not told apart.
const MOST_WRITTEN_OUT: usize = 64;

impl<'p> Solver<'p> {
    /// `[key, value]` pairs in a list.
    pub(super) fn made_pairs(&mut self, frame: &Frame<'p>, site: ExprId, keys: &Value, values: &Value) -> Value {
        let pair = self.made_container(frame, site, 2, ContainerKind::Tuple);
        for (place, value) in [("0", keys), ("1", values)] {
            let place = self.symbols.intern(place);
            self.set_key(pair, place, value);
        }
        self.made_list(frame, site, &Value::of(pair))
    }

    /// The name under which a map keeps an entry.
    fn entry_name(&mut self, key: Tok) -> Option<Symbol> {
        let name = self.key_name(key)?;
        let text = format!("@{}", self.symbols.text(name));
        Some(self.symbols.intern(&text))
    }

    /// `map.set(key, value)`
    pub(super) fn map_set(&mut self, map: Tok, key: &Value, value: &Value) {
        for key in key.iter() {
            match self.entry_name(key) {
                Some(entry) => self.write(Addr::Field(map, entry), value),
                None => self.write(Addr::Element(map), value),
            }
            self.write(Addr::Keys(map), &Value::of(key));
        }
    }

    /// `map.get(key)`
    fn map_get(&mut self, frame: &mut Frame<'p>, map: Tok, key: &Value) -> Value {
        let entries: Option<Vec<Symbol>> = key.iter().map(|key| self.entry_name(key)).collect();
        match entries {
            Some(entries) => {
                let mut value = self.store.read(Addr::Element(map), frame.comp);
                for entry in entries {
                    value.join(&self.store.read(Addr::Field(map, entry), frame.comp));
                }
                value
            }
            None => self.map_values(frame, map),
        }
    }

    /// All values of a map.
    pub(super) fn map_values(&mut self, frame: &mut Frame<'p>, map: Tok) -> Value {
        let mut value = self.store.read(Addr::Element(map), frame.comp);
        let keys = self.store.read(Addr::Keys(map), frame.comp);
        for key in keys.iter() {
            if let Some(entry) = self.entry_name(key) {
                value.join(&self.store.read(Addr::Field(map, entry), frame.comp));
            }
        }
        value
    }

    /// All keys of a map.
    pub(super) fn map_keys(&mut self, frame: &mut Frame<'p>, map: Tok) -> Value {
        self.store.read(Addr::Keys(map), frame.comp)
    }

    /// `new Map(entries)`, `new Set(elements)`
    pub(super) fn new_collection(&mut self, frame: &mut Frame<'p>, name: &str, args: &Args, site: ExprId) -> Value {
        let first = Self::at(args, 0);
        let first = first.filter(|t| t != Tok::NULL);
        if name.ends_with("Set") {
            let set = self.made_container(frame, site, 1, ContainerKind::Set);
            if let Some(known) = first.single().and_then(|list| self.written_out(frame, list)) {
                for (position, element) in known.iter().enumerate() {
                    let position = self.symbols.number(position);
                    self.set_key(set, position, element);
                }
                return Value::of(set);
            }
            let elements = self.iterate(frame, &first, site);
            self.write(Addr::Element(set), &elements);
            return Value::of(set);
        }
        let map = self.made_container(frame, site, 1, ContainerKind::Map);
        let pairs = self.iterate(frame, &first, site);
        for pair in pairs.iter() {
            let key = self.element_at(frame, &Value::of(pair), 0);
            let value = self.element_at(frame, &Value::of(pair), 1);
            self.map_set(map, &key, &value);
        }
        Value::of(map)
    }

    /// The elements of a list that is written out.
    fn written_out(&mut self, frame: &mut Frame<'p>, list: Tok) -> Option<Vec<Value>> {
        let Token::Container { kind: ContainerKind::List, .. } = *self.tokens.get(list) else { return None };
        let keys = self.store.read(Addr::Keys(list), frame.comp);
        if keys.contains(Tok::TOP) || !self.store.read(Addr::Element(list), frame.comp).is_empty() {
            return None;
        }
        let mut elements = Vec::new();
        while elements.len() < MOST_WRITTEN_OUT {
            let position = self.symbols.number(elements.len());
            let element = self.store.read(Addr::Field(list, position), frame.comp);
            if element.is_empty() {
                break;
            }
            elements.push(element);
        }
        (!elements.is_empty()).then_some(elements)
    }

    /// `map.name(…)`
    pub(super) fn map_method(
        &mut self,
        frame: &mut Frame<'p>,
        map: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let first = Self::at(args, 0);
        Some(match name {
            "get" => {
                let mut value = self.map_get(frame, map, &first);
                if value.is_empty() && !self.waits() {
                    value.insert(Tok::NULL);
                }
                value
            }
            "set" => {
                self.map_set(map, &first, &Self::at(args, 1));
                Value::of(map)
            }
            "has" | "delete" | "clear" => Value::unknown(),
            "values" => {
                let values = self.map_values(frame, map);
                self.made_list(frame, site, &values)
            }
            "keys" => {
                let keys = self.map_keys(frame, map);
                self.made_list(frame, site, &keys)
            }
            "entries" | Self::ITERATOR => {
                let (keys, values) = (self.map_keys(frame, map), self.map_values(frame, map));
                self.made_pairs(frame, site, &keys, &values)
            }
            "forEach" => {
                let (keys, values) = (self.map_keys(frame, map), self.map_values(frame, map));
                self.call_back(frame, &first, &Self::with(vec![values, keys, Value::of(map)]), site);
                Value::of(Tok::NULL)
            }
            _ => return None,
        })
    }

    /// `set.name(…)`
    pub(super) fn set_method(
        &mut self,
        frame: &mut Frame<'p>,
        set: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let this = Value::of(set);
        let first = Self::at(args, 0);
        Some(match name {
            "add" => {
                self.write(Addr::Element(set), &first);
                this
            }
            "has" | "delete" | "clear" => Value::unknown(),
            "values" | "keys" | Self::ITERATOR => {
                let elements = self.all_elements(frame, &this);
                self.made_list(frame, site, &elements)
            }
            "entries" => {
                let elements = self.all_elements(frame, &this);
                self.made_pairs(frame, site, &elements, &elements)
            }
            "forEach" => {
                let elements = self.all_elements(frame, &this);
                self.call_back(frame, &first, &Self::with(vec![elements.clone(), elements, this]), site);
                Value::of(Tok::NULL)
            }
            "union" | "intersection" | "difference" | "symmetricDifference" => {
                let mut elements = self.all_elements(frame, &this);
                elements.join(&self.iterate(frame, &first, site));
                let made = self.made_container(frame, site, 1, ContainerKind::Set);
                self.write(Addr::Element(made), &elements);
                Value::of(made)
            }
            _ => return None,
        })
    }
}
