//! The interpreter of the tests held against Python itself, where there is one.

use super::compare::WORLDS;
use super::concrete::{self, World};
use super::{generate, on_stack};
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs programs from standard input with packages of its own making; prints requests, or -1 for no end.
const DRIVER: &str = r#"
import sys, types, json
requests = types.ModuleType("requests")
class RequestException(Exception):
    def __init__(self, *a, response=None):
        super().__init__(*a); self.response = response
class HTTPError(RequestException): pass
class ConnectionError(RequestException): pass
class Timeout(RequestException): pass
class ReadTimeout(Timeout): pass
class Stop(BaseException): pass
for c in (RequestException, HTTPError, ConnectionError, Timeout, ReadTimeout): setattr(requests, c.__name__, c)
state = types.SimpleNamespace()
def tick(frame, event, arg):
    state.steps += 1
    if state.steps > 80000: raise Stop()
    return tick
class Response:
    def __init__(self, status): self.status_code = status; self.ok = status < 400
    def __bool__(self): return self.ok
    def raise_for_status(self):
        if not self.ok: raise HTTPError("status", response=self)
def get(url):
    state.requests += 1
    if state.requests > 1200: state.endless = True; raise Stop()
    if state.world == "connect": raise ConnectionError()
    if state.world == "timeout": raise ReadTimeout()
    return Response(int(state.world))
requests.get = get
world = types.ModuleType("world"); world.coin = lambda: True
time = types.ModuleType("time"); time.monotonic = lambda: state.clock
def sleep(n): state.clock += n
time.sleep = sleep
sys.modules.update(requests=requests, world=world, time=time)
sys.setrecursionlimit(100000)
import threading
threading.stack_size(512 << 20)
def main():
    for job in json.load(sys.stdin):
        state.requests = 0; state.clock = 0; state.world = job["world"]; state.endless = False; state.steps = 0
        scope = {}
        try:
            exec(job["text"], scope)
            sys.settrace(tick)
            scope["work"]()
        except Stop: pass
        except Exception: pass
        finally: sys.settrace(None)
        print(-1 if state.endless else state.requests)
t = threading.Thread(target=main); t.start(); t.join()
"#;

#[test]
#[allow(clippy::print_stderr)]
fn the_interpreter_does_what_python_does() {
    let mut state = 7u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u32
    };
    let mut jobs = Vec::new();
    let mut programs = Vec::new();
    while programs.len() < 600 {
        let bytes: Vec<u8> = (0..120).map(|_| random() as u8).collect();
        let program = generate::program(&bytes);
        // What stops a program that does not end would be caught by a bare `except`.
        if program.text().contains("coin())")
            || program.text().contains("coin():")
            || program.text().contains("except:")
        {
            continue;
        }
        let (_, world) = WORLDS[programs.len() % WORLDS.len()];
        let name = match world {
            World::Answers(status) => status.to_string(),
            World::NotReached => "connect".into(),
            World::TimesOut => "timeout".into(),
        };
        jobs.push(serde_json::json!({ "text": program.text(), "world": name }));
        programs.push((program, world));
    }
    let started = Command::new("python3").args(["-c", DRIVER]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = started else {
        eprintln!("skipped: there is no python3 here to hold the interpreter against");
        return;
    };
    let input = serde_json::to_string(&jobs).unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<i64> = said.lines().map(|l| l.parse().unwrap()).collect();
    assert_eq!(lines.len(), programs.len());
    let wrong = on_stack(move || {
        let mut wrong = Vec::new();
        for ((program, world), python) in programs.into_iter().zip(lines) {
            let Some(ran) = concrete::worst(&program, world) else { continue };
            let same = if ran.unbounded { python == -1 || python > 140 } else { python == ran.requests as i64 };
            if !same {
                wrong.push(format!("{}\n{world:?}: Python {python}, here {ran:?}", program.text()));
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "{} wrong, the first:\n{}", wrong.len(), wrong[0]);
}
