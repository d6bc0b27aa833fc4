//! Imports, exports and what modules hold.

use super::Frame;
use crate::ir::*;
use crate::link::component::CompKey;
use crate::link::modules::Resolved;
use crate::link::solver::Solver;
use crate::link::store::Addr;
use crate::link::symbols::Symbol;
use crate::link::token::*;

/// Star imports are followed at most so deep.
const STARS: usize = 8;

impl<'p> Solver<'p> {
    /// The component that runs a file's top-level code.
    pub fn module_component(&mut self, file: u32) -> Option<CompId> {
        let key = CompKey { func: FuncRef { file, id: MODULE }, parent: None, context: Box::default() };
        Some(self.component(key, 0))
    }

    /// The value of a resolved module.
    pub fn module_value(&mut self, resolved: Resolved) -> Value {
        match resolved {
            Resolved::File(file) => {
                // A test that other code imports runs too.
                self.module_component(file);
                Value::of(self.tokens.intern(Token::Module(file)))
            }
            Resolved::Folder(folder) => {
                let folder = self.symbols.intern(&folder);
                Value::of(self.tokens.intern(Token::Package(folder)))
            }
            Resolved::External(path) => self.external(&path),
        }
    }

    /// An import.
    pub fn import(&mut self, frame: &mut Frame<'p>, module: &ModulePath, imported: &Imported) -> Value {
        if frame.ir.language == Language::Rust {
            return match imported {
                Imported::Star => Value::empty(),
                _ => self.rust_import(frame, module),
            };
        }
        let resolved = self.modules.resolve(frame.ir, module);
        match imported {
            Imported::Module | Imported::Effect | Imported::Star => self.imported_module(frame, resolved),
            Imported::Top => {
                let text = frame.ir.name(module.path);
                let first = text.split('.').next().unwrap_or(text).to_string();
                if matches!(resolved, Resolved::External(_)) {
                    return self.external(&first);
                }
                let top = self.modules.resolve_text(frame.ir, &first);
                self.module_value(top)
            }
            Imported::Name(name) => {
                let name = self.symbol(frame.file, *name);
                let module = self.module_value(resolved);
                self.attribute(frame, &module, name, ExprId(u32::MAX))
            }
            Imported::Default => {
                let name = self.symbols.intern("default");
                let module = self.module_value(resolved);
                self.attribute(frame, &module, name, ExprId(u32::MAX))
            }
        }
    }

    fn imported_module(&mut self, frame: &mut Frame<'p>, resolved: Resolved) -> Value {
        let module = self.module_value(resolved);
        // CommonJS: what the module exports as a whole.
        let whole = self.symbols.intern("#whole");
        let mut result = Value::empty();
        for token in module.iter() {
            let exported = match self.tokens.get(token) {
                Token::Module(_) => self.store.read(Addr::Field(token, whole), frame.comp),
                _ => Value::empty(),
            };
            if exported.is_empty() {
                result.insert(token);
            } else {
                result.join(&exported);
            }
        }
        result
    }

    /// A module named by a text at run time.
    pub fn import_text(&mut self, frame: &mut Frame<'p>, text: Symbol) -> Value {
        let text = self.symbols.text(text).to_string();
        let resolved = self.modules.resolve_text(frame.ir, &text);
        self.module_value(resolved)
    }

    /// What a module holds under a name.
    pub fn module_attribute(&mut self, frame: &mut Frame<'p>, file: u32, name: Symbol) -> Value {
        self.module_attribute_at(frame, file, name, 0)
    }

    fn module_attribute_at(&mut self, frame: &mut Frame<'p>, file: u32, name: Symbol, depth: usize) -> Value {
        let token = self.tokens.intern(Token::Module(file));
        let mut value = self.store.read(Addr::Field(token, name), frame.comp);
        let ir: &'p File = &self.files[file as usize];
        if ir.language == Language::JavaScript {
            return self.exported(frame, file, name, value, depth);
        }
        let var = self.index[file as usize].scopes.get(&MODULE).and_then(|s| s.get(&name).copied());
        if let Some(var) = var {
            if let Some(module) = self.module_component(file) {
                value.join(&self.store.read(Addr::Var(module, var), frame.comp));
            }
            if value.iter().any(|t| t != Tok::UNKNOWN) {
                return value;
            }
        }
        if value.is_empty() && depth < STARS {
            let stars: Vec<ModulePath> =
                self.index[file as usize].star_imports.iter().map(|(_, path)| path.clone()).collect();
            for star in stars {
                if let Resolved::File(other) = self.modules.resolve(ir, &star)
                    && other != file
                    && self.is_exported(other, name)
                {
                    value.join(&self.module_attribute_at(frame, other, name, depth + 1));
                }
            }
        }
        let useful = value.iter().any(|t| t != Tok::UNKNOWN);
        if !useful {
            let text = self.symbols.text(name).to_string();
            if let Some(resolved) = self.modules.submodule(ir.language, &ir.path, &text) {
                return self.module_value(resolved);
            }
        }
        if value.is_empty() && var.is_none() && depth == 0 {
            value = self.dynamic_module_attribute(frame, file, name);
        }
        if !value.is_empty() {
            return value;
        }
        if var.is_some() { self.not_found() } else { Value::unknown() }
    }

