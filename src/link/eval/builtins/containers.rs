//! Methods of lists, dictionaries, queues.

use crate::ir::*;
use crate::link::eval::{Args, Frame};
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    fn is_dictionary(&self, token: Tok) -> bool {
        match self.tokens.get(token) {
            Token::Container { kind, .. } | Token::Rest { kind, .. } => *kind == ContainerKind::Dict,
            _ => true,
        }
    }

    /// `d.update(other, key=value)`: entries of a dictionary, or of pairs, replace those of the same key.
    pub(super) fn merge_into(&mut self, frame: &mut Frame<'p>, base: Tok, other: &Value, args: &Args, site: ExprId) {
        let mut all = args.clone();
        let dictionaries = other.filter(|t| self.is_container(t) && self.is_dictionary(t));
        self.keyword_spread(frame, &dictionaries, &mut all);
        for (key, value) in &all.keywords {
            if dictionaries.len() == other.len() && other.len() <= 1 {
                self.put_key(frame, base, *key, value);
            } else {
                self.set_key(base, *key, value);
            }
        }
        if let Some(value) = &all.other_keywords {
            self.write(Addr::Element(base), value);
        }
        let others = other.filter(|t| !dictionaries.contains(t));
        for pair in self.iterate(frame, &others, site).iter().filter(|&t| self.is_container(t)).collect::<Vec<_>>() {
            let key = self.element_at(frame, &Value::of(pair), 0);
            let value = self.element_at(frame, &Value::of(pair), 1);
            self.set_index(frame, &Value::of(base), &key, &value);
        }
    }

    pub(super) fn container_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Value {
        let this = Value::of(base);
        let first = Self::first(args);
        match name {
            "append" | "add" | "push" | "appendleft" | "unshift" | "put" | "push_back" => {
                for value in &args.positional {
                    self.write(Addr::Element(base), value);
                }
                Value::unknown()
            }
            "put_nowait" | "insertleft" => {
                self.write(Addr::Element(base), &first);
                Value::unknown()
            }
            "insert" | "set" | "setdefault" | "__setitem__" => {
                let value = args.positional.get(1).cloned().unwrap_or_default();
                self.set_index(frame, &this, &first, &value);
                if name == "insert" {
                    self.write(Addr::Element(base), &value);
                }
                let mut result = value;
                if name == "setdefault" {
                    result.join(&self.index(frame, &this, &first, site));
                }
                result
            }
            "update" if self.is_dictionary(base) => {
                self.merge_into(frame, base, &first, args, site);
                Value::unknown()
            }
            "extend" | "update" | "extendleft" => {
                let elements = self.iterate(frame, &first, site);
                self.write(Addr::Element(base), &elements);
                Value::unknown()
            }
            "get" | "pop" | "popitem" | "popleft" | "shift" | "at" | "remove" | "get_nowait" => {
                let mut value = if first.is_empty() {
                    self.all_elements(frame, &this)
                } else {
                    self.index(frame, &this, &first, site)
                };
                value = value.filter(|t| t != Tok::UNKNOWN);
                match args.positional.get(1) {
                    Some(default) if value.is_empty() || self.constant_key(frame, &first).is_none() => {
                        value.join(default);
                    }
                    None if value.is_empty() => {
                        value.insert(Tok::NULL);
                    }
                    _ => {}
                }
                if self.is_switch(&value) && self.may_hold_more(frame, base) {
                    value.insert(Tok::UNKNOWN);
                }
                value
            }
            "items" | "entries" => {
                let keys = self.keys_of(frame, &this);
                let values = self.all_elements(frame, &this);
                let pair = self.pair(frame, site, &[keys, values]);
                self.new_container(frame, site, ContainerKind::List, &Value::of(pair))
            }
            "values" | "iter" | "into_iter" | "iter_mut" => {
                let values = self.all_elements(frame, &this);
                self.new_container(frame, site, ContainerKind::List, &values)
            }
            "keys" => {
                let keys = self.keys_of(frame, &this);
                self.new_container(frame, site, ContainerKind::List, &keys)
            }
            "copy" | "slice" | "concat" | "reverse" | "sort" | "filter" | "flat" | "clone" => {
                let elements = self.all_elements(frame, &this);
                let each = Args { positional: vec![elements.clone(), elements], ..Args::default() };
                self.call_all(frame, &first, &each, site);
                this
            }
            "map" | "forEach" | "flatMap" | "some" | "every" | "find" | "findIndex" | "findLast" | "for_each"
            | "any" | "all" | "filter_map" | "flat_map" | "then" => {
                let elements = self.all_elements(frame, &this);
                let each = Args { positional: vec![elements.clone()], ..Args::default() };
                let result = self.call_all(frame, &first, &each, site);
                match name {
                    "find" | "findLast" => elements,
                    "map" | "flatMap" | "filter_map" | "flat_map" => {
                        self.new_container(frame, site, ContainerKind::List, &result)
                    }
                    _ => Value::unknown(),
                }
            }
            "reduce" | "reduceRight" | "fold" => {
                let (callback, start) = if name == "fold" { (1, 0) } else { (0, 1) };
                let elements = self.all_elements(frame, &this);
                let mut total = args.positional.get(start).cloned().unwrap_or_else(|| elements.clone());
                let callback = args.positional.get(callback).cloned().unwrap_or_default();
                let each = Args { positional: vec![total.clone(), elements], ..Args::default() };
                let result = self.call_all(frame, &callback, &each, site);
                total.join(&result);
                total
            }
            "__getitem__" => self.index(frame, &this, &first, site),
            _ => {
                self.hand_over(frame, args, site);
                Value::unknown()
            }
        }
    }
}
