//! Abstract execution held against real execution: thousands of random small programs are run in a world in
//! which requests fail for ever, and squall must count what was counted there.

mod compare;
mod concrete;
mod generate;
mod program;
mod python;
mod regressions;
mod shrink;

use program::Program;
use proptest::prelude::*;

/// Runs on a thread whose stack is big enough for the interpreter.
fn on_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(256 << 20).spawn(work).unwrap().join().unwrap()
}

/// The programs that squall gets wrong, made small, with what happens and what it says.
fn wrong(programs: Vec<Program>) -> Vec<String> {
    on_stack(move || {
        let texts: Vec<String> = programs.iter().map(Program::text).collect();
        let said = compare::said(&texts);
        let mut wrong = Vec::new();
        for (program, said) in programs.into_iter().zip(said) {
            if let Some(expected) = compare::expected(&program)
                && !compare::agrees(&program, &expected, &said)
            {
                let small = compare::shrunk(program);
                let text = small.text();
                let (expected, said) = (compare::expected(&small), compare::said(&[text.clone()]));
                wrong.push(format!("{text}\nhappens: {expected:?}\nsaid:    {:?}", said[0]));
            }
        }
        wrong
    })
}

fn cases() -> u32 {
    std::env::var("SQUALL_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(3_000)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases() / 24,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_counted_is_what_happens(bytes in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..160), 24)) {
        let programs: Vec<Program> = bytes.iter().map(|b| generate::program(b)).collect();
        let wrong = wrong(programs);
        prop_assert!(wrong.is_empty(), "{}", wrong.join("\n\n======\n"));
    }
}

/// Looks for disagreements and prints all of them: `SQUALL_PROGRAMS=20000 cargo test --test execution -- --ignored hunt`.
#[test]
#[ignore = "a tool: prints every disagreement it finds"]
fn hunt() {
    let mut state = std::env::var("SQUALL_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as u32
    };
    let (mut tried, mut held, mut found) = (0, 0, 0);
    while tried < cases() {
        let programs: Vec<Program> = (0..48)
            .map(|_| {
                let length = 20 + random() as usize % 140;
                generate::program(&(0..length).map(|_| random() as u8).collect::<Vec<u8>>())
            })
            .collect();
        tried += 48;
        held += programs.iter().filter(|p| compare::expected(p).is_some()).count();
        for text in wrong(programs) {
            found += 1;
            println!("====== {found}\n{text}\n");
        }
        if found > 30 {
            break;
        }
    }
    println!("{tried} programs, {held} held against squall, {found} wrong");
}