    /// A module's `__getattr__`.
    fn dynamic_module_attribute(&mut self, frame: &mut Frame<'p>, file: u32, name: Symbol) -> Value {
        let Some(getattr) = self.symbols.find("__getattr__").filter(|&g| g != name) else { return Value::empty() };
        let var = self.index[file as usize].scopes.get(&MODULE).and_then(|s| s.get(&getattr).copied());
        let (Some(var), Some(module)) = (var, self.module_component(file)) else { return Value::empty() };
        let callees = self.store.read(Addr::Var(module, var), frame.comp);
        let args =
            super::Args { positional: vec![Value::of(self.tokens.intern(Token::Str(name)))], ..Default::default() };
        let mut value = Value::empty();
        for callee in callees.iter() {
            let via = crate::link::component::Via::Implicit;
            value.join(&self.call_token(frame, callee, &args, ExprId(u32::MAX), via));
        }
        value
    }

    /// Whether a star import brings a name in.
    fn is_exported(&self, file: u32, name: Symbol) -> bool {
        match &self.files[file as usize].export_list {
            Some(list) => list.iter().any(|&n| self.symbol(file, n) == name),
            None => !self.symbols.text(name).starts_with('_'),
        }
    }

    fn exported(&mut self, frame: &mut Frame<'p>, file: u32, name: Symbol, value: Value, depth: usize) -> Value {
        if !value.is_empty() {
            return value;
        }
        let token = self.tokens.intern(Token::Module(file));
        let whole = self.symbols.intern("#whole");
        let exported = self.store.read(Addr::Field(token, whole), frame.comp);
        if !exported.is_empty() {
            if self.symbols.text(name) == "default" {
                return exported;
            }
            return self.attribute(frame, &exported, name, ExprId(u32::MAX));
        }
        if self.symbols.text(name) == "default"
            && self.files[file as usize].language == Language::JavaScript
            && !self.index[file as usize].script.has_default
        {
            // A CommonJS module is its own default export.
            return Value::of(token);
        }
        let mut result = Value::empty();
        if depth < STARS && self.symbols.text(name) != "default" {
            for other in self.star_modules(file).iter().copied() {
                match *self.tokens.get(other) {
                    Token::Module(other) => {
                        result.join(&self.module_attribute_at(frame, other, name, depth + 1));
                    }
                    Token::External(_) => {
                        let value = self.attribute(frame, &Value::of(other), name, ExprId(u32::MAX));
                        result.join(&value);
                    }
                    _ => {}
                }
            }
        }
        result
    }

    /// The modules whose exports a file exports again.
    fn star_modules(&mut self, file: u32) -> std::sync::Arc<[Tok]> {
        if let Some(known) = self.star_modules.get(&file) {
            return known.clone();
        }
        let ir: &'p File = &self.files[file as usize];
        let paths: Vec<ModulePath> = self.index[file as usize].star_exports.clone();
        let mut found = Vec::with_capacity(paths.len());
        for path in &paths {
            let resolved = self.modules.resolve(ir, path);
            found.extend(self.module_value(resolved).single());
        }
        let found: std::sync::Arc<[Tok]> = found.into();
        self.star_modules.insert(file, found.clone());
        found
    }

    /// An export (JavaScript).
    pub fn export(&mut self, frame: &mut Frame<'p>, export: &Export) {
        let module = self.tokens.intern(Token::Module(frame.file));
        match export {
            Export::Name(name, e) => {
                let value = self.eval(frame, *e);
                let name = self.symbol(frame.file, *name);
                self.write(Addr::Field(module, name), &value);
            }
            Export::Default(e) => {
                let value = self.eval(frame, *e);
                let name = self.symbols.intern("default");
                self.write(Addr::Field(module, name), &value);
            }
            Export::Whole(e) => {
                let value = self.eval(frame, *e);
                let name = self.symbols.intern("#whole");
                self.write(Addr::Field(module, name), &value);
            }
            Export::From(name, path, imported) => {
                let value = self.import(frame, path, imported);
                let name = self.symbol(frame.file, *name);
                self.write(Addr::Field(module, name), &value);
            }
            // Looked through where a name is asked for.
            Export::Star(_) => {}
        }
    }

    /// A name that a star import of this file may bring in.
    pub fn star_imported(&mut self, frame: &mut Frame<'p>, name: Symbol) -> Value {
        if self.index[frame.file as usize].star_imports.is_empty() {
            return Value::empty();
        }
        let stars: Vec<ModulePath> =
            self.index[frame.file as usize].star_imports.iter().map(|(_, path)| path.clone()).collect();
        let mut result = Value::empty();
        for star in stars {
            match self.modules.resolve(frame.ir, &star) {
                Resolved::File(file) if file != frame.file && self.is_exported(file, name) => {
                    let value = self.module_attribute(frame, file, name);
                    result.join(&value.filter(|t| t != Tok::UNKNOWN));
                }
                // Which names a library hands out is known of those that the catalogue describes.
                Resolved::External(library) => {
                    let path = format!("{library}.{}", self.symbols.text(name));
                    if self.catalogue.describes(&path) {
                        let symbol = self.symbols.intern(&path);
                        result.join(&Value::of(self.tokens.intern(Token::External(symbol))));
                    }
                }
                _ => {}
            }
        }
        result
    }
}
