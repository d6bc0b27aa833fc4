//! Functions of the standard library and its kin that carry values or callables: constructors of smart
//! pointers and containers, lazily made values, iterators from closures, channels.

use super::super::{Args, Frame};
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::token::*;

impl<'p> Solver<'p> {
    /// Calls a function of the standard library; none if it says nothing about values.
    pub(in crate::link::eval) fn rust_function(
        &mut self,
        frame: &mut Frame<'p>,
        path: &str,
        args: &Args,
        site: ExprId,
    ) -> Option<Value> {
        let mut ends = path.rsplit("::");
        let name = ends.next()?;
        let of = ends.next().unwrap_or("");
        let first = args.positional.first().cloned().unwrap_or_default();
        let same = format!("{of}::{name}");
        let (of, name) = self.catalogue.same_as(&same).split_once("::").unwrap_or((of, name));
        Some(match (of, name) {
            ("" | "Option", "Some") | ("" | "Result", "Ok") | ("Poll", "Ready") | ("Cow", "Borrowed" | "Owned") => {
                first
            }
            ("" | "Result", "Err") => self.error_of(frame, &first, site),
            ("" | "mem", "drop") => {
                self.drop_values(frame, &first, site);
                Value::of(Tok::NULL)
            }
            (of, "new" | "from" | "pin" | "default" | "with_capacity" | "leak") if is_pointer(of) => {
                if first.is_empty() { return None } else { first }
            }
            (
                of,
                "clone" | "downgrade" | "upgrade" | "try_unwrap" | "unwrap_or_clone" | "get_mut" | "into_inner"
                | "as_ref" | "make_mut",
            ) if is_pointer(of) => first,
            ("Reverse" | "Wrapping" | "AssertUnwindSafe" | "", "Reverse" | "Wrapping" | "AssertUnwindSafe") => first,
            (
                "convert" | "hint" | "future" | "mem" | "pin" | "Box" | "ops",
                "identity" | "black_box" | "ready" | "take" | "new" | "pin",
            ) => first,
            ("mem", "replace") => first,
            ("Default", "default") => self.converts(frame, "Default", "default", &Value::unknown(), site),
            (of, "new" | "default" | "with_capacity" | "with_hasher") if is_list(of) => {
                self.fresh(frame, site, ContainerKind::List, &Value::empty())
            }
            (of, "new" | "default" | "with_capacity" | "with_hasher") if is_map(of) => {
                self.fresh(frame, site, ContainerKind::Dict, &Value::empty())
            }
            (of, "from" | "from_iter") if is_list(of) => {
                let elements = self.rust_iterate(frame, &first, site);
                self.fresh(frame, site, ContainerKind::List, &elements)
            }
            (of, "from" | "from_iter") if is_map(of) => {
                let pairs = self.rust_iterate(frame, &first, site);
                self.map_of(frame, site, &pairs)
            }
            ("String" | "PathBuf" | "OsString", "from" | "new") => {
                if first.iter().all(|t| matches!(self.tokens.get(t), Token::Str(_))) { first } else { Value::unknown() }
            }
            ("LazyLock" | "LazyCell", "new") => self.apply(frame, &first, &Args::default(), site),
            ("panic", "catch_unwind") | ("iter", "from_fn" | "repeat_with") => {
                let made = self.apply(frame, &first, &Args::default(), site);
                if of == "panic" { made } else { self.fresh(frame, site, ContainerKind::Iter, &made) }
            }
            ("iter", "once" | "repeat") => self.fresh(frame, site, ContainerKind::Iter, &first),
            ("iter", "repeat_n") => self.fresh(frame, site, ContainerKind::Iter, &first),
            ("iter", "empty") => self.fresh(frame, site, ContainerKind::Iter, &Value::empty()),
            ("iter", "once_with") => {
                let made = self.apply(frame, &first, &Args::default(), site);
                self.fresh(frame, site, ContainerKind::Iter, &made)
            }
            ("iter", "successors") => {
                let step = args.positional.get(1).cloned().unwrap_or_default();
                let each = Args { positional: vec![first.clone()], ..Args::default() };
                let mut elements = self.apply(frame, &step, &each, site);
                elements.join(&first);
                self.fresh(frame, site, ContainerKind::Iter, &elements)
            }
            ("iter", "zip") => {
                let second = args.positional.get(1).cloned().unwrap_or_default();
                let (a, b) = (self.rust_iterate(frame, &first, site), self.rust_iterate(frame, &second, site));
                let pair = self.rust_pair(frame, site, &a, &b);
                self.fresh(frame, site, ContainerKind::Iter, &pair)
            }
            ("stream", "iter") => {
                let elements = self.rust_iterate(frame, &first, site);
                self.fresh(frame, site, ContainerKind::Iter, &elements)
            }
            ("array", "from_fn") => {
                let each = Args { positional: vec![Value::unknown()], ..Args::default() };
                let made = self.apply(frame, &first, &each, site);
                self.fresh(frame, site, ContainerKind::List, &made)
            }
            ("cmp", "min" | "max") => {
                let mut both = first;
                if let Some(second) = args.positional.get(1) {
                    both.join(second);
                }
                self.compare_least(frame, &both, site);
                if both.iter().any(|t| self.tokens.is_constant(t)) { return None } else { both }
            }
            (_, "channel" | "sync_channel" | "unbounded_channel" | "unbounded" | "bounded")
                if path.contains("mpsc")
                    || path.contains("channel")
                    || path.contains("oneshot")
                    || path.contains("flume")
                    || path.contains("broadcast")
                    || path.contains("watch") =>
            {
                let queue = self.fresh(frame, site, ContainerKind::List, &Value::empty());
                self.rust_pair(frame, site, &queue, &queue)
            }
            // `Option::map(x, f)`, `Clone::clone(&x)`, `Into::into(x)`.
            (of, name) if is_method_holder(of) && !first.is_empty() => {
                let mut rest = args.clone();
                rest.positional.remove(0);
                let symbol = self.symbols.intern(name);
                let mut result = Value::empty();
                for token in first.iter() {
                    if let Some(value) = self.operator_function(frame, token, of, name, &rest, site) {
                        result.join(&value);
                        continue;
                    }
                    for callee in self.method_of(frame, token, symbol, site, 0).iter() {
                        result.join(&self.call_token(frame, callee, &rest, site, crate::link::component::Via::Call));
                    }
                }
                result
            }
            _ => return None,
        })
    }

