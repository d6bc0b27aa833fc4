//! Runs a program for real: every request fails (or succeeds), requests are counted, time passes when it
//! sleeps. The number that comes out is right by definition.

use super::program::*;
use std::collections::HashMap;
use std::rc::Rc;

/// How a request ends, every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    Answers(i64),
    NotReached,
    TimesOut,
}

/// What a run did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    pub requests: u64,
    /// It was stopped while it sent one after another: it goes on for ever, as far as anybody can see.
    pub unbounded: bool,
    /// It reads a variable that has no value: no program anybody would keep.
    pub broken: bool,
}

/// More requests than any of the programs can make that end.
const REQUESTS: u64 = 1_200;
const STEPS: u64 = 60_000;
/// Deeper than any recursion that ends.
const DEPTH: usize = 150;

#[derive(Clone, Debug)]
enum Value {
    None,
    Bool(bool),
    Int(i64),
    List(Rc<Vec<i64>>),
    Answer(i64),
    Error(Class, Option<i64>),
}

enum Way {
    On,
    Break,
    Continue,
    Return(Value),
    Raise(Class, Option<i64>),
    Stop,
    Broken,
}

enum Halt {
    Raise(Class, Option<i64>),
    Stop,
    Broken,
}

type Result<T> = std::result::Result<T, Halt>;

struct Run<'p> {
    program: &'p Program,
    world: World,
    clock: i64,
    requests: u64,
    steps: u64,
    depth: usize,
    deepest: usize,
    /// What nobody knows: decided in advance, then by the rule.
    choices: Vec<bool>,
    made: usize,
    rule: fn(usize) -> bool,
}

type Env = HashMap<&'static str, Value>;

/// Runs the program for every choice it can make. None: too many to try.
pub fn worst(program: &Program, world: World) -> Option<Ran> {
    let mut worst = Ran { requests: 0, unbounded: false, broken: false };
    let take = |worst: &mut Ran, ran: Ran| {
        worst.requests = worst.requests.max(ran.requests);
        worst.unbounded |= ran.unbounded;
        worst.broken |= ran.broken;
    };
    // Runs that never end, if there are any, are found by always deciding alike.
    for rule in [|_| true, |_| false, |i| i % 2 == 0, |i| i % 2 == 1] as [fn(usize) -> bool; 4] {
        let (ran, choices) = once(program, world, Vec::new(), rule);
        take(&mut worst, ran);
        if worst.broken {
            return None;
        }
        if worst.unbounded || choices.is_empty() {
            return Some(worst);
        }
    }
    let mut choices: Vec<bool> = Vec::new();
    for _ in 0..600 {
        let (ran, made) = once(program, world, choices, |_| true);
        take(&mut worst, ran);
        if worst.broken {
            return None;
        }
        if worst.unbounded {
            return Some(worst);
        }
        choices = made;
        while choices.last() == Some(&false) {
            choices.pop();
        }
        match choices.last_mut() {
            Some(last) => *last = false,
            None => return Some(worst),
        }
    }
    None
}

fn once(program: &Program, world: World, choices: Vec<bool>, rule: fn(usize) -> bool) -> (Ran, Vec<bool>) {
    let mut run = Run { program, world, clock: 0, requests: 0, steps: 0, depth: 0, deepest: 0, choices, made: 0, rule };
    let start = program.functions.len() - 1;
    let end = run.call(start, Vec::new());
    let (stopped, broken) = (matches!(end, Err(Halt::Stop)), matches!(end, Err(Halt::Broken)));
    run.choices.truncate(run.made);
    let unbounded = stopped && (run.requests > REQUESTS || run.deepest > DEPTH && run.requests as usize >= DEPTH - 20);
    (Ran { requests: run.requests, unbounded, broken }, run.choices)
}

