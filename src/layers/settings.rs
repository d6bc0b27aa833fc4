//! Settings that a program makes for a whole library: those that hold where a call stands.

use super::formula::{Maybe, Scope};
use super::machine::Machine;
use crate::link::store::Addr;
use crate::link::token::{Tok, Value};

impl<'p> Machine<'p, '_, '_> {
    /// What is set around a call: by its own package of the workspace, else by the packages that it loads, else by
    /// those that load it. Others are other programs.
    pub(super) fn set_around(&self, tok: Tok, name: &str, scope: &Scope<'p>) -> Maybe {
        let solver = self.view.solver;
        let symbol = solver.symbols.find(name)?;
        let members = &solver.modules.members;
        let by = |member: &u32| {
            let calls = solver.store.get(Addr::SetBy(tok, symbol, *member)).is_some_and(|calls| !calls.is_empty());
            calls || solver.store.get(Addr::Set(tok, symbol, *member)).is_some()
        };
        let setting: Vec<u32> = members.all().filter(by).collect();
        let own = self.asking(scope).map(|comp| members.of(self.view.func(comp).file));
        let (Some(own), false) = (own, setting.is_empty()) else { return self.written(tok, name) };
        let near = if setting.contains(&own) {
            vec![own]
        } else {
            let loaded = |from: u32| members.loaded_by(solver.modules, solver.files, from);
            let below = loaded(own);
            let below: Vec<u32> = setting.iter().copied().filter(|m| below.contains(m)).collect();
            let above = || setting.iter().copied().filter(|&m| loaded(m).contains(&own)).collect();
            if below.is_empty() { above() } else { below }
        };
        let mut value = Value::empty();
        for member in near {
            value.join(solver.store.get(Addr::Set(tok, symbol, member)).unwrap_or(&Value::empty()));
        }
        (!value.is_empty()).then(|| self.view.val(&value))
    }
}
