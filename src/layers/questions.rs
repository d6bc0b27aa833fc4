//! What code asks of a failure's words and nobody can answer: whatever the answer is, the same failure gives it again.

use super::machine::Machine;
use super::state::State;
use super::val::{Val, Whole};
use crate::link::token::Tok;
use std::rc::Rc;

/// Where a path keeps what it took for an answer.
const ANSWERS: Tok = Tok(u32::MAX - 1);
/// So many questions are told apart on a path.
const MOST: usize = 2;
/// Stands between what is asked and how.
const ASKED: char = '?';

/// The question that a test of a text is, if it is put to a part of the failure: `error.name.includes("Api")`.
pub fn asked(on: &Val, name: &str, args: &[Val]) -> Option<Val> {
    let (Val::Part(whole, path), [Val::Text(text)]) = (on, args) else { return None };
    let Whole::Error(error) = &**whole else { return None };
    let tests = matches!(name, "includes" | "startsWith" | "endsWith" | "startswith" | "endswith" | "starts_with");
    (error.injected && tests && !path.contains(ASKED))
        .then(|| Val::Part(whole.clone(), Rc::from(format!("{path}{ASKED}{name} {text}"))))
}

/// Whether a value is such a question.
pub fn is_question(value: &Val) -> bool {
    matches!(value, Val::Part(_, path) if path.contains(ASKED))
}

impl Machine<'_, '_, '_> {
    /// The paths of a test: one for each answer, and one where the path has it already.
    pub(super) fn answered(&mut self, state: State, value: Val) -> Vec<(State, Val)> {
        let Val::Part(_, question) = &value else { return vec![(state, value)] };
        if !is_question(&value) {
            return vec![(state, value)];
        }
        let key = (ANSWERS, question.clone());
        if let Some(answer) = state.heap.get(&key) {
            let answer = answer.clone();
            return vec![(state, answer)];
        }
        let known = state.heap.keys().filter(|(of, name)| *of == ANSWERS && name.contains(ASKED)).count();
        if known >= MOST {
            return vec![(state, value)];
        }
        let with = |answer: bool| {
            let mut state = state.clone();
            state.heap.insert(key.clone(), Val::Bool(answer));
            (state, Val::Bool(answer))
        };
        vec![with(true), with(false)]
    }
}
