//! Arrays: methods that add, find, copy and hand elements to callbacks.

use super::super::Frame;
use crate::ir::*;
use crate::link::eval::Args;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

/// Lists that are reduced one turn after the other are at most so long.
const IN_ORDER: usize = 16;

impl<'p> Solver<'p> {
    /// `array.name(…)`; none if arrays have no such method.
    pub(super) fn array_method(
        &mut self,
        frame: &mut Frame<'p>,
        array: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let this = Value::of(array);
        let first = Self::at(args, 0);
        Some(match name {
            "push" | "unshift" => {
                for value in args.positional.iter().chain(&args.rest) {
                    self.write(Addr::Element(array), value);
                }
                Value::unknown()
            }
            "pop" | "shift" | "at" => {
                let key = if name == "at" { first } else { Value::unknown() };
                let is_known = key.single().is_some_and(|t| matches!(self.tokens.get(t), Token::Int(n) if *n >= 0));
                let key = if is_known { key } else { Value::unknown() };
                self.element_of(frame, &this, &key, site)
            }
            "splice" => {
                for value in args.positional.iter().skip(2) {
                    self.write(Addr::Element(array), value);
                }
                let elements = self.all_elements(frame, &this);
                self.made_list(frame, site, &elements)
            }
            "slice" => {
                let place = self.part_of(frame, site, 0);
                match self.slice_of(frame, place.expr, array, &args.positional) {
                    Some(slice) => slice,
                    None => {
                        let elements = self.all_elements(frame, &this);
                        self.made_list(frame, site, &elements)
                    }
                }
            }
            "concat" | "with" | "toSpliced" => {
                let mut elements = self.all_elements(frame, &this);
                for value in &args.positional {
                    let lists = value.filter(|t| self.is_list(t));
                    elements.join(&self.all_elements(frame, &lists));
                    elements.join(&value.filter(|t| !self.is_list(t)));
                }
                self.made_list(frame, site, &elements)
            }
            "fill" => {
                self.write(Addr::Element(array), &first);
                this
            }
            "copyWithin" => this,
            "reverse" | "sort" | "toSorted" | "toReversed" => {
                let elements = self.all_elements(frame, &this);
                self.call_back(frame, &first, &Self::with(vec![elements.clone(), elements.clone()]), site);
                // In another order: what stood at a place may stand at any.
                self.write(Addr::Element(array), &elements);
                this
            }
            "map" | "flatMap" | "filter" | "forEach" | "some" | "every" | "find" | "findLast" | "findIndex"
            | "findLastIndex" => {
                let elements = self.all_elements(frame, &this);
                let result = self.each_element(frame, &this, &elements, args, site);
                match name {
                    "map" => self.made_list(frame, site, &result),
                    "flatMap" => {
                        let flat = self.flattened(frame, &result);
                        self.made_list(frame, site, &flat)
                    }
                    "filter" => self.made_list(frame, site, &elements),
                    "find" | "findLast" => elements,
                    "forEach" => Value::of(Tok::NULL),
                    _ => Value::unknown(),
                }
            }
            "reduce" | "reduceRight" => {
                if let Some(total) = self.reduced_in_order(frame, array, name, args, site) {
                    return Some(total);
                }
                let elements = self.all_elements(frame, &this);
                let mut total = args.positional.get(1).cloned().unwrap_or_else(|| elements.clone());
                // The result of one turn is the first argument of the next.
                let carried = self.part_of(frame, site, 1);
                total.join(&self.store.read(Addr::Arg(carried, 0), frame.comp));
                let each = Self::with(vec![total.clone(), elements, Value::unknown(), this]);
                let result = self.call_back(frame, &first, &each, site);
                self.write(Addr::Arg(carried, 0), &result);
                total.join(&result);
                total
            }
            "flat" => {
                let elements = self.all_elements(frame, &this);
                let flat = self.flattened(frame, &elements);
                self.made_list(frame, site, &flat)
            }
            "values" | "toArray" | Self::ITERATOR => {
                let elements = self.all_elements(frame, &this);
                self.made_list(frame, site, &elements)
            }
            "entries" => {
                let elements = self.all_elements(frame, &this);
                self.made_pairs(frame, site, &Value::unknown(), &elements)
            }
            "keys" => self.made_list(frame, site, &Value::unknown()),
            "join" | "includes" | "indexOf" | "lastIndexOf" | "toString" | "toLocaleString" | "hasOwnProperty" => {
                Value::unknown()
            }
            _ => return None,
        })
    }

