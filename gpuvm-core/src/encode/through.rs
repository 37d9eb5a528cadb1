//! What is found behind a `Deref` of the user's: methods and elements, of which facts tell, and fields, `*value` and coercions, of which types tell.

use super::node::Node;
use super::operand::Operand;
use super::state::Encoder;
use crate::facts::{CallFact, Fact};
use crate::isa::Op;
use crate::routine::Callee;
use crate::types::{Dereferenced, Kind, TypeRef};

impl Encoder<'_> {
    /// Puts in the place of the receiver what its `Deref` gives, where what the slot tells is behind that. `changes`: whether it is changed; of a method its
    /// parameter says so.
    pub const fn receiver(&mut self, slot: u32, changes: bool) {
        let mut fact = self.source.facts.get(slot as usize, self.source.depth);
        let changes = changes || takes_mutable(fact);
        while let Fact::Through(through) = fact {
            let call = match through.deref_mut {
                Some(deref_mut) if changes => deref_mut,
                _ => through.deref,
            };
            self.call_through(call, 1);
            fact = through.then;
        }
    }

    /// Copies the receiver where what the slot tells takes it by value, so that it is what it was before the arguments. What changes its receiver gets the
    /// place itself.
    pub const fn copy_changeable_receiver(&mut self, slot: u32) {
        let by_value = match self.source.facts.get(slot as usize, self.source.depth).called() {
            Fact::Call(call) => matches!(parameters(&call), [receiver, ..] if receiver.refs == 0),
            Fact::Builtin | Fact::Compared(_) => true,
            _ => false,
        };
        let operand = self.pop();
        if !by_value || operand.is_never() || operand.is_opaque() {
            return self.push(operand);
        }
        let value = self.deref_all(operand);
        let copy = match value.ty.kind {
            Kind::Atomic | Kind::Slice => operand,
            _ => self.owned(value),
        };
        self.push(copy);
    }

    /// Gives the operand the type that tells what its `Deref` leads to.
    pub const fn leads(&mut self, slot: u32) {
        let mut operand = self.pop();
        if let Fact::Type(ty) = self.source.facts.get(slot as usize, self.source.depth)
            && !operand.is_never()
            && !operand.is_opaque()
        {
            operand.ty = ty.ty;
        }
        self.push(operand);
    }

    /// Whether the field of this value is changed by the method that is called on it, or on a field of it: where the value has a `Deref`, that decides which of the
    /// two leads to the field. The nodes that are next tell.
    pub const fn is_changed_next(&mut self, of: Operand) -> bool {
        if of.ty.dereferenced.is_none() {
            return false;
        }
        let here = self.at;
        let mut changes = false;
        while self.at < self.end {
            self.at += 1;
            match Node::ALL[self.nodes[self.at - 1] as usize] {
                Node::Field => {
                    self.hash();
                }
                Node::Leads => {
                    self.small();
                }
                Node::Receiver => {
                    let slot = self.small();
                    changes = takes_mutable(self.source.facts.get(slot as usize, self.source.depth));
                    break;
                }
                _ => break,
            }
        }
        self.at = here;
        changes
    }

    /// `*operand`, of a reference or of a value whose `Deref` the user has written. `changes`: whether it is assigned to or borrowed to be.
    pub const fn deref_written(&mut self, operand: Operand, changes: bool) -> Operand {
        match operand.ty.dereferenced {
            Some(dereferenced) if operand.refs == 0 && !operand.is_never() => {
                self.dereferenced(operand, dereferenced, changes)
            }
            // What the machine's methods give of two references, `*a.max(b)`, is the value that they give of what these refer to.
            _ if operand.refs == 0 && !changes => operand,
            _ => self.deref(operand),
        }
    }

    /// A reference to what a type's `Deref` leads to, for a parameter or a variable of that type: what rustc makes of `&polygon` where `&[Point]` is expected.
    pub const fn coerced(&mut self, operand: Operand, want: TypeRef) -> Operand {
        let mut place = self.deref_all(operand);
        while let Some(dereferenced) = place.ty.dereferenced
            && !is_same(place.ty.name, want.ty.name)
        {
            let target = self.dereferenced(place, dereferenced, want.mutable);
            place = self.deref_all(target);
        }
        place
    }

    /// The place that a type's `Deref` or `DerefMut` leads to.
    const fn dereferenced(&mut self, operand: Operand, dereferenced: Dereferenced, changes: bool) -> Operand {
        let (routine, mutable) = match dereferenced.deref_mut {
            Some(deref_mut) if changes => (deref_mut, true),
            _ => (dereferenced.deref, false),
        };
        let receiver = TypeRef {
            ty: operand.ty,
            refs: 1,
            mutable,
        };
        let base = self.fresh(receiver.words());
        self.store_words(base, operand, receiver);
        let target = TypeRef {
            ty: dereferenced.target.ty,
            refs: dereferenced.target.refs + 1,
            mutable,
        };
        let result = self.fresh(target.words());
        let callee = self.callee(Callee::Routine(routine));
        self.emit(Op::Call, [callee, base, result, 0]);
        self.deref(Operand::fresh(target, result))
    }
}

/// Whether what is called takes its receiver by `&mut`.
const fn takes_mutable(called: Fact) -> bool {
    match called.called() {
        Fact::Call(call) => matches!(parameters(&call), [receiver, ..] if receiver.mutable && receiver.refs == 1),
        _ => false,
    }
}

/// The types of what a call is given.
const fn parameters(call: &CallFact) -> &'static [TypeRef] {
    match call.inline {
        Some(source) => source.params,
        None => call.params,
    }
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