    /// A new container made at an expression, holding some elements.
    pub(super) fn fresh(&mut self, frame: &Frame<'p>, site: ExprId, kind: ContainerKind, elements: &Value) -> Value {
        let token = self.tokens.intern(Token::Container { site: self.site(frame, site), kind });
        self.write(Addr::Element(token), elements);
        Value::of(token)
    }

    /// A tuple of two made at an expression.
    pub(super) fn rust_pair(&mut self, frame: &Frame<'p>, site: ExprId, a: &Value, b: &Value) -> Value {
        let place = Site { comp: frame.comp, expr: ExprId(u32::MAX / 2 - site.0) };
        let pair = self.tokens.intern(Token::Container { site: place, kind: ContainerKind::Tuple });
        for (key, value) in [("0", a), ("1", b)] {
            let key = self.symbols.intern(key);
            self.set_key(pair, key, value);
        }
        Value::of(pair)
    }

    /// A map made of pairs.
    pub(super) fn map_of(&mut self, frame: &mut Frame<'p>, site: ExprId, pairs: &Value) -> Value {
        let map = self.fresh(frame, site, ContainerKind::Dict, &Value::empty());
        for pair in pairs.iter().filter(|&t| self.is_container(t)).collect::<Vec<_>>() {
            let key = self.element_at(frame, &Value::of(pair), 0);
            let value = self.element_at(frame, &Value::of(pair), 1);
            self.set_index(frame, &map, &key, &value);
        }
        map
    }
}

fn is_pointer(of: &str) -> bool {
    matches!(
        of,
        "Box"
            | "Rc"
            | "Arc"
            | "Pin"
            | "Mutex"
            | "RwLock"
            | "RefCell"
            | "Cell"
            | "UnsafeCell"
            | "Cow"
            | "Weak"
            | "ManuallyDrop"
            | "OnceCell"
            | "OnceLock"
            | "ArcSwap"
            | "CachePadded"
            | "Reverse"
            | "SetOnce"
    )
}

fn is_list(of: &str) -> bool {
    matches!(
        of,
        "Vec"
            | "VecDeque"
            | "LinkedList"
            | "BinaryHeap"
            | "HashSet"
            | "BTreeSet"
            | "IndexSet"
            | "SmallVec"
            | "ArrayVec"
            | "DashSet"
            | "FxHashSet"
            | "SegQueue"
    )
}

fn is_map(of: &str) -> bool {
    matches!(of, "HashMap" | "BTreeMap" | "IndexMap" | "DashMap" | "FxHashMap" | "AHashMap" | "SlotMap")
}

fn is_method_holder(of: &str) -> bool {
    matches!(
        of,
        "Option"
            | "Result"
            | "Iterator"
            | "IntoIterator"
            | "Clone"
            | "Into"
            | "TryInto"
            | "ToString"
            | "ToOwned"
            | "AsRef"
            | "AsMut"
            | "Borrow"
            | "Deref"
            | "DerefMut"
            | "Display"
            | "Debug"
            | "PartialEq"
            | "PartialOrd"
            | "Ord"
            | "Add"
            | "Sub"
            | "Mul"
            | "Div"
            | "Rem"
            | "Neg"
            | "Not"
            | "Index"
            | "FutureExt"
            | "StreamExt"
            | "TryFutureExt"
    )
}
