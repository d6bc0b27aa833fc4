//! What happened on a path, as a list that branches share: a path is copied at every fork, and a loop of a
//! thousand turns must not copy a thousand entries each time.

use super::state::Happening;
use crate::ir::ExprId;
use crate::link::token::CompId;
use std::rc::Rc;

struct Node {
    item: Happening,
    before: Option<Rc<Node>>,
}

/// A shared list, newest last.
#[derive(Clone, Default)]
pub struct Trace {
    last: Option<Rc<Node>>,
    calls: usize,
    first: Option<(CompId, ExprId)>,
    length: usize,
}

impl Trace {
    /// Adds what happened.
    pub fn push(&mut self, item: Happening) {
        self.length += 1;
        if let Happening::Call { site, .. } = item {
            self.calls += 1;
            self.first.get_or_insert(site);
        }
        self.last = Some(Rc::new(Node { item, before: self.last.take() }));
    }

    /// How often the failing call was executed.
    pub fn calls(&self) -> usize {
        self.calls
    }

    /// Where the failing call was executed first.
    pub fn first(&self) -> Option<(CompId, ExprId)> {
        self.first
    }

    /// How much happened.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Everything, newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &Happening> {
        std::iter::successors(self.last.as_deref(), |node| node.before.as_deref()).map(|node| &node.item)
    }

    /// Everything, oldest first.
    pub fn to_vec(&self) -> Vec<Happening> {
        let mut list: Vec<Happening> = self.newest_first().cloned().collect();
        list.reverse();
        list
    }
}

impl Drop for Trace {
    /// Entries that nobody shares are dropped one after the other, not one inside the other.
    fn drop(&mut self) {
        let mut at = self.last.take();
        while let Some(node) = at {
            match Rc::try_unwrap(node) {
                Ok(mut node) => at = node.before.take(),
                Err(_) => break,
            }
        }
    }
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_list().entries(self.to_vec()).finish()
    }
}
