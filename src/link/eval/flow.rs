//! Control flow: branches, loops, `try`, `match`. Ways that part are run one after the other from the same
//! point and joined where they meet.

use super::env::Mark;
use super::{Frame, Path};
use crate::ir::*;
use crate::link::solver::Solver;
use crate::link::token::*;

/// A loop's body is run until nothing changes, at most so often.
const TURNS: usize = 8;
/// From this turn on, constants that still change are no longer told apart.
const WIDEN: usize = 2;

/// A loop or labelled block around a point of execution.
pub struct Exit {
    label: Option<Name>,
    mark: Mark,
    /// `continue` finds only loops, a bare `break` too (and switches).
    catches: Catches,
    breaks: Vec<Path>,
    continues: Vec<Path>,
}

#[derive(Clone, Copy, PartialEq)]
enum Catches {
    Everything,
    Breaks,
    Labelled,
}

/// How a loop or block is left.
#[derive(Clone, Copy, PartialEq)]
pub enum Leave {
    /// Its end.
    Break,
    /// Its next turn.
    Continue,
}

/// The outcome of a test.
#[derive(Clone, Copy, PartialEq)]
pub enum Test {
    /// It holds.
    True,
    /// It does not.
    False,
    /// Both are possible.
    Open,
    /// What it tests has no value yet.
    Waits,
}

/// What a turn of a loop says about its end.
#[derive(Clone, Copy, PartialEq)]
pub enum Turn {
    /// The test may fail.
    MayEnd,
    /// Only `break` leaves.
    GoesOn,
}

impl Frame<'_> {
    /// Leaves a loop or block.
    pub fn leave(&mut self, label: Option<Name>, how: Leave) {
        let found = self.exits.iter_mut().rev().find(|exit| match label {
            Some(_) => exit.label == label,
            None => match exit.catches {
                Catches::Everything => true,
                Catches::Breaks => how == Leave::Break,
                Catches::Labelled => false,
            },
        });
        if let Some(exit) = found {
            let path = self.env.changes(exit.mark);
            match how {
                Leave::Break => exit.breaks.push(path),
                Leave::Continue => exit.continues.push(path),
            }
        }
        self.live = false;
    }

    /// Notes what a handler around this point sees.
    pub fn raise(&mut self) {
        if let Some((mark, raised)) = self.tries.last_mut() {
            raised.push(self.env.changes(*mark));
        }
        self.live = false;
    }

    /// The end of a turn's body: what continued joins it.
    pub fn turn_over(&mut self) {
        let Some(exit) = self.exits.last_mut() else { return };
        let mut paths = std::mem::take(&mut exit.continues);
        let mark = exit.mark;
        if self.live {
            paths.push(self.env.changes(mark));
        }
        self.live = !paths.is_empty();
        if self.live {
            self.env.back(mark);
            self.env.merge(&paths);
        }
    }
}

