//! Types and paths in a body: those that the machine cannot have are refused where their name alone shows it, the rest is rustc's to judge.

use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Path, PathArguments, Type};

use super::Lowering;
use crate::file::{has_own, tells};
use crate::report::Report;

impl Lowering<'_> {
    /// Refuses types inside a type that the machine cannot have.
    pub(super) fn check_type(&mut self, ty: &mut Type) {
        check_type(ty, self.report);
    }

    /// The same for the arguments of a path.
    pub(super) fn check_path(&mut self, path: &Path) {
        for segment in &path.segments {
            if let PathArguments::AngleBracketed(arguments) = &segment.arguments {
                Check { report: self.report }.visit_angle_bracketed_generic_arguments_mut(&mut arguments.clone());
            }
        }
    }
}

/// Refuses types inside a type that the machine cannot have. What has the name of one of std's that keep things elsewhere may be the user's own, so
/// rustc is asked.
pub fn check_type(ty: &mut Type, report: &mut Report) {
    Check { report }.visit_type_mut(ty);
}

struct Check<'r> {
    report: &'r mut Report,
}

/// Types of std that have a heap or a system behind them. A user's type may have such a name.
const ELSEWHERE: [&str; 22] = [
    "String",
    "Vec",
    "VecDeque",
    "Box",
    "Rc",
    "Arc",
    "HashMap",
    "HashSet",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "LinkedList",
    "RefCell",
    "Mutex",
    "RwLock",
    "Instant",
    "SystemTime",
    "Runtime",
    "File",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
];

/// A type as a signature asks for it: of what stands inside of it and is none of the machine's, rustc is told by itself, and knows nothing more to say of the
/// whole.
pub fn asked_inside(ty: &Type) -> Type {
    let mut asked = ty.clone();
    if !matches!(ty, Type::Path(node) if node.path.segments.last().is_some_and(|last| is_elsewhere(&last.ident))) {
        check_type(&mut asked, &mut Report::default());
    }
    asked
}

/// Whether a type's name is one of std's that no routine can have, unless it is the user's.
pub fn is_elsewhere(name: &syn::Ident) -> bool {
    ELSEWHERE.iter().any(|known| name == known)
}

/// Whether one of these is a part of a type. Of such a type there is nothing more to say than what is said of the part.
pub fn holds_elsewhere(ty: &Type) -> bool {
    struct Search {
        is_inside: bool,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Search {
        fn visit_type(&mut self, ty: &'ast Type) {
            if let (true, Type::Path(path)) = (self.is_inside, ty)
                && let Some(last) = path.path.segments.last()
            {
                self.found |= is_elsewhere(&last.ident) && !is_own(&last.ident);
            }
            // What is referred to is not asked for as a part.
            self.is_inside |= !matches!(ty, Type::Reference(_) | Type::Paren(_) | Type::Group(_));
            visit::visit_type(self, ty);
        }
    }
    let mut search = Search {
        is_inside: false,
        found: false,
    };
    search.visit_type(ty);
    search.found
}

/// Whether the file has a type of its own of this name.
fn is_own(name: &syn::Ident) -> bool {
    const MODULES: [&str; 11] = [
        "boxed",
        "cell",
        "collections",
        "fs",
        "gpuvm",
        "net",
        "rc",
        "string",
        "sync",
        "time",
        "vec",
    ];
    let of = name.to_string();
    tells(name.span(), "a type of the user's", &of, |text| {
        has_own(text, &of, &MODULES)
    })
}

impl VisitMut for Check<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Ptr(node) => self.report.raw_pointer(node),
            Type::FnPtr(node) => self.report.function_pointer(node),
            Type::TraitObject(node) => self.report.dyn_trait(node),
            Type::ImplTrait(node) => self.report.impl_trait(node),
            Type::Path(node)
                if node.qself.is_none() && node.path.segments.last().is_some_and(|last| is_elsewhere(&last.ident)) =>
            {
                *ty = crate::shadow::asked_of_value(node);
            }
            _ => visit_mut::visit_type_mut(self, ty),
        }
    }

    // Lengths of arrays are constants of rustc's.
    fn visit_expr_mut(&mut self, _: &mut syn::Expr) {}
}
