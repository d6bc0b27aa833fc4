//! Random programs, decoded from bytes: the same bytes are the same program, zeros are the simplest choice.
//! What is drawn most is what people write: attempts in loops, counters, handlers that decide.

use super::program::*;

/// What surrounds a statement.
#[derive(Clone, Copy)]
struct Around {
    in_loop: bool,
    /// The name of the error at hand.
    handling: Option<&'static str>,
    depth: usize,
    /// Loop variables in use.
    loops: usize,
}

/// What a program is about.
#[derive(Clone, Copy, PartialEq)]
enum Sends {
    /// The function sends itself.
    Here,
    /// It calls a function that sends.
    Below,
    /// It calls a function that sends and hands the answer back.
    Asked,
    /// It calls itself after a failure.
    Again,
}

pub struct Source<'b> {
    bytes: &'b [u8],
    at: usize,
    sends: Sends,
    coins: bool,
}

const COUNTERS: [&str; 2] = ["n", "m"];
const LOOPS: [&str; 3] = ["i", "j", "k"];
/// A name for each depth: the handler inside another must not unbind its error.
const ERRORS: [&str; 8] = ["e", "error", "reason", "why", "cause", "fault", "problem", "trouble"];

fn int(n: i64) -> Expr {
    Expr::Int(n)
}

fn var(name: &'static str) -> Expr {
    Expr::Var(name)
}

fn compare(op: &'static str, a: Expr, b: Expr) -> Expr {
    Expr::Compare(op, Box::new(a), Box::new(b))
}

fn plus(a: Expr, b: i64) -> Expr {
    if b == 0 { a } else { Expr::Binary('+', Box::new(a), Box::new(int(b))) }
}

fn minus(a: Expr, b: i64) -> Expr {
    Expr::Binary('-', Box::new(a), Box::new(int(b)))
}

/// The program that some bytes are.
pub fn program(bytes: &[u8]) -> Program {
    let mut source = Source { bytes, at: 0, sends: Sends::Here, coins: false };
    source.program()
}