impl Run<'_> {
    fn call(&mut self, function: usize, args: Vec<Value>) -> Result<Value> {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        if self.depth > DEPTH {
            return Err(Halt::Stop);
        }
        let function = &self.program.functions[function];
        let mut env: Env = HashMap::new();
        for (i, (name, default)) in function.params.iter().enumerate() {
            env.insert(name, args.get(i).cloned().unwrap_or(Value::Int(*default)));
        }
        let way = self.block(&function.body, &mut env, None);
        self.depth -= 1;
        match way {
            Way::Return(value) => Ok(value),
            Way::Raise(class, status) => Err(Halt::Raise(class, status)),
            Way::Stop => Err(Halt::Stop),
            Way::On => Ok(Value::None),
            // A `break` outside of a loop is no program either.
            Way::Broken | Way::Break | Way::Continue => Err(Halt::Broken),
        }
    }

    fn named(&mut self, name: &str, args: &[Expr], env: &Env) -> Result<Value> {
        let function = self.program.functions.iter().position(|f| f.name == name).unwrap();
        let mut values = Vec::new();
        for arg in args {
            values.push(self.eval(arg, env)?);
        }
        self.call(function, values)
    }

    fn request(&mut self) -> Result<i64> {
        self.requests += 1;
        if self.requests > REQUESTS {
            return Err(Halt::Stop);
        }
        match self.world {
            World::Answers(status) => Ok(status),
            World::NotReached => Err(Halt::Raise(Class::ConnectionError, None)),
            World::TimesOut => Err(Halt::Raise(Class::ReadTimeout, None)),
        }
    }

    fn block(&mut self, body: &[Stmt], env: &mut Env, handled: Option<(Class, Option<i64>)>) -> Way {
        for stmt in body {
            self.steps += 1;
            if self.steps > STEPS {
                return Way::Stop;
            }
            match self.stmt(stmt, env, handled) {
                Ok(Way::On) => {}
                Ok(way) => return way,
                Err(Halt::Raise(class, status)) => return Way::Raise(class, status),
                Err(Halt::Stop) => return Way::Stop,
                Err(Halt::Broken) => return Way::Broken,
            }
        }
        Way::On
    }

    fn stmt(&mut self, stmt: &Stmt, env: &mut Env, handled: Option<(Class, Option<i64>)>) -> Result<Way> {
        match stmt {
            Stmt::Send => {
                let status = self.request()?;
                check(status)?;
            }
            Stmt::Answer(name) => {
                let status = self.request()?;
                env.insert(name, Value::Answer(status));
            }
            Stmt::ReturnAnswer => return Ok(Way::Return(Value::Answer(self.request()?))),
            Stmt::Check(name) => match env.get(name) {
                Some(Value::Answer(status)) => check(*status)?,
                Some(_) => return Err(Halt::Raise(Class::AttributeError, None)),
                None => return Err(Halt::Broken),
            },
            Stmt::Call(to, name, args) => {
                let value = self.named(name, args, env)?;
                if let Some(to) = to {
                    env.insert(to, value);
                }
            }
            Stmt::ReturnCall(name, args) => return Ok(Way::Return(self.named(name, args, env)?)),
            Stmt::Assign(name, value) => {
                let value = self.eval(value, env)?;
                env.insert(name, value);
            }
            Stmt::Augment(name, op, value) => {
                let right = self.int(value, env)?;
                let left = self.int(&Expr::Var(name), env)?;
                env.insert(name, Value::Int(arithmetic(*op, left, right)));
            }
            Stmt::If(test, then, otherwise) => {
                let branch = if self.test(test, env)? { then } else { otherwise };
                return Ok(self.block(branch, env, handled));
            }
            Stmt::While(test, body, otherwise) => loop {
                self.steps += 1;
                if self.steps > STEPS {
                    return Err(Halt::Stop);
                }
                if !self.test(test, env)? {
                    return Ok(self.block(otherwise, env, handled));
                }
                match self.block(body, env, handled) {
                    Way::On | Way::Continue => {}
                    Way::Break => return Ok(Way::On),
                    way => return Ok(way),
                }
            },
            Stmt::For(name, iter, body, otherwise) => {
                for (value, delay) in self.items(iter, env)? {
                    env.insert(name, Value::Int(value));
                    if let Some(delay) = delay {
                        env.insert("delay", Value::Int(delay));
                    }
                    match self.block(body, env, handled) {
                        Way::On | Way::Continue => {}
                        Way::Break => return Ok(Way::On),
                        way => return Ok(way),
                    }
                }
                return Ok(self.block(otherwise, env, handled));
            }
            Stmt::Try { body, handlers, otherwise, finally } => {
                let way = self.block(body, env, handled);
                let way = match way {
                    Way::On if !handlers.is_empty() => self.block(otherwise, env, handled),
                    Way::Raise(class, status) => self.handle(class, status, handlers, env),
                    way => way,
                };
                if matches!(way, Way::Stop | Way::Broken) {
                    return Ok(way);
                }
                return Ok(match self.block(finally, env, handled) {
                    Way::On => way,
                    other => other,
                });
            }
            Stmt::Raise(raise) => {
                return Ok(match raise {
                    Raise::Again => match handled {
                        Some((class, status)) => Way::Raise(class, status),
                        None => Way::Raise(Class::TypeError, None),
                    },
                    Raise::New(class) | Raise::From(class, _) => Way::Raise(*class, None),
                    Raise::Var(name) => match env.get(name) {
                        Some(Value::Error(class, status)) => Way::Raise(*class, *status),
                        None => Way::Broken,
                        _ => Way::Raise(Class::TypeError, None),
                    },
                });
            }
            Stmt::Break => return Ok(Way::Break),
            Stmt::Continue => return Ok(Way::Continue),
            Stmt::Return(None) => return Ok(Way::Return(Value::None)),
            Stmt::Return(Some(value)) => return Ok(Way::Return(self.eval(value, env)?)),
            Stmt::Sleep(value) => self.clock += self.int(value, env)?,
        }
        Ok(Way::On)
    }

    fn handle(&mut self, class: Class, status: Option<i64>, handlers: &[Handler], env: &mut Env) -> Way {
        let fits = |h: &&Handler| h.types.is_empty() || h.types.iter().any(|t| class.is_a(*t));
        let Some(handler) = handlers.iter().find(fits) else { return Way::Raise(class, status) };
        if let Some(name) = handler.name {
            env.insert(name, Value::Error(class, status));
        }
        self.block(&handler.body, env, Some((class, status)))
    }

    fn items(&mut self, iter: &Iter, env: &Env) -> Result<Vec<(i64, Option<i64>)>> {
        Ok(match iter {
            Iter::Range(args) => {
                let mut numbers = Vec::new();
                for arg in args {
                    numbers.push(self.int(arg, env)?);
                }
                let (from, to, step) = match numbers[..] {
                    [to] => (0, to, 1),
                    [from, to] => (from, to, 1),
                    [from, to, step] => (from, to, step),
                    _ => unreachable!(),
                };
                let mut at = from;
                let mut list = Vec::new();
                while if step > 0 { at < to } else { at > to } {
                    list.push((at, None));
                    at += step;
                }
                list
            }
            Iter::List(over) => self.list(over, env)?.iter().map(|x| (*x, None)).collect(),
            Iter::Enumerate(over, start) => {
                self.list(over, env)?.iter().enumerate().map(|(i, x)| (start + i as i64, Some(*x))).collect()
            }
        })
    }

    fn list(&mut self, e: &Expr, env: &Env) -> Result<Rc<Vec<i64>>> {
        match self.eval(e, env)? {
            Value::List(list) => Ok(list),
            _ => Err(Halt::Raise(Class::TypeError, None)),
        }
    }

    fn int(&mut self, e: &Expr, env: &Env) -> Result<i64> {
        match self.eval(e, env)? {
            Value::Int(n) => Ok(n),
            Value::Bool(b) => Ok(i64::from(b)),
            _ => Err(Halt::Raise(Class::TypeError, None)),
        }
    }

    fn test(&mut self, e: &Expr, env: &Env) -> Result<bool> {
        Ok(truth(&self.eval(e, env)?))
    }

    fn eval(&mut self, e: &Expr, env: &Env) -> Result<Value> {
        Ok(match e {
            Expr::Int(n) => Value::Int(*n),
            Expr::Bool(b) => Value::Bool(*b),
            Expr::None => Value::None,
            Expr::Var(name) => env.get(name).cloned().ok_or(Halt::Broken)?,
            Expr::List(items) => Value::List(Rc::new(items.clone())),
            Expr::Len(name) => match env.get(name) {
                Some(Value::List(list)) => Value::Int(list.len() as i64),
                Some(_) => return Err(Halt::Raise(Class::TypeError, None)),
                None => return Err(Halt::Broken),
            },
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.int(a, env)?, self.int(b, env)?);
                Value::Int(arithmetic(*op, a, b))
            }
            Expr::Compare(op, a, b) => {
                let (a, b) = (self.int(a, env)?, self.int(b, env)?);
                Value::Bool(compare(op, a, b))
            }
            Expr::Not(a) => Value::Bool(!self.test(a, env)?),
            Expr::And(a, b) => {
                let left = self.eval(a, env)?;
                if truth(&left) { self.eval(b, env)? } else { left }
            }
            Expr::Or(a, b) => {
                let left = self.eval(a, env)?;
                if truth(&left) { left } else { self.eval(b, env)? }
            }
            Expr::IsNone(name) => Value::Bool(matches!(env.get(name).ok_or(Halt::Broken)?, Value::None)),
            Expr::Status(name) => match env.get(name) {
                Some(Value::Answer(status)) => Value::Int(*status),
                Some(_) => return Err(Halt::Raise(Class::AttributeError, None)),
                None => return Err(Halt::Broken),
            },
            Expr::Ok(name) => match env.get(name) {
                Some(Value::Answer(status)) => Value::Bool(*status < 400),
                Some(_) => return Err(Halt::Raise(Class::AttributeError, None)),
                None => return Err(Halt::Broken),
            },
            Expr::ErrorStatus(name, op, number) => match env.get(name) {
                Some(Value::Error(_, Some(status))) => Value::Bool(compare(op, *status, *number)),
                Some(Value::Error(class, None)) if class.is_a(Class::RequestException) => Value::Bool(false),
                Some(_) => return Err(Halt::Raise(Class::AttributeError, None)),
                None => return Err(Halt::Broken),
            },
            Expr::Coin => {
                if self.made == self.choices.len() {
                    self.choices.push((self.rule)(self.made));
                }
                self.made += 1;
                Value::Bool(self.choices[self.made - 1])
            }
            Expr::Now => Value::Int(self.clock),
            Expr::Helper(name, args) => self.named(name, args, env)?,
        })
    }
}

fn check(status: i64) -> Result<()> {
    if status >= 400 { Err(Halt::Raise(Class::HttpError, Some(status))) } else { Ok(()) }
}

fn truth(value: &Value) -> bool {
    match value {
        Value::None => false,
        Value::Bool(b) => *b,
        Value::Int(n) => *n != 0,
        Value::List(list) => !list.is_empty(),
        Value::Answer(status) => *status < 400,
        Value::Error(..) => true,
    }
}

fn arithmetic(op: char, a: i64, b: i64) -> i64 {
    match op {
        '+' => a.saturating_add(b),
        '-' => a.saturating_sub(b),
        _ => a.saturating_mul(b),
    }
}

fn compare(op: &str, a: i64, b: i64) -> bool {
    match op {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "==" => a == b,
        _ => a != b,
    }
}
