//! What all facts stand on: the linked program with its files' maps, who calls whom, and what calls do
//! (send, store, look up, start, log).

use super::map::FileMap;
use super::words;
use crate::chains::compose::Composer;
use crate::ir::*;
use crate::layers::view::View;
use crate::link::component::{CallRecord, Target, Via};
use crate::link::known::Known;
use crate::link::token::*;
use crate::source::Place;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

/// What a call does, itself or below it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Deeds(pub u32);

#[allow(missing_docs)]
impl Deeds {
    pub const SENDS: Deeds = Deeds(1);
    pub const READS: Deeds = Deeds(1 << 1);
    pub const WRITES: Deeds = Deeds(1 << 2);
    pub const MEMO: Deeds = Deeds(1 << 3);
    pub const MAIL: Deeds = Deeds(1 << 4);
    pub const PAYMENT: Deeds = Deeds(1 << 5);
    pub const PUBLISH: Deeds = Deeds(1 << 6);
    pub const ENQUEUE: Deeds = Deeds(1 << 7);
    pub const WRITE: Deeds = Deeds(1 << 8);
    pub const HTTP_WRITE: Deeds = Deeds(1 << 9);
    pub const LOGS: Deeds = Deeds(1 << 10);
    pub const CLAIMS: Deeds = Deeds(1 << 11);
    pub const GATHER: Deeds = Deeds(1 << 12);
    pub const LIMITS: Deeds = Deeds(1 << 13);
    pub const EFFECTS: Deeds = Deeds(0b1_1111 << 4 | 1 << 9);

    /// Whether any of these deeds is among them.
    pub fn any(self, of: Deeds) -> bool {
        self.0 & of.0 != 0
    }

    /// Without these.
    pub fn but(self, of: Deeds) -> Deeds {
        Deeds(self.0 & !of.0)
    }

    /// Both.
    pub fn and(self, more: Deeds) -> Deeds {
        Deeds(self.0 | more.0)
    }

    /// The side effect's kind; the gravest first.
    pub fn effect(self) -> Option<&'static str> {
        [
            (Deeds::PAYMENT, "payment"),
            (Deeds::MAIL, "mail"),
            (Deeds::PUBLISH, "publish"),
            (Deeds::ENQUEUE, "enqueue"),
            (Deeds::HTTP_WRITE, "http-write"),
            (Deeds::WRITE, "write"),
        ]
        .into_iter()
        .find_map(|(deed, name)| self.any(deed).then_some(name))
    }
}

/// The program, as facts look at it.
pub struct Ground<'p, 's, 'v> {
    /// The linked program.
    pub view: &'v View<'p, 's>,
    /// The files' texts.
    pub texts: &'v [Arc<str>],
    maps: Vec<OnceCell<FileMap>>,
    /// What each component does, with what it calls.
    below: Vec<Deeds>,
    /// Components that reach an outbound call.
    pub reaching: Vec<bool>,
    /// Calls of each component: the caller and the record.
    callers: Vec<Vec<(CompId, CallRecord)>>,
    /// Components by function.
    comps_of: FxHashMap<FuncRef, Vec<CompId>>,
    deeds: RefCell<FxHashMap<Tok, Deeds>>,
    /// Whether a function writes once however often it runs, as far as anybody asked.
    pub(super) once: RefCell<FxHashMap<FuncRef, bool>>,
    /// Whether a list is emptied at a size, by file and variable, as far as anybody asked.
    pub(super) flushed: RefCell<FxHashMap<(u32, VarId), bool>>,
}

impl<'p, 's, 'v> Ground<'p, 's, 'v> {
    /// Looks over the program once.
    pub fn new(composer: &Composer<'p, 's, 'v>, texts: &'v [Arc<str>]) -> Self {
        let view = composer.view;
        let count = view.solver.comps.len();
        let mut ground = Self {
            view,
            texts,
            maps: view.solver.files.iter().map(|_| OnceCell::new()).collect(),
            below: vec![Deeds::default(); count],
            reaching: composer.reaching.clone(),
            callers: vec![Vec::new(); count],
            comps_of: FxHashMap::default(),
            deeds: RefCell::default(),
            once: RefCell::default(),
            flushed: RefCell::default(),
        };
        for c in 0..count {
            let comp = CompId(c as u32);
            ground.comps_of.entry(view.func(comp)).or_default().push(comp);
            for record in view.all_calls(comp) {
                if let Target::Comp(target) = record.target {
                    ground.callers[target.0 as usize].push((comp, *record));
                }
            }
        }
        ground.spread();
        ground
    }

