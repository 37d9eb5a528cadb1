//! Types and paths in a body: those that the machine cannot have are refused where their name alone shows it, the rest is rustc's to judge.

use syn::visit::{self, Visit};
use syn::{Path, PathArguments, Type};

use super::Lowering;
use crate::report::Report;

impl Lowering<'_> {
    /// Refuses types inside a type that the machine cannot have.
    pub(super) fn check_type(&mut self, ty: &Type) {
        check_type(ty, self.report);
    }

    /// The same for the arguments of a path.
    pub(super) fn check_path(&mut self, path: &Path) {
        for segment in &path.segments {
            if let PathArguments::AngleBracketed(arguments) = &segment.arguments {
                Check { report: self.report }.visit_angle_bracketed_generic_arguments(arguments);
            }
        }
    }
}

/// Refuses types inside a type that the machine cannot have.
pub fn check_type(ty: &Type, report: &mut Report) {
    Check { report }.visit_type(ty);
}

struct Check<'r> {
    report: &'r mut Report,
}

const FOREIGN: [&str; 15] = [
    "str", "String", "Vec", "VecDeque", "Box", "Rc", "Arc", "HashMap", "HashSet", "BTreeMap", "BTreeSet", "Cell",
    "RefCell", "Mutex", "RwLock",
];

impl<'ast> Visit<'ast> for Check<'_> {
    fn visit_type(&mut self, ty: &'ast Type) {
        match ty {
            Type::Ptr(node) => self.report.raw_pointer(node),
            Type::FnPtr(node) => self.report.function_pointer(node),
            Type::TraitObject(node) => self.report.dyn_trait(node),
            Type::ImplTrait(node) => self.report.impl_trait(node),
            Type::Path(node) if node.qself.is_none() => {
                let name = node
                    .path
                    .segments
                    .last()
                    .map(|last| last.ident.to_string())
                    .unwrap_or_default();
                if FOREIGN.contains(&name.as_str()) {
                    self.report.foreign_type(&node.path, &name);
                } else {
                    visit::visit_type(self, ty);
                }
            }
            _ => visit::visit_type(self, ty),
        }
    }

    // Lengths of arrays are constants of rustc's.
    fn visit_expr(&mut self, _: &'ast syn::Expr) {}
}