impl<'p> Solver<'p> {
    /// Runs one way from here and comes back; none if it does not come to its end.
    fn way(&mut self, frame: &mut Frame<'p>, run: &mut dyn FnMut(&mut Self, &mut Frame<'p>)) -> Option<Path> {
        let mark = frame.env.mark();
        frame.live = true;
        frame.doubtful = false;
        run(self, frame);
        let mut path = frame.env.back(mark);
        frame.env.close();
        path.doubtful = frame.doubtful;
        frame.live.then_some(path)
    }

    /// Where some ways meet.
    fn meet(&mut self, frame: &mut Frame<'p>, paths: &[Path]) {
        frame.live = frame.env.merge(paths);
        frame.doubtful = frame.live && paths.iter().all(|path| path.doubtful);
    }

    pub(super) fn if_stmt(&mut self, frame: &mut Frame<'p>, test: ExprId, then: BlockId, otherwise: Option<BlockId>) {
        match self.test(frame, test) {
            Test::Waits => frame.live = false,
            Test::True => self.block(frame, then),
            Test::False => {
                if let Some(otherwise) = otherwise {
                    self.block(frame, otherwise);
                }
            }
            Test::Open => {
                let yes = self.way(frame, &mut |solver, frame| {
                    solver.narrow(frame, test, true);
                    solver.block(frame, then);
                });
                let no = self.way(frame, &mut |solver, frame| {
                    solver.narrow(frame, test, false);
                    if let Some(otherwise) = otherwise {
                        solver.block(frame, otherwise);
                    }
                });
                let paths: Vec<Path> = yes.into_iter().chain(no).collect();
                self.meet(frame, &paths);
            }
        }
    }

    /// `a if test else b`
    pub(super) fn conditional(
        &mut self,
        frame: &mut Frame<'p>,
        test: ExprId,
        then: ExprId,
        otherwise: ExprId,
    ) -> Value {
        match self.test(frame, test) {
            Test::Waits => Value::empty(),
            Test::True => self.eval(frame, then),
            Test::False => self.eval(frame, otherwise),
            Test::Open => {
                let mut value = Value::empty();
                let mut paths = Vec::new();
                for (branch, outcome) in [(then, true), (otherwise, false)] {
                    let path = self.way(frame, &mut |solver, frame| {
                        solver.narrow(frame, test, outcome);
                        let result = solver.eval(frame, branch);
                        value.join(&result);
                    });
                    paths.extend(path);
                }
                self.meet(frame, &paths);
                value
            }
        }
    }

    /// `left and right`, `left or right`: the right side under the left one's outcome.
    pub(super) fn under(&mut self, frame: &mut Frame<'p>, test: ExprId, outcome: bool, right: ExprId) -> Value {
        let mut value = Value::empty();
        let skipped = self.way(frame, &mut |_, _| {});
        let taken = self.way(frame, &mut |solver, frame| {
            solver.narrow(frame, test, outcome);
            value = solver.eval(frame, right);
        });
        let paths: Vec<Path> = skipped.into_iter().chain(taken).collect();
        self.meet(frame, &paths);
        value
    }

    pub(super) fn loop_stmt(
        &mut self,
        frame: &mut Frame<'p>,
        label: Option<Name>,
        otherwise: Option<BlockId>,
        turn: &mut dyn FnMut(&mut Self, &mut Frame<'p>) -> Turn,
    ) {
        let mark = frame.env.mark();
        frame.exits.push(Exit { label, mark, catches: Catches::Everything, breaks: Vec::new(), continues: Vec::new() });
        let mut head = Path::default();
        let mut ending = Turn::MayEnd;
        for n in 0..TURNS {
            frame.live = true;
            let how = turn(self, frame);
            if n == 0 {
                ending = how;
            } else if how == Turn::MayEnd {
                ending = Turn::MayEnd;
            }
            frame.turn_over();
            let ended = frame.live;
            let path = frame.env.back(mark);
            if !ended {
                break;
            }
            let mut joined = frame.env.join(&[Path::default(), head.clone(), path]);
            if n >= WIDEN {
                self.widen(&mut joined, &head);
            }
            if joined == head {
                break;
            }
            head = joined;
            frame.env.apply(head.clone());
        }
        let mut paths = frame.exits.pop().map(|exit| exit.breaks).unwrap_or_default();
        frame.env.back(mark);
        if ending == Turn::MayEnd {
            let end = self.way(frame, &mut |solver, frame| {
                frame.env.apply(head.clone());
                if let Some(otherwise) = otherwise {
                    solver.block(frame, otherwise);
                }
            });
            paths.extend(end);
        }
        self.meet(frame, &paths);
        frame.env.close();
    }

    /// Constants that a loop goes on changing become unknown.
    fn widen(&mut self, joined: &mut Path, head: &Path) {
        for (value, old) in joined.differing(head) {
            let changes = |t: Tok| self.tokens.is_scalar(t) && !old.is_some_and(|old| old.contains(t));
            if value.iter().any(changes) {
                let mut kept = value.filter(|t| !self.tokens.is_scalar(t));
                kept.insert(Tok::UNKNOWN);
                *value = kept;
            }
        }
    }

    pub(super) fn labelled(
        &mut self,
        frame: &mut Frame<'p>,
        label: Option<Name>,
        run: &mut dyn FnMut(&mut Self, &mut Frame<'p>),
    ) {
        let mark = frame.env.mark();
        frame.exits.push(Exit { label, mark, catches: Catches::Labelled, breaks: Vec::new(), continues: Vec::new() });
        run(self, frame);
        let mut paths = frame.exits.pop().map(|exit| exit.breaks).unwrap_or_default();
        let end = frame.env.back(mark);
        if frame.live {
            paths.push(end);
        }
        self.meet(frame, &paths);
        frame.env.close();
    }

    pub(super) fn try_stmt(
        &mut self,
        frame: &mut Frame<'p>,
        body: BlockId,
        handlers: &'p [Handler],
        otherwise: Option<BlockId>,
        finally: Option<BlockId>,
    ) {
        let mark = frame.env.mark();
        let left: Vec<(usize, usize)> = frame.exits.iter().map(|e| (e.breaks.len(), e.continues.len())).collect();
        frame.tries.push((mark, Vec::new()));
        self.block(frame, body);
        let mut raised = frame.tries.pop().map(|(_, raised)| raised).unwrap_or_default();
        raised.push(frame.env.history(mark));
        let mut ends = Vec::new();
        if frame.live {
            if let Some(otherwise) = otherwise {
                self.block(frame, otherwise);
            }
            let path = frame.env.back(mark);
            if frame.live {
                ends.push(path);
            }
        } else {
            frame.env.back(mark);
        }
        let at_failure = frame.env.join(&raised);
        for handler in handlers {
            let path = self.way(frame, &mut |solver, frame| {
                frame.env.apply(at_failure.clone());
                let types = handler.types.map(|e| solver.eval(frame, e));
                if let Some(binding) = handler.binding {
                    let caught = types.map_or(Value::unknown(), |types| solver.instances_of_types(frame, &types));
                    solver.bind(frame, binding, &caught, None);
                }
                solver.block(frame, handler.body);
            });
            ends.extend(path);
        }
        if let Some(finally) = finally {
            self.finally_on_leaving(frame, finally, &left);
        }
        // `finally` also runs where nothing comes to the end: for its calls.
        let ended = !ends.is_empty();
        if ended {
            frame.env.merge(&ends);
        } else {
            frame.env.apply(at_failure);
        }
        frame.live = true;
        if let Some(finally) = finally {
            self.block(frame, finally);
        }
        frame.live &= ended;
        frame.env.close();
    }

    /// Runs `finally` on the paths that left the statement by `break` or `continue`; `left` counts those that had
    /// left before.
    fn finally_on_leaving(&mut self, frame: &mut Frame<'p>, finally: BlockId, left: &[(usize, usize)]) {
        for (at, &(breaks, continues)) in left.iter().enumerate() {
            for how in [Leave::Break, Leave::Continue] {
                let known = if how == Leave::Break { breaks } else { continues };
                let Some(exit) = frame.exits.get_mut(at) else { continue };
                let mark = exit.mark;
                let list = if how == Leave::Break { &mut exit.breaks } else { &mut exit.continues };
                let paths = list.split_off(known.min(list.len()));
                let mut after = Vec::new();
                for path in paths {
                    let mut whole = None;
                    self.way(frame, &mut |solver, frame| {
                        frame.env.apply(path.clone());
                        solver.block(frame, finally);
                        whole = frame.live.then(|| frame.env.changes(mark));
                    });
                    if let Some(mut whole) = whole {
                        whole.doubtful = path.doubtful;
                        after.push(whole);
                    }
                }
                let Some(exit) = frame.exits.get_mut(at) else { continue };
                let list = if how == Leave::Break { &mut exit.breaks } else { &mut exit.continues };
                list.extend(after);
            }
        }
    }

    pub(super) fn match_stmt(&mut self, frame: &mut Frame<'p>, subject: ExprId, arms: &'p [Arm], is_switch: bool) {
        let value = self.eval(frame, subject);
        let mark = frame.env.mark();
        if is_switch {
            let catches = Catches::Breaks;
            frame.exits.push(Exit { label: None, mark, catches, breaks: Vec::new(), continues: Vec::new() });
        }
        let mut ends = Vec::new();
        let mut falling: Option<Path> = None;
        let mut exhaustive = false;
        let named = self.constants_of(frame, arms, &value);
        for (at, arm) in arms.iter().enumerate() {
            let entered = falling.take();
            exhaustive |= matches!(frame.ir.pattern(arm.pattern), Pattern::Otherwise);
            if entered.is_none() && named.as_ref().is_some_and(|named| !is_entered(frame.ir, arms, named, at, &value)) {
                continue;
            }
            let path = self.way(frame, &mut |solver, frame| {
                if let Some(path) = &entered {
                    frame.env.merge(&[Path::default(), path.clone()]);
                }
                solver.narrow_match(frame, subject, arm.pattern, &value);
                if let Some(guard) = arm.guard {
                    solver.eval(frame, guard);
                    solver.narrow(frame, guard, true);
                }
                solver.block(frame, arm.body);
            });
            let pattern = frame.ir.pattern(arm.pattern);
            exhaustive |=
                arm.guard.is_none() && matches!(pattern, Pattern::Ignore | Pattern::Bind(_) | Pattern::Otherwise);
            let Some(path) = path else { continue };
            if arm.falls_through {
                falling = Some(path.clone());
            }
            ends.push(path);
        }
        if is_switch && let Some(exit) = frame.exits.pop() {
            ends.extend(exit.breaks);
        }
        if !exhaustive && frame.ir.language != Language::Rust {
            ends.push(Path::default());
        }
        self.meet(frame, &ends);
        frame.env.close();
    }

    /// The constant text that each arm is for, if what is switched on is known to be such texts.
    fn constants_of(&mut self, frame: &mut Frame<'p>, arms: &'p [Arm], value: &Value) -> Option<Vec<Option<Tok>>> {
        let is_text = |solver: &Self, t: Tok| matches!(solver.tokens.get(t), Token::Str(_));
        if value.is_empty() || value.is_top() || !value.iter().all(|t| is_text(self, t)) {
            return None;
        }
        let mut named = Vec::with_capacity(arms.len());
        for arm in arms {
            let constant = match *frame.ir.pattern(arm.pattern) {
                Pattern::Value(e) => {
                    let constant = self.eval(frame, e);
                    match constant.single() {
                        None if constant.is_empty() && self.waits() => Some(Tok::MISSING),
                        single => single.filter(|&t| is_text(self, t)),
                    }
                }
                _ => None,
            };
            named.push(constant);
        }
        Some(named)
    }
}

/// Whether any of the texts that are switched on leads to an arm: by its constant, or because no other arm has it.
fn is_entered(ir: &File, arms: &[Arm], named: &[Option<Tok>], at: usize, value: &Value) -> bool {
    match named[at] {
        Some(constant) => value.contains(constant),
        None => {
            let otherwise = matches!(ir.pattern(arms[at].pattern), Pattern::Otherwise);
            let waits = named.contains(&Some(Tok::MISSING));
            !otherwise || !waits && value.iter().any(|t| !named.contains(&Some(t)))
        }
    }
}