    /// What is done directly flows to the callers.
    fn spread(&mut self) {
        let count = self.below.len();
        let mut pending = Vec::new();
        for c in 0..count {
            let comp = CompId(c as u32);
            let mut deeds = if self.reaching[c] { Deeds::SENDS } else { Deeds::default() };
            for record in self.view.all_calls(comp) {
                deeds = deeds.and(self.direct(comp, record));
            }
            // What sends is known by the chains already.
            let deeds = Deeds(deeds.0 & !Deeds::GATHER.0 & !Deeds::LIMITS.0);
            if deeds.0 != 0 {
                self.below[c] = deeds;
                pending.push(c);
            }
        }
        while let Some(c) = pending.pop() {
            let deeds = self.below[c];
            for i in 0..self.callers[c].len() {
                let (caller, record) = self.callers[c][i];
                if record.via == Via::Decorate || self.is_elsewhere(caller, &record) {
                    continue;
                }
                let slot = &mut self.below[caller.0 as usize];
                let more = slot.and(Deeds(deeds.0 & !Deeds::SENDS.0));
                if more != *slot {
                    *slot = more;
                    pending.push(caller.0 as usize);
                }
            }
        }
    }

    /// Whether a callable handed over at a call is run by somebody else: a worker, an event loop's handler.
    pub fn is_elsewhere(&self, comp: CompId, record: &CallRecord) -> bool {
        record.via == Via::Handed
            && self
                .handed_to(comp, record.expr)
                .is_some_and(|known| known.callable.calls.iter().any(|c| matches!(c.how.as_str(), "job" | "handler")))
    }