impl Source<'_> {
    fn pick(&mut self, n: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte as usize % n.max(1)
    }

    fn one<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.pick(list.len())].clone()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.pick(100) >= 100 - percent
    }

    fn program(&mut self) -> Program {
        let mut functions = Vec::new();
        self.coins = self.chance(15);
        let kind = self.pick(7);
        functions.push(Function {
            name: "decide",
            params: vec![("tried", 0), ("limit", 2)],
            body: vec![self.decider()],
        });
        if kind == 4 {
            self.sends = Sends::Here;
            let body = self.function(0);
            functions.push(Function { name: "fetch", params: vec![("limit", 2)], body });
            self.sends = Sends::Below;
        } else if kind == 5 {
            self.sends = Sends::Again;
        } else if kind == 6 {
            functions.push(Function { name: "ask", params: Vec::new(), body: vec![Stmt::ReturnAnswer] });
            self.sends = Sends::Asked;
        }
        let (params, body) = if self.sends == Sends::Again {
            (vec![("left", self.pick(4) as i64)], self.recursive())
        } else {
            (Vec::new(), self.function(1))
        };
        functions.push(Function { name: "work", params, body });
        Program { functions }
    }

    fn decider(&mut self) -> Stmt {
        let test = compare(self.one(&["<", "<=", ">", "=="]), var("tried"), var("limit"));
        match self.pick(3) {
            0 => Stmt::Return(Some(test)),
            1 => {
                Stmt::If(test, vec![Stmt::Return(Some(Expr::Bool(true)))], vec![Stmt::Return(Some(Expr::Bool(false)))])
            }
            _ => Stmt::Return(Some(Expr::Not(Box::new(test)))),
        }
    }

    fn function(&mut self, level: usize) -> Vec<Stmt> {
        let mut body = Vec::new();
        for name in COUNTERS {
            body.push(Stmt::Assign(name, int(self.pick(4) as i64)));
        }
        body.push(Stmt::Assign("done", Expr::Bool(false)));
        body.push(Stmt::Assign("last", Expr::None));
        body.push(Stmt::Assign("answer", Expr::None));
        let delays = (0..self.pick(4)).map(|i| i as i64 % 3).collect();
        body.push(Stmt::Assign("delays", Expr::List(delays)));
        body.push(Stmt::Assign(
            "until",
            Expr::Binary('+', Box::new(Expr::Now), Box::new(int(1 + self.pick(6) as i64))),
        ));
        let around = Around { in_loop: false, handling: None, depth: 1 - level.min(1), loops: 0 };
        body.extend(self.block(around));
        match self.pick(4) {
            0 | 1 => {}
            2 => body.push(Stmt::If(
                Expr::Not(Box::new(Expr::IsNone("last"))),
                vec![Stmt::Raise(Raise::Var("last"))],
                Vec::new(),
            )),
            _ => body.push(Stmt::Raise(Raise::New(Class::Failed))),
        }
        body
    }

    /// A function that calls itself with less.
    fn recursive(&mut self) -> Vec<Stmt> {
        let around = Around { in_loop: false, handling: Some("error"), depth: 2, loops: 0 };
        let less = match self.pick(5) {
            0..=2 => minus(var("left"), 1),
            3 => minus(var("left"), 2),
            _ => plus(var("left"), 1),
        };
        let again = |this: &mut Self| match this.pick(3) {
            0 => Stmt::ReturnCall("work", vec![less.clone()]),
            1 => Stmt::Call(Some("answer"), "work", vec![less.clone()]),
            _ => Stmt::Call(None, "work", vec![less.clone()]),
        };
        let stop = match self.pick(3) {
            0 => compare("<=", var("left"), int(0)),
            1 => compare("<", var("left"), int(1)),
            _ => compare("==", var("left"), int(0)),
        };
        let give_up = self.exit(Around { in_loop: false, ..around });
        let mut handler = Vec::new();
        if self.chance(30) {
            handler.push(Stmt::Sleep(int(1)));
        }
        if self.chance(60) {
            handler.push(Stmt::If(stop, vec![give_up], Vec::new()));
            handler.push(again(self));
        } else {
            handler.push(Stmt::If(Expr::Not(Box::new(stop)), vec![again(self)], vec![give_up]));
        }
        let types = self.types();
        let mut body = vec![Stmt::Assign("answer", Expr::None)];
        body.push(Stmt::Try {
            body: vec![Stmt::Send, Stmt::Return(Some(Expr::Bool(true)))],
            handlers: vec![Handler { types, name: Some("error"), body: handler }],
            otherwise: Vec::new(),
            finally: Vec::new(),
        });
        body
    }

    fn block(&mut self, around: Around) -> Vec<Stmt> {
        let count = 1 + self.pick(3);
        let mut body = Vec::new();
        for _ in 0..count {
            self.stmt(around, &mut body);
        }
        body
    }

    fn stmt(&mut self, around: Around, body: &mut Vec<Stmt>) {
        let compound = around.depth < 4;
        match self.pick(16) {
            0 | 1 => self.attempt(around, body),
            2 => {
                let counter = self.one(&COUNTERS);
                let op = self.one(&['+', '-']);
                body.push(Stmt::Augment(counter, op, int(1)));
            }
            3 => {
                let seconds = self.seconds(around);
                body.push(Stmt::Sleep(seconds));
            }
            4 if compound => {
                let test = self.test(around);
                let then = self.block(Around { depth: around.depth + 1, ..around });
                let otherwise =
                    if self.chance(30) { self.block(Around { depth: around.depth + 1, ..around }) } else { Vec::new() };
                body.push(Stmt::If(test, then, otherwise));
            }
            5 => {
                let test = self.test(around);
                let exit = self.exit(around);
                body.push(Stmt::If(test, vec![exit], Vec::new()));
            }
            6..=8 if compound && around.loops < 3 => self.for_loop(around, body),
            9..=11 if compound && around.loops < 3 => self.while_loop(around, body),
            12 | 13 if compound => self.try_stmt(around, body),
            14 => body.push(Stmt::Assign("done", Expr::Bool(true))),
            _ => self.attempt(around, body),
        }
    }

    /// One attempt, and what is done when it succeeds.
    fn attempt(&mut self, around: Around, body: &mut Vec<Stmt>) {
        let leave = |this: &mut Self| match this.pick(5) {
            0 | 1 => vec![Stmt::Return(Some(Expr::Bool(true)))],
            2 if around.in_loop => vec![Stmt::Break],
            3 => vec![Stmt::Assign("done", Expr::Bool(true))],
            _ => vec![Stmt::Return(None)],
        };
        match self.sends {
            Sends::Below => match self.pick(3) {
                0 => body.push(Stmt::ReturnCall("fetch", vec![int(2)])),
                1 => {
                    body.push(Stmt::Call(Some("answer"), "fetch", vec![int(2)]));
                    let leave = leave(self);
                    body.push(Stmt::If(var("answer"), leave, Vec::new()));
                }
                _ => {
                    body.push(Stmt::Call(None, "fetch", vec![int(2)]));
                    body.extend(leave(self));
                }
            },
            _ => match if self.sends == Sends::Asked { 2 + self.pick(3) } else { self.pick(5) } {
                0 | 1 => {
                    body.push(Stmt::Send);
                    body.extend(leave(self));
                }
                2 => {
                    body.push(self.answer());
                    let test = self.answer_is_good();
                    let leave = leave(self);
                    body.push(Stmt::If(test, leave, Vec::new()));
                }
                3 => {
                    body.push(self.answer());
                    let test = self.answer_is_bad();
                    let exit = if around.in_loop && self.chance(60) {
                        Stmt::Continue
                    } else {
                        Stmt::Raise(Raise::New(Class::Failed))
                    };
                    body.push(Stmt::If(test, vec![exit], Vec::new()));
                    if self.chance(30) {
                        body.push(Stmt::Check("answer"));
                    }
                    body.extend(leave(self));
                }
                _ => {
                    body.push(self.answer());
                    body.push(Stmt::Check("answer"));
                    body.extend(leave(self));
                }
            },
        }
    }

    fn answer(&self) -> Stmt {
        match self.sends {
            Sends::Asked => Stmt::Call(Some("answer"), "ask", Vec::new()),
            _ => Stmt::Answer("answer"),
        }
    }

    fn answer_is_good(&mut self) -> Expr {
        match self.pick(3) {
            0 => Expr::Ok("answer"),
            1 => compare("<", Expr::Status("answer"), int(self.one(&[500, 400, 300]))),
            _ => compare("==", Expr::Status("answer"), int(200)),
        }
    }

    fn answer_is_bad(&mut self) -> Expr {
        match self.pick(4) {
            0 => compare(">=", Expr::Status("answer"), int(500)),
            1 => compare("==", Expr::Status("answer"), int(self.one(&[429, 503]))),
            2 => Expr::Or(
                Box::new(compare("==", Expr::Status("answer"), int(429))),
                Box::new(compare(">=", Expr::Status("answer"), int(500))),
            ),
            _ => Expr::Not(Box::new(Expr::Ok("answer"))),
        }
    }

    fn for_loop(&mut self, around: Around, body: &mut Vec<Stmt>) {
        let name = LOOPS[around.loops.min(2)];
        let n = self.pick(4) as i64;
        let iter = match self.pick(8) {
            0 | 1 => Iter::Range(vec![int(n)]),
            2 => Iter::Range(vec![int(1), int(n + 1)]),
            3 => {
                let counter = self.one(&COUNTERS);
                Iter::Range(vec![plus(var(counter), self.pick(2) as i64)])
            }
            4 => Iter::Range(vec![int(n), int(0), int(-1)]),
            5 => Iter::List(var("delays")),
            6 => Iter::List(Expr::List((0..n).collect())),
            _ => Iter::Enumerate(var("delays"), self.pick(2) as i64),
        };
        let inner = Around { in_loop: true, depth: around.depth + 1, loops: around.loops + 1, ..around };
        let inside = self.loop_body(inner);
        let otherwise =
            if self.chance(15) { self.block(Around { depth: around.depth + 1, ..around }) } else { Vec::new() };
        body.push(Stmt::For(name, iter, inside, otherwise));
    }

    fn while_loop(&mut self, around: Around, body: &mut Vec<Stmt>) {
        let counter = self.one(&COUNTERS);
        let n = self.pick(4) as i64;
        let (test, step) = match self.pick(9) {
            0 | 1 => (compare(self.one(&["<", "<="]), var(counter), int(n)), '+'),
            2 => (compare(">", var(counter), int(0)), '-'),
            3 => (var(counter), '-'),
            4 => (
                Expr::And(Box::new(Expr::Not(Box::new(var("done")))), Box::new(compare("<", var(counter), int(n)))),
                '+',
            ),
            5 => (compare("<", Expr::Now, var("until")), '+'),
            6 => (Expr::Not(Box::new(var("done"))), '+'),
            _ => (Expr::Bool(true), '+'),
        };
        let inner = Around { in_loop: true, depth: around.depth + 1, loops: around.loops + 1, ..around };
        let mut inside = Vec::new();
        let turn = Stmt::Augment(counter, step, int(1));
        // Where it is counted: first, last, or wherever the body counts.
        let place = self.pick(4);
        if place == 0 {
            inside.push(turn.clone());
        }
        inside.extend(self.loop_body(inner));
        if place == 1 {
            inside.push(turn.clone());
        }
        if place == 2 {
            let limit = compare(self.one(&[">=", ">", "=="]), var(counter), int(n));
            inside = vec![Stmt::Try {
                body: inside,
                handlers: vec![Handler {
                    types: self.types(),
                    name: None,
                    body: vec![turn, Stmt::If(limit, vec![Stmt::Raise(Raise::Again)], Vec::new())],
                }],
                otherwise: Vec::new(),
                finally: Vec::new(),
            }];
        }
        let otherwise =
            if self.chance(10) { self.block(Around { depth: around.depth + 1, ..around }) } else { Vec::new() };
        body.push(Stmt::While(test, inside, otherwise));
    }

    fn loop_body(&mut self, around: Around) -> Vec<Stmt> {
        let mut inside = Vec::new();
        if self.chance(40) {
            return self.block(around);
        }
        self.try_stmt(around, &mut inside);
        if self.chance(30) {
            self.stmt(around, &mut inside);
        }
        inside
    }

    fn try_stmt(&mut self, around: Around, body: &mut Vec<Stmt>) {
        let inner = Around { depth: around.depth + 1, ..around };
        let mut inside = Vec::new();
        if self.chance(35) {
            inside = self.block(inner);
        } else {
            self.attempt(inner, &mut inside);
        }
        let mut handlers = Vec::new();
        for at in 0..1 + self.pick(5) / 4 {
            let types = if at == 0 { self.types() } else { vec![Class::Exception] };
            let name = if types.is_empty() { None } else { Some(ERRORS[inner.depth.min(7)]) };
            let body = self.handler(Around { handling: name, ..inner });
            handlers.push(Handler { types, name, body });
            if handlers[0].types.is_empty() {
                break;
            }
        }
        let otherwise = if self.chance(12) { self.block(inner) } else { Vec::new() };
        let finally = if self.chance(12) {
            let counter = self.one(&COUNTERS);
            vec![Stmt::Augment(counter, self.one(&['+', '-']), int(1))]
        } else {
            Vec::new()
        };
        body.push(Stmt::Try { body: inside, handlers, otherwise, finally });
    }

    fn handler(&mut self, around: Around) -> Vec<Stmt> {
        let mut body = Vec::new();
        if self.chance(30)
            && let Some(name) = around.handling
        {
            body.push(Stmt::Assign("last", var(name)));
        }
        match self.pick(9) {
            0 => body.push(self.exit(around)),
            1 | 2 => {
                let test = self.test(around);
                let exit = self.exit(around);
                body.push(Stmt::If(test, vec![exit], Vec::new()));
            }
            3 => {
                let seconds = self.seconds(around);
                body.push(Stmt::Sleep(seconds));
            }
            4 => {
                let seconds = self.seconds(around);
                let test = self.test(around);
                let exit = self.exit(around);
                body.push(Stmt::If(test, vec![exit], Vec::new()));
                body.push(Stmt::Sleep(seconds));
            }
            5 => {
                let counter = self.one(&COUNTERS);
                body.push(Stmt::Augment(counter, self.one(&['+', '-']), int(1)));
            }
            6 => {
                let counter = self.one(&COUNTERS);
                body.push(Stmt::Augment(counter, self.one(&['+', '-']), int(1)));
                let test = compare(self.one(&["<", "<=", ">", ">=", "=="]), var(counter), int(self.pick(4) as i64));
                let exit = self.exit(around);
                body.push(Stmt::If(test, vec![exit], Vec::new()));
            }
            7 if around.in_loop => body.push(Stmt::Continue),
            _ if around.depth < 4 => return self.block(around),
            _ => body.push(self.exit(around)),
        }
        body
    }

    fn exit(&mut self, around: Around) -> Stmt {
        match self.pick(8) {
            0 if around.handling.is_some() => Stmt::Raise(Raise::Again),
            1 if around.in_loop => Stmt::Break,
            2 if around.in_loop => Stmt::Continue,
            3 => match around.handling {
                Some(name) => {
                    Stmt::Raise(Raise::From(self.one(&[Class::Failed, Class::Worse, Class::ValueError]), name))
                }
                None => Stmt::Raise(Raise::New(Class::Failed)),
            },
            4 => Stmt::Return(Some(Expr::None)),
            5 => Stmt::Return(Some(Expr::Bool(false))),
            6 => Stmt::Raise(Raise::New(Class::ValueError)),
            _ if around.handling.is_some() => Stmt::Raise(Raise::Again),
            _ => Stmt::Return(None),
        }
    }

    fn seconds(&mut self, around: Around) -> Expr {
        match self.pick(4) {
            0 | 1 => int(self.pick(3) as i64),
            2 if around.loops > 0 => var(LOOPS[around.loops.min(3) - 1]),
            _ => int(1),
        }
    }

    fn types(&mut self) -> Vec<Class> {
        match self.pick(9) {
            0 | 1 => vec![Class::RequestException],
            2 => vec![Class::HttpError],
            3 => vec![Class::ConnectionError, Class::Timeout],
            4 => vec![Class::Failed],
            5 => Vec::new(),
            6 => vec![Class::HttpError, Class::Failed],
            _ => vec![Class::Exception],
        }
    }

    fn test(&mut self, around: Around) -> Expr {
        if self.coins && self.chance(30) {
            return Expr::Coin;
        }
        let name =
            if around.loops > 0 && self.chance(60) { LOOPS[around.loops.min(3) - 1] } else { self.one(&COUNTERS) };
        let op = self.one(&["<", "<=", ">", ">=", "==", "!="]);
        let n = self.pick(4) as i64;
        match self.pick(9) {
            0..=2 => compare(op, var(name), int(n)),
            3 => compare(op, plus(var(name), 1), int(n)),
            4 => var("done"),
            5 => Expr::Helper("decide", vec![var(name), int(n)]),
            6 => match around.handling {
                Some(error) => {
                    let test = Expr::ErrorStatus(error, self.one(&[">=", "<", "=="]), self.one(&[500, 429, 400]));
                    if self.chance(30) { Expr::Not(Box::new(test)) } else { test }
                }
                None => compare(op, var(name), Expr::Len("delays")),
            },
            7 => Expr::And(Box::new(compare(op, var(name), int(n))), Box::new(Expr::Not(Box::new(var("done"))))),
            _ => Expr::Not(Box::new(compare(op, var(name), int(n)))),
        }
    }
}
