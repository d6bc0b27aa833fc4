//! Methods that types of the language have: wrappers let the value through, adaptors call their closures,
//! containers take and give elements.

use super::super::{Args, Frame};
use crate::ir::*;
use crate::link::component::Via;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Calls a method that no type of the program has; none if the language's types have none of that name.
    pub(in crate::link::eval) fn rust_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        // What libraries add to the language's types does what a method of the language does.
        let (written, name) = (name, self.catalogue.same_as(name));
        if let Some(inner) = self.error_inside(frame, base) {
            return Some(self.error_method(frame, base, &inner, name, args, site));
        }
        match *self.tokens.get(base) {
            Token::Container { kind: ContainerKind::Dict, .. } => Some(self.dict_method(frame, base, name, args, site)),
            Token::Container { kind: ContainerKind::Iter, .. } => {
                let elements = self.all_elements(frame, &Value::of(base));
                self.iterator_method(frame, base, &elements, name, args, site)
                    .or_else(|| Some(self.list_method(frame, base, name, args, site)))
            }
            Token::Container { .. } | Token::Rest { .. } => Some(self.list_method(frame, base, name, args, site)),
            Token::Class { class, .. } => self.type_method(frame, base, class, name, args, site),
            Token::Object { .. } | Token::Instance { .. } | Token::Variant { .. } => {
                if self.is_adaptor(name)
                    && let Some(elements) = self.next_of(frame, base, site)
                {
                    return self.iterator_method(frame, base, &elements, name, args, site);
                }
                if name == "to_string" {
                    self.rust_format(frame, &Value::of(base), false, site);
                    return Some(Value::unknown());
                }
                if let Token::Instance { class } = *self.tokens.get(base)
                    && matches!(self.tokens.get(class), Token::External(_))
                {
                    return self.outside_method(frame, base, written, args, site);
                }
                self.wrapper_method(frame, base, name, args, site)
            }
            Token::Function { .. } | Token::Bound { .. } | Token::Partial { .. } => match name {
                "call" | "call_mut" | "call_once" => {
                    let list = args.positional.first().cloned().unwrap_or_default();
                    let positional =
                        (0..8).map(|i| self.element_at(frame, &list, i)).take_while(|v| !v.is_empty()).collect();
                    let spread = Args { positional, ..Args::default() };
                    Some(self.call_token(frame, base, &spread, site, Via::Call))
                }
                _ => self.wrapper_method(frame, base, name, args, site),
            },
            Token::Made { .. } | Token::Member { .. } | Token::Combined { .. } | Token::Wrapped { .. } => {
                self.outside_method(frame, base, written, args, site)
            }
            Token::Str(_) | Token::Int(_) | Token::Float(_) | Token::Bool(_) => {
                Some(self.wrapper_method(frame, base, name, args, site).unwrap_or_else(Value::unknown))
            }
            _ => None,
        }
    }

    /// A method of a value that came from outside: the catalogue's first.
    fn outside_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let (written, name) = (name, self.catalogue.same_as(name));
        // What a cell holds is what it is given: a client whose methods are known by no more than a pattern has none of
        // these.
        if matches!(name, "get_or_init" | "get_or_insert_with") {
            let made = self.apply(frame, &first(args), &Args::default(), site);
            let inner = self.symbols.intern("#inner");
            self.write(Addr::Field(base, inner), &made);
            return Some(self.store.read(Addr::Field(base, inner), frame.comp));
        }
        let symbol = self.symbols.find(written)?;
        let callee = self.tokens.find(&Token::Member { base, name: symbol });
        if callee.is_some_and(|c| self.known(c).is_some()) {
            return None;
        }
        match name {
            "set" | "store" | "try_insert" if args.positional.len() == 1 => {
                let inner = self.symbols.intern("#inner");
                self.write(Addr::Field(base, inner), &first(args));
                return Some(Value::of(Tok::NULL));
            }
            "get" | "get_mut" | "wait" | "into_inner" | "take" if args.positional.is_empty() => {
                let inner = self.symbols.intern("#inner");
                let held = self.store.read(Addr::Field(base, inner), frame.comp);
                return if held.is_empty() { None } else { Some(held) };
            }
            _ => {}
        }
        let passes = matches!(
            name,
            "unwrap"
                | "expect"
                | "clone"
                | "cloned"
                | "as_ref"
                | "as_mut"
                | "unwrap_or_default"
                | "ok"
                | "into"
                | "to_owned"
                | "borrow"
                | "map_err"
                | "kept"
                | "unwrap_or_else"
                | "or_else"
                | "inspect_err"
                | "ok_or"
                | "ok_or_else"
                | "map"
                | "and_then"
                | "inspect"
                | "unwrap_or"
                | "by_ref"
                | "as_deref"
                | "is_some_and"
                | "is_ok_and"
                | "map_or"
                | "map_or_else"
                | "try_into"
        );
        if passes { self.wrapper_method(frame, base, name, args, site) } else { None }
    }

    /// `Option`, `Result`, smart pointers, locks, futures: methods of what holds the value.
    fn wrapper_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let this = Value::of(base);
        let given = first(args);
        let with_this = Args { positional: vec![this.clone()], ..Args::default() };
        let nothing = Args::default();
        let or = |value: &Value| {
            let mut both = this.clone();
            both.join(value);
            both
        };
        Some(match name {
            "clone" | "cloned" | "copied" | "as_ref" | "as_mut" | "as_deref" | "as_deref_mut" | "borrow"
            | "borrow_mut" | "unwrap" | "expect" | "unwrap_or_default" | "unwrap_unchecked" | "lock" | "read"
            | "write" | "try_lock" | "try_read" | "try_write" | "try_borrow" | "try_borrow_mut" | "get_mut"
            | "get_ref" | "into_inner" | "to_owned" | "into_owned" | "by_ref" | "ok" | "deref" | "deref_mut"
            | "upgrade" | "downgrade" | "take" | "load" | "fuse" | "into_future" | "flatten" | "transpose"
            | "as_any" | "ok_or" | "as_pin_mut" | "join" | "leak" | "get" | "inner" | "into_boxed" | "as_slice"
            | "to_vec" | "force" | "wait" | "iter_mut" => this,
            "to_string" | "into_string" | "as_str" | "into_boxed_str" => {
                if matches!(self.tokens.get(base), Token::Str(_)) { this } else { Value::unknown() }
            }
            "into" => self.into_declared(frame, base, site),
            "try_into" => self.converts(frame, "TryFrom", "try_from", &this, site),
            "parse" => {
                let made = self.converts(frame, "FromStr", "from_str", &this, site);
                if made == this { Value::unknown() } else { made.filter(|t| t != base) }
            }
            "iter" | "into_iter" => self.fresh(frame, site, ContainerKind::Iter, &this),
            "map" | "and_then" | "then" | "with" | "with_borrow" | "with_borrow_mut" => {
                if name == "then" && matches!(self.tokens.get(base), Token::Bool(_)) {
                    return Some(self.apply(frame, &given, &nothing, site));
                }
                self.apply(frame, &given, &with_this, site)
            }
            "then_some" | "and" => given,
            "map_or" => {
                let callback = args.positional.get(1).cloned().unwrap_or_default();
                let mut value = self.apply(frame, &callback, &with_this, site);
                value.join(&given);
                value
            }
            "map_or_else" => {
                let callback = args.positional.get(1).cloned().unwrap_or_default();
                let mut value = self.apply(frame, &callback, &with_this, site);
                value.join(&self.apply(frame, &given, &nothing_known(), site));
                value
            }
            "unwrap_or" | "or" | "get_or_insert" | "xor" => or(&given),
            "unwrap_or_else" | "or_else" | "get_or_insert_with" | "get_or_init" => {
                let other = self.apply(frame, &given, &nothing_known(), site);
                or(&other)
            }
            "map_err" | "ok_or_else" | "inspect_err" | "is_err_and" => {
                self.apply(frame, &given, &nothing_known(), site);
                this
            }
            "kept" => {
                let given = given.filter(|t| self.is_callable(t));
                self.apply(frame, &given, &nothing_known(), site);
                this
            }
            "filter" | "inspect" | "take_if" => {
                self.apply(frame, &given, &with_this, site);
                this
            }
            "is_some_and" | "is_ok_and" | "is_none_or" => {
                self.apply(frame, &given, &with_this, site);
                Value::unknown()
            }
            "zip" => self.rust_pair(frame, site, &this, &given),
            "insert" | "replace" | "set" | "store" | "swap" => or(&given),
            "is_some" | "is_none" | "is_ok" | "is_err" | "is_empty" | "len" => Value::unknown(),
            "unwrap_err" | "err" | "expect_err" => Value::unknown(),
            "eq" | "ne" | "cmp" | "partial_cmp" => Value::unknown(),
            _ => return None,
        })
    }

    /// A function of a type that the program does not write itself (`derive`, conversions).
    fn type_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        class: ClassRef,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        match name {
            "default" if args.positional.is_empty() => match self.class(class).kind {
                ClassKind::Concrete => Some(self.make_default(frame, base, site)),
                ClassKind::Enum => Some(Value::of(self.tokens.intern(Token::Instance { class: base }))),
                _ => None,
            },
            "clone" | "from" | "into" | "try_from" | "to_owned" => Some(first(args)),
            "deserialize" | "from_str" | "parse" | "from_env" | "builder" => None,
            _ => None,
        }
    }

    fn is_adaptor(&self, name: &str) -> bool {
        !matches!(name, "clone" | "borrow" | "as_ref" | "unwrap" | "expect" | "into")
    }

    /// What an iterator's adaptors and consumers do with its elements; none if it is no such method.
    fn iterator_method(
        &mut self,
        frame: &mut Frame<'p>,
        base: Tok,
        elements: &Value,
        name: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let given = first(args);
        let each = Args { positional: vec![elements.clone()], ..Args::default() };
        Some(match name {
            "map" | "then" => {
                let made = self.apply(frame, &given, &each, site);
                self.fresh(frame, site, ContainerKind::Iter, &made)
            }
            "filter_map" | "map_while" => {
                let made = self.apply(frame, &given, &each, site);
                let made = made.filter(|t| t != Tok::NULL);
                self.fresh(frame, site, ContainerKind::Iter, &made)
            }
            "flat_map" | "flatten" | "and_then" => {
                let made = if name == "flatten" { elements.clone() } else { self.apply(frame, &given, &each, site) };
                let inner = self.rust_iterate(frame, &made, site);
                self.fresh(frame, site, ContainerKind::Iter, &inner)
            }
            "filter" | "take_while" | "skip_while" | "inspect" => {
                self.apply(frame, &given, &each, site);
                self.fresh(frame, site, ContainerKind::Iter, elements)
            }
            "for_each" | "try_for_each" | "any" | "all" | "position" | "rposition" | "is_sorted_by_key" => {
                let made = self.apply(frame, &given, &each, site);
                if name == "try_for_each" { made } else { Value::unknown() }
            }
            "for_each_concurrent" | "try_for_each_concurrent" => {
                let callback = args.positional.get(1).cloned().unwrap_or_default();
                self.apply(frame, &callback, &each, site)
            }
            "find" | "max_by_key" | "min_by_key" | "rfind" => {
                self.apply(frame, &given, &each, site);
                elements.clone()
            }
            "max_by" | "min_by" | "reduce" => {
                let two = Args { positional: vec![elements.clone(), elements.clone()], ..Args::default() };
                let made = self.apply(frame, &given, &two, site);
                let mut value = elements.clone();
                if name == "reduce" {
                    value.join(&made);
                }
                value
            }
            "find_map" => self.apply(frame, &given, &each, site).filter(|t| t != Tok::NULL),
            "partition" => {
                self.apply(frame, &given, &each, site);
                let list = self.fresh(frame, site, ContainerKind::List, elements);
                self.rust_pair(frame, site, &list, &list)
            }
            "fold" | "try_fold" | "scan" | "rfold" => {
                let callback = args.positional.get(1).cloned().unwrap_or_default();
                let mut total = given.clone();
                let two = Args { positional: vec![total.clone(), elements.clone()], ..Args::default() };
                let made = self.apply(frame, &callback, &two, site);
                total.join(&made);
                if name == "scan" { self.fresh(frame, site, ContainerKind::Iter, &total) } else { total }
            }
            "next" | "next_back" | "nth" | "last" | "peek" | "next_if" | "peek_mut" => elements.clone(),
            "max" | "min" => {
                self.compare_elements(frame, elements, site);
                elements.clone()
            }
            "rev" | "skip" | "take" | "step_by" | "peekable" | "cycle" | "fuse" | "by_ref" | "cloned" | "copied"
            | "iter" | "into_iter" | "iter_mut" | "dedup" | "clone" | "as_ref" => {
                self.fresh(frame, site, ContainerKind::Iter, elements)
            }
            "chain" => {
                let mut all = elements.clone();
                all.join(&self.rust_iterate(frame, &given, site));
                self.fresh(frame, site, ContainerKind::Iter, &all)
            }
            "zip" => {
                let other = self.rust_iterate(frame, &given, site);
                let pair = self.rust_pair(frame, site, elements, &other);
                self.fresh(frame, site, ContainerKind::Iter, &pair)
            }
            "enumerate" => {
                let pair = self.rust_pair(frame, site, &Value::unknown(), elements);
                self.fresh(frame, site, ContainerKind::Iter, &pair)
            }
            "unzip" => {
                let (a, b) = (self.element_at(frame, elements, 0), self.element_at(frame, elements, 1));
                let a = self.fresh(frame, site, ContainerKind::List, &a);
                self.rust_pair(frame, site, &a, &b)
            }
            "chunks" | "windows" | "chunks_exact" | "array_chunks" => {
                let place = Site { comp: frame.comp, expr: ExprId(u32::MAX / 2 - site.0) };
                let part = self.tokens.intern(Token::Container { site: place, kind: ContainerKind::List });
                self.write(Addr::Element(part), elements);
                self.fresh(frame, site, ContainerKind::Iter, &Value::of(part))
            }
            "collect" | "concat" => {
                let pairs = !elements.is_empty()
                    && elements
                        .iter()
                        .all(|t| matches!(self.tokens.get(t), Token::Container { kind: ContainerKind::Tuple, .. }));
                let mut list = if pairs { self.map_of(frame, site, elements) } else { Value::empty() };
                list.join(&self.fresh(frame, site, ContainerKind::List, elements));
                list
            }
            "sum" | "product" | "count" | "len" | "size_hint" => {
                self.rust_operator(frame, "Add", "add", elements, std::slice::from_ref(elements), site);
                Value::unknown()
            }
            _ => {
                let _ = base;
                return None;
            }
        })
    }

    /// A method of a list, set or tuple.
    fn list_method(&mut self, frame: &mut Frame<'p>, base: Tok, name: &str, args: &Args, site: ExprId) -> Value {
        let this = Value::of(base);
        let given = first(args);
        match name {
            "push" | "push_back" | "push_front" | "send" | "try_send" | "blocking_send" | "spawn" | "set" | "give" => {
                for value in &args.positional {
                    self.write(Addr::Element(base), value);
                }
                return Value::of(Tok::NULL);
            }
            "insert" => {
                for value in &args.positional {
                    self.write(Addr::Element(base), &value.filter(|t| !self.tokens.is_scalar(t)));
                }
                return Value::unknown();
            }
            "extend" | "append" | "extend_from_slice" => {
                let elements = self.rust_iterate(frame, &given, site);
                self.write(Addr::Element(base), &elements);
                return Value::of(Tok::NULL);
            }
            _ => {}
        }
        let elements = self.all_elements(frame, &this);
        let each = Args { positional: vec![elements.clone()], ..Args::default() };
        match name {
            "pop" | "pop_front" | "pop_back" | "first" | "last" | "recv" | "try_recv" | "recv_timeout"
            | "recv_async" | "blocking_recv" | "swap_remove" | "remove" | "front" | "back" | "choose" | "join_next"
            | "first_mut" | "last_mut" | "pop_first" | "pop_last" | "borrow_and_update" | "front_mut" | "back_mut"
            | "next" | "get_unchecked" => elements,
            "get" | "get_mut" if !args.positional.is_empty() => {
                let found = self.index(frame, &this, &given, site);
                if found.is_empty() || found.contains(Tok::UNKNOWN) { elements } else { found }
            }
            "iter" | "iter_mut" | "into_iter" | "drain" | "try_iter" | "stream" | "keys" | "values" => {
                self.fresh(frame, site, ContainerKind::Iter, &elements)
            }
            "sort_by" | "sort_unstable_by" | "dedup_by" => {
                let two = Args { positional: vec![elements.clone(), elements], ..Args::default() };
                self.apply(frame, &given, &two, site);
                Value::of(Tok::NULL)
            }
            "sort_by_key"
            | "sort_unstable_by_key"
            | "sort_by_cached_key"
            | "retain"
            | "retain_mut"
            | "dedup_by_key" => {
                self.apply(frame, &given, &each, site);
                Value::of(Tok::NULL)
            }
            "sort" | "sort_unstable" | "binary_search" => {
                self.compare_least(frame, &elements, site);
                Value::unknown()
            }
            "contains" => {
                self.rust_operator(frame, "PartialEq", "eq", &elements, std::slice::from_ref(&given), site);
                Value::unknown()
            }
            "split_at" | "split_first" | "split_last" | "split" => self.rust_pair(frame, site, &elements, &this),
            "clear" | "truncate" | "reverse" | "shrink_to_fit" | "reserve" | "close" => Value::of(Tok::NULL),
            "map" | "and_then" | "filter" | "then" if !self.is_fixed(base) => {
                // An `Option` or `Result` of a list.
                self.wrapper_method(frame, base, name, args, site).unwrap_or(this)
            }
            "len" | "is_empty" | "capacity" | "count" => Value::unknown(),
            "chunks" | "windows" | "chunks_exact" | "concat" => {
                self.iterator_method(frame, base, &elements, name, args, site).unwrap_or_else(Value::unknown)
            }
            "map" => {
                let made = self.apply(frame, &given, &each, site);
                self.fresh(frame, site, ContainerKind::List, &made)
            }
            _ => match self.wrapper_method(frame, base, name, args, site) {
                Some(value) => value,
                None => match self.iterator_method(frame, base, &elements, name, args, site) {
                    Some(value) => value,
                    None => {
                        self.hand_over(frame, args, site);
                        Value::unknown()
                    }
                },
            },
        }
    }

    /// Whether a list was written out: `[a, b].map(f)` goes over elements.
    fn is_fixed(&self, token: Tok) -> bool {
        let Token::Container { site, .. } = *self.tokens.get(token) else { return false };
        let func = self.comps[site.comp.0 as usize].key.func;
        let ir = &self.files[func.file as usize];
        ir.exprs.get(site.expr.index()).is_some_and(|e| matches!(e.kind, ExprKind::Seq(SeqKind::List, _)))
    }

    /// A method of a map.
    fn dict_method(&mut self, frame: &mut Frame<'p>, base: Tok, name: &str, args: &Args, site: ExprId) -> Value {
        let this = Value::of(base);
        let given = first(args);
        match name {
            "insert" => {
                let value = args.positional.get(1).cloned().unwrap_or_default();
                self.set_index(frame, &this, &given, &value);
                self.all_elements(frame, &this)
            }
            "get" | "get_mut" | "remove" | "get_key_value" | "remove_entry" if !args.positional.is_empty() => {
                let found = self.index(frame, &this, &given, site);
                let found = found.filter(|t| t != Tok::UNKNOWN);
                if name.ends_with("entry") || name.starts_with("get_key") {
                    return self.rust_pair(frame, site, &given, &found);
                }
                found
            }
            "entry" => this,
            "or_insert" => {
                self.write(Addr::Element(base), &given);
                self.all_elements(frame, &this)
            }
            "or_default" => {
                // A list, if it is anything that holds values.
                let made = self.fresh(frame, site, ContainerKind::List, &Value::empty());
                self.write(Addr::Element(base), &made);
                self.all_elements(frame, &this)
            }
            "or_insert_with" | "or_try_insert_with" | "or_insert_with_key" => {
                let made = self.apply(frame, &given, &nothing_known(), site);
                self.write(Addr::Element(base), &made);
                self.all_elements(frame, &this)
            }
            "and_modify" => {
                let each = Args { positional: vec![self.all_elements(frame, &this)], ..Args::default() };
                self.apply(frame, &given, &each, site);
                this
            }
            "values" | "values_mut" | "into_values" => {
                let values = self.all_elements(frame, &this);
                self.fresh(frame, site, ContainerKind::Iter, &values)
            }
            "keys" | "into_keys" => {
                let keys = self.keys_of(frame, &this);
                self.fresh(frame, site, ContainerKind::Iter, &keys)
            }
            "iter" | "iter_mut" | "into_iter" | "drain" => {
                let pairs = self.rust_iterate(frame, &this, site);
                self.fresh(frame, site, ContainerKind::Iter, &pairs)
            }
            "retain" => {
                let (keys, values) = (self.keys_of(frame, &this), self.all_elements(frame, &this));
                let each = Args { positional: vec![keys, values], ..Args::default() };
                self.apply(frame, &given, &each, site);
                Value::of(Tok::NULL)
            }
            "extend" => {
                let pairs = self.rust_iterate(frame, &given, site);
                for pair in pairs.iter().filter(|&t| self.is_container(t)).collect::<Vec<_>>() {
                    let key = self.element_at(frame, &Value::of(pair), 0);
                    let value = self.element_at(frame, &Value::of(pair), 1);
                    self.set_index(frame, &this, &key, &value);
                }
                Value::of(Tok::NULL)
            }
            "contains_key" | "len" | "is_empty" | "clear" => Value::unknown(),
            "pop_first" | "pop_last" | "first_key_value" | "last_key_value" => self.rust_iterate(frame, &this, site),
            _ => match self.wrapper_method(frame, base, name, args, site) {
                Some(value) => value,
                None => {
                    self.hand_over(frame, args, site);
                    Value::unknown()
                }
            },
        }
    }

    /// `x.into()`: what it becomes is said by whoever takes it.
    fn into_declared(&mut self, frame: &mut Frame<'p>, base: Tok, site: ExprId) -> Value {
        let mut value = self.converts(frame, "From", "from", &Value::of(base), site);
        // `u: impl Into<Url>`: the target is written beside the variable.
        if let ExprKind::Call { callee, .. } = frame.ir.expr(site).kind
            && let ExprKind::Attr { object, .. } = frame.ir.expr(callee).kind
            && let ExprKind::Var(var) = frame.ir.expr(object).kind
            && let Some(target) = self.bound_target(frame, var, "Into")
        {
            self.expect(frame, &value, Some(target), frame.file, frame.func);
            value = self.converts(frame, "From", "from", &Value::of(base), site);
        }
        value
    }
}

fn first(args: &Args) -> Value {
    args.positional.first().cloned().unwrap_or_default()
}

/// One argument of which nothing is known, not even whether there is one.
fn nothing_known() -> Args {
    Args { positional: vec![Value::empty()], ..Args::default() }
}