    /// The catalogue entry of what is called at an expression.
    pub fn handed_to(&self, comp: CompId, e: ExprId) -> Option<Known<'p>> {
        self.view.calls(comp, e).iter().find_map(|r| match r.target {
            Target::External(_) => self.view.known(r.callee),
            _ => None,
        })
    }

    /// What one call does by itself, not counting functions of the program. Writing under a key, or over what is
    /// there, does no harm twice: that is no side effect.
    pub fn direct(&self, comp: CompId, record: &CallRecord) -> Deeds {
        let deeds = self.any_deeds(comp, record);
        match deeds.any(Deeds::WRITE) && !self.adds_anew(comp, record.expr) {
            true => Deeds(deeds.0 & !Deeds::WRITE.0),
            false => deeds,
        }
    }

    fn any_deeds(&self, comp: CompId, record: &CallRecord) -> Deeds {
        match record.target {
            Target::External(_) => {
                if let Some(&deeds) = self.deeds.borrow().get(&record.callee) {
                    return deeds;
                }
                let deeds = match self.view.known(record.callee) {
                    Some(known) => of_entry(&known),
                    None => Deeds::default(),
                };
                let deeds = match deeds.0 {
                    0 => words::deeds(&self.view.path(record.callee)),
                    _ => deeds,
                };
                self.deeds.borrow_mut().insert(record.callee, deeds);
                deeds
            }
            Target::Unresolved => words::deeds(self.callee_text(comp, record.expr)),
            Target::Comp(_) => Deeds::default(),
        }
    }

    /// Whether a write adds something new each time, by its name or the statement that it runs.
    fn adds_anew(&self, comp: CompId, e: ExprId) -> bool {
        let (name, _) = words::split(self.callee_text(comp, e));
        let list = words::words(name);
        let has = |options: &[&str]| list.iter().any(|w| options.contains(&w.as_str()));
        if has(&["update", "upsert", "or", "set", "put", "save", "replace", "delete", "commit"]) {
            return false;
        }
        if has(&["create", "insert", "add", "append", "push", "bulk", "incr", "increment", "incrby"]) {
            return true;
        }
        let file = self.file(comp);
        let Some(ExprKind::Call { args, .. }) = file.exprs.get(e.index()).map(|e| &e.kind) else { return false };
        args.iter().any(|arg| {
            let text = self.text(comp, file.expr(arg.value()).span).to_ascii_uppercase();
            text.contains("INSERT INTO") && !text.contains("ON CONFLICT") && !text.contains("ON DUPLICATE")
        })
    }

    /// What a call does, with what it calls.
    pub fn deeds(&self, comp: CompId, record: &CallRecord) -> Deeds {
        match record.target {
            Target::Comp(_) if self.is_elsewhere(comp, record) => Deeds::default(),
            Target::Comp(target) => self.below[target.0 as usize],
            _ => self.direct(comp, record),
        }
    }

    /// What all that an expression calls does.
    pub fn deeds_at(&self, comp: CompId, e: ExprId) -> Deeds {
        let records = self.view.calls(comp, e);
        if records.is_empty() {
            return match self.view.file(comp).exprs.get(e.index()).map(|e| &e.kind) {
                Some(ExprKind::Call { .. }) => words::deeds(self.callee_text(comp, e)),
                _ => Deeds::default(),
            };
        }
        records.iter().fold(Deeds::default(), |all, r| all.and(self.deeds(comp, r)))
    }

    /// What a component does, with what it calls.
    pub fn of_comp(&self, comp: CompId) -> Deeds {
        self.below[comp.0 as usize]
    }

    /// Who calls a component.
    pub fn callers(&self, comp: CompId) -> &[(CompId, CallRecord)] {
        &self.callers[comp.0 as usize]
    }

    /// The components of a function.
    pub fn comps_of(&self, func: FuncRef) -> &[CompId] {
        self.comps_of.get(&func).map_or(&[], Vec::as_slice)
    }

    /// The map of a component's file.
    pub fn map(&self, comp: CompId) -> &FileMap {
        self.map_of(self.view.func(comp).file)
    }

    /// The map of a file.
    pub fn map_of(&self, file: u32) -> &FileMap {
        self.maps[file as usize].get_or_init(|| FileMap::of(&self.view.solver.files[file as usize]))
    }

    /// The file of a component.
    pub fn file(&self, comp: CompId) -> &'p File {
        self.view.file(comp)
    }

    /// The source text of a span.
    pub fn text(&self, comp: CompId, span: Span) -> &'v str {
        self.text_of(Place { file: crate::source::FileId(self.view.func(comp).file), span })
    }

    /// The source text of a place.
    pub fn text_of(&self, place: Place) -> &'v str {
        let text = self.texts.get(place.file.index()).map_or("", |t| t);
        text.get(place.span.start as usize..place.span.end as usize).unwrap_or("")
    }

    /// How the callee of a call is written.
    pub fn callee_text(&self, comp: CompId, e: ExprId) -> &'v str {
        let file = self.file(comp);
        match file.exprs.get(e.index()).map(|e| &e.kind) {
            Some(ExprKind::Call { callee, .. }) => self.text(comp, file.expr(*callee).span),
            _ => "",
        }
    }

    /// The calls that stand in a component's function, inner before outer.
    pub fn calls_in(&self, comp: CompId) -> &[ExprId] {
        self.map(comp).calls.get(&self.view.func(comp).id).map_or(&[], Vec::as_slice)
    }

    /// The bytes of an expression; link makes some of its own that stand nowhere.
    pub fn span(&self, comp: CompId, e: ExprId) -> Span {
        self.file(comp).exprs.get(e.index()).map(|e| e.span).unwrap_or_default()
    }

    /// The place of an expression.
    pub fn place(&self, comp: CompId, e: ExprId) -> Place {
        self.view.place(comp, self.span(comp, e))
    }

    /// Where a component's function is named.
    pub fn place_of_name(&self, comp: CompId) -> Place {
        self.view.place(comp, self.view.function(comp).name_span)
    }
}

fn of_entry(known: &Known) -> Deeds {
    let callable = known.callable;
    let mut deeds = match callable.effect.as_deref() {
        Some("mail") => Deeds::MAIL,
        Some("payment") => Deeds::PAYMENT,
        Some("publish") => Deeds::PUBLISH,
        Some("enqueue") => Deeds::ENQUEUE,
        Some("write") => Deeds::WRITE,
        Some("http-write") => Deeds::HTTP_WRITE,
        _ => Deeds::default(),
    };
    deeds = deeds.and(match callable.store.as_deref() {
        Some("read") => Deeds::READS,
        Some("write") => Deeds::WRITES,
        Some("memo") => Deeds::MEMO,
        _ => Deeds::default(),
    });
    deeds = deeds.and(match callable.concurrency.as_deref() {
        Some("gather") => Deeds::GATHER,
        Some("semaphore" | "pool") => Deeds::LIMITS,
        _ => Deeds::default(),
    });
    if callable.logs {
        deeds = deeds.and(Deeds::LOGS);
    }
    if callable.calls.iter().any(|c| c.how == "job") && callable.entry.is_none() && deeds.effect().is_none() {
        deeds = deeds.and(Deeds::ENQUEUE);
    }
    deeds
}