    /// `[a, b].reduceRight(f, start)` over a list that is written out: one turn after the other, so that what one turn
    /// makes is handed to the next one and to no other.
    fn reduced_in_order(
        &mut self,
        frame: &mut Frame<'p>,
        array: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let this = Value::of(array);
        let length = self.length(frame, array).filter(|n| (1..=IN_ORDER).contains(n))?;
        let mut places: Vec<usize> = (0..length).collect();
        if name == "reduceRight" {
            places.reverse();
        }
        let mut places = places.into_iter();
        let mut total = match args.positional.get(1) {
            Some(start) => start.clone(),
            None => self.element_at(frame, &this, places.next()?),
        };
        for at in places {
            let element = self.element_at(frame, &this, at);
            let each = Self::with(vec![total, element, Value::unknown(), this.clone()]);
            total = self.call_back(frame, &Self::at(args, 0), &each, site);
        }
        Some(total)
    }

    /// Calls a callback with an element, its position and the array; a receiver may be given.
    pub(super) fn each_element(
        &mut self,
        frame: &mut Frame<'p>,
        array: &Value,
        elements: &Value,
        args: &Args,
        site: ExprId,
    ) -> Value {
        let callback = Self::at(args, 0);
        let each = Self::with(vec![elements.clone(), Value::unknown(), array.clone()]);
        match args.positional.get(1) {
            Some(receiver) => {
                let mut result = Value::empty();
                for callback in callback.iter().filter(|&t| self.can_be_called(t)).collect::<Vec<_>>() {
                    for this in receiver.iter() {
                        let bound = match self.tokens.get(callback) {
                            Token::Function { .. } => self.tokens.intern(Token::Bound { func: callback, this }),
                            _ => callback,
                        };
                        result.join(&self.call_back(frame, &Value::of(bound), &each, site));
                    }
                }
                result
            }
            None => self.call_back(frame, &callback, &each, site),
        }
    }

    /// Elements of lists among some values, and the others.
    fn flattened(&mut self, frame: &mut Frame<'p>, value: &Value) -> Value {
        let lists = value.filter(|t| self.is_list(t));
        let mut flat = self.all_elements(frame, &lists);
        flat.join(&value.filter(|t| !self.is_list(t)));
        flat
    }

    /// Whether a token is an array.
    pub(super) fn is_list(&self, token: Tok) -> bool {
        match self.tokens.get(token) {
            Token::Container { kind, .. } | Token::Rest { kind, .. } => {
                matches!(kind, ContainerKind::List | ContainerKind::Tuple)
            }
            _ => false,
        }
    }

    /// `Array.name(…)`
    pub(super) fn array_function(
        &mut self,
        frame: &mut Frame<'p>,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        Some(match name {
            "from" | "fromAsync" => {
                let first = Self::at(args, 0);
                // `{ length: n }` has nothing to iterate.
                let elements = self.iterate(frame, &first, site);
                let elements = match args.positional.get(1) {
                    Some(callback) => {
                        let each = Self::with(vec![elements, Value::unknown()]);
                        self.call_back(frame, callback, &each, site)
                    }
                    None => elements,
                };
                self.made_list(frame, site, &elements)
            }
            "of" => {
                let list = self.made_container(frame, site, 0, ContainerKind::List);
                for (i, value) in args.positional.iter().enumerate() {
                    let key = self.symbols.intern(&i.to_string());
                    self.set_key(list, key, value);
                }
                if let Some(rest) = &args.rest {
                    self.write(Addr::Element(list), rest);
                }
                Value::of(list)
            }
            "isArray" => Value::unknown(),
            _ => return None,
        })
    }
}
