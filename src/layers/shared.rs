//! A map that copies share until one of them changes: paths fork at every open test, and most of what they
//! know stays the same.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// A map, copied when written to.
#[derive(Clone, Debug)]
pub struct Shared<K, V>(Rc<FxHashMap<K, V>>);

impl<K, V> Default for Shared<K, V> {
    fn default() -> Self {
        Self(Rc::default())
    }
}

impl<K, V> Deref for Shared<K, V> {
    type Target = FxHashMap<K, V>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<K: Clone, V: Clone> DerefMut for Shared<K, V> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        Rc::make_mut(&mut self.0)
    }
}

impl<K: Eq + Hash, V: PartialEq> PartialEq for Shared<K, V> {
    /// The same map, or equal ones.
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}
