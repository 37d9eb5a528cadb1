//! Which comparisons of a type its user has written, so that values which hold one compare as Rust has it.

use super::Type;
use crate::routine::Routine;

/// A routine that a type's comparison calls. A function, and without its signature, because that would hold the type itself.
pub type Comparison = Option<fn() -> &'static Routine>;

/// The comparisons of a type, and its `clone`. Where there is none, the derived one holds: part by part, in order.
#[derive(Clone, Copy, Debug)]
pub struct Comparisons {
    /// `PartialEq::eq`.
    pub eq: Comparison,
    /// `PartialOrd::partial_cmp`.
    pub partial_cmp: Comparison,
    /// `Ord::cmp`.
    pub cmp: Comparison,
    /// `Clone::clone`.
    pub clone: Comparison,
    /// Whether it is `Copy`, and has no type parameters: then std's derive copies where it clones, whatever the parts' own `clone` does.
    pub is_copy: bool,
    /// Whether the order of the parts is turned round, as that of `Reverse` is.
    pub reversed: bool,
    /// Which of them the user has written for a generic type: of what the `impl` asks of the type's parameters the type itself knows nothing, so it cannot tell them.
    pub by_hand: ByHand,
}

/// Which comparisons are written by hand.
#[derive(Clone, Copy, Debug)]
pub struct ByHand {
    /// `PartialEq::eq`.
    pub eq: bool,
    /// `PartialOrd::partial_cmp`.
    pub partial_cmp: bool,
    /// `Ord::cmp`.
    pub cmp: bool,
}

impl ByHand {
    /// None.
    pub const NONE: ByHand = ByHand {
        eq: false,
        partial_cmp: false,
        cmp: false,
    };
}

impl Comparisons {
    /// Those of a type that derives all of them.
    pub const DERIVED: Comparisons = Comparisons {
        eq: None,
        partial_cmp: None,
        cmp: None,
        clone: None,
        is_copy: false,
        reversed: false,
        by_hand: ByHand::NONE,
    };

    const fn has_routine(&self) -> bool {
        self.eq.is_some() || self.partial_cmp.is_some() || self.cmp.is_some()
    }
}

impl Type {
    /// The type with comparisons that its user has written.
    pub const fn compared(self, comparisons: Comparisons) -> Type {
        Type { comparisons, ..self }
    }

    /// Whether cloning values of it calls routines, and does not copy their words alone.
    pub const fn clones_by_routine(&self) -> bool {
        if self.comparisons.clone.is_some() {
            return true;
        }
        if self.comparisons.is_copy {
            return false;
        }
        if let Some(element) = self.element {
            return self.element_refs == 0 && element.clones_by_routine();
        }
        let mut i = 0;
        while i < self.variants.len() {
            if any_clones(self.variants[i].fields) {
                return true;
            }
            i += 1;
        }
        any_clones(self.fields)
    }

    /// Whether comparing values of it calls routines or follows references.
    pub const fn compares_by_routine(&self) -> bool {
        if self.comparisons.has_routine() {
            return true;
        }
        if let Some(element) = self.element {
            if self.element_refs > 0 {
                return true;
            }
            return element.compares_by_routine();
        }
        let mut i = 0;
        while i < self.variants.len() {
            if any_by_routine(self.variants[i].fields) {
                return true;
            }
            i += 1;
        }
        any_by_routine(self.fields)
    }
}

/// Whether cloning some of the fields calls routines.
pub const fn any_clones(fields: &[super::Field]) -> bool {
    let mut i = 0;
    while i < fields.len() {
        if fields[i].refs == 0 && fields[i].ty.clones_by_routine() {
            return true;
        }
        i += 1;
    }
    false
}

const fn any_by_routine(fields: &[super::Field]) -> bool {
    let mut i = 0;
    while i < fields.len() {
        if fields[i].refs > 0 || fields[i].ty.compares_by_routine() {
            return true;
        }
        i += 1;
    }
    false
}
