//! The one walk over the node stream: what each node does to the operand stack and the code.

use super::aggregate::Fields;
use super::method::{NO_METHOD, operator_of};
use super::node::{Node, Operator};
use super::operand::{Operand, Where, float_literal};
use super::state::{Encoder, Join};
use crate::facts::{CallFact, Fact};
use crate::isa::{NO_WORD, Op, pair};
use crate::routine::{Callee, Cause, Constant, ConstantWords};
use crate::types::{Kind, Type, TypeRef, Value};

/// No activation.
pub(super) const NOBODY: u32 = u32::MAX;

/// The most words of a constant that are a routine's own. A longer one is mostly a table, of which a VM reads a few elements.
const MOST_CONSTANT_WORDS: u32 = 8;

impl Encoder<'_> {
    /// Encodes the whole routine.
    pub const fn walk(&mut self) {
        self.start();
        if self.full {
            return;
        }
        let mut local = 0;
        while local < self.source.params.len() {
            self.declare_of(local as u32, self.source.params[local]);
            local += 1;
        }
        self.run(NOBODY);
        if !self.full {
            self.end_function();
        }
    }

    /// Behind the code of a function.
    pub const fn end_function(&mut self) {
        if self.ends_in_label() {
            // No branch of the last expression gets to its end, where the others would meet.
            let site = self.site(Cause::Message("internal error: entered unreachable code"));
            self.emit(Op::Trap, [site, pair(NO_WORD, NO_WORD), pair(NO_WORD, NO_WORD), 0]);
        }
    }

    /// Walks on until the function that is being written ends, or until its code is back in the activation `caller`. The most frequent nodes are here
    /// and the others in functions of their own: rustc's interpreter tries the arms of a `match` in turn, and makes room for all variables of a function
    /// that it calls.
    pub const fn run(&mut self, caller: u32) {
        let function = self.function().activation;
        loop {
            let at = self.at;
            if at == self.end {
                if self.current == function {
                    return;
                }
                self.leave_activation();
                if self.current == caller {
                    return;
                }
                continue;
            }
            self.at = at + 1;
            match Node::ALL[self.nodes[at] as usize] {
                Node::Local => {
                    let local = self.small();
                    let local = self.local(local);
                    let operand = if self.functions.len == 1 {
                        self.locals.items[local]
                    } else {
                        self.local_operand(local)
                    };
                    self.push(operand);
                }
                Node::Field => {
                    let hash = self.hash();
                    let base = self.pop();
                    let changes = self.is_changed_next(base);
                    let field = self.field(base, hash, changes);
                    self.push(field);
                }
                Node::Label => {
                    let label = self.small();
                    self.place(label);
                }
                Node::Return => {
                    self.finish();
                    if self.current == caller {
                        return;
                    }
                }
                Node::Pop => {
                    self.pop();
                }
                Node::JoinSet => {
                    let join = self.small();
                    let join = self.join_number(join);
                    let operand = self.pop();
                    self.set_join(join, operand);
                }
                Node::JoinGet => {
                    let join = self.small();
                    let join = self.join_number(join);
                    self.push_join(join);
                }
                Node::Bind => {
                    let local = self.small();
                    let operand = self.pop();
                    self.bind(local, operand);
                }
                Node::Jump => {
                    let label = self.small();
                    self.jump(Op::Jump, label, 0);
                }
                Node::Construct => {
                    let ty = self.type_fact();
                    let variant = self.hash();
                    let count = self.small();
                    let fields = match self.small() {
                        0 => Fields::Named,
                        _ => Fields::NamedBeforeBase,
                    };
                    self.construct(ty.ty, variant, count, fields);
                }
                Node::Binary => {
                    let operator = self.operator();
                    let b = self.pop();
                    let a = self.pop();
                    let result = self.binary(operator, a, b);
                    self.push(result);
                }
                Node::Integer => {
                    let value = self.number();
                    self.push(Operand::literal(value));
                }
                Node::Line => {
                    let line = self.small();
                    self.set_line(line);
                }
                Node::Call => {
                    let fact = self.fact();
                    let count = self.small();
                    if let Fact::Call(call) = fact {
                        self.call(call, count);
                    } else {
                        self.refused_call(count);
                    }
                }
                Node::MethodAs => self.method_by_fact(),
                Node::JumpUnless => self.jump_where(Op::JumpUnless),
                Node::PatternVariant => {
                    let variant = self.hash();
                    let label = self.small();
                    self.pattern_variant(variant, label);
                }
                Node::PatternPayload => {
                    let variant = self.hash();
                    let field = self.hash();
                    self.pattern_payload(variant, field);
                }
                Node::Assign => {
                    let place = self.pop();
                    let value = self.pop();
                    self.assign(place, value);
                }
                Node::Leave => {
                    let first = self.small();
                    self.leave(first);
                }
                Node::Unit => self.push(Operand::UNIT),
                node => self.rarer_node(node),
            }
            if self.full {
                return;
            }
        }
    }

    /// Instead of a call of what stands in for a method that was refused.
    const fn refused_call(&mut self, count: u32) {
        self.stack.len -= count as usize;
        self.push(Operand::NEVER);
    }

    const fn rarer_node(&mut self, node: Node) {
        match node {
            Node::Unary | Node::UnaryAs | Node::BinaryAs => self.operation(node),
            Node::BindAs | Node::BindRef | Node::BindLength | Node::Declare => self.binding(node),
            Node::PatternField
            | Node::PatternValue
            | Node::PatternDeref
            | Node::PatternLength
            | Node::PatternElement
            | Node::PatternRest => self.pattern(node),
            Node::Index
            | Node::IndexAs
            | Node::IndexUnchecked
            | Node::IndexRange
            | Node::IndexRangeAs
            | Node::RangeUnchecked
            | Node::Deref
            | Node::DerefMut
            | Node::Ref => self.place_node(node),
            Node::AssignOp | Node::AssignOpAs => self.assignment(node),
            Node::JumpIf => self.jump_where(Op::JumpIf),
            Node::IntegerOf
            | Node::Char
            | Node::IntegerAs
            | Node::Float
            | Node::FloatOf
            | Node::FloatAs
            | Node::Bool
            | Node::Never
            | Node::Constant
            | Node::InferredConstant
            | Node::Default
            | Node::Copy
            | Node::Duplicate
            | Node::VmId
            | Node::VmCount => self.plain_value(node),
            Node::Method => {
                let method = self.small() as u16;
                let count = self.small();
                self.std_method(method, count, None);
            }
            Node::FieldMut => {
                let hash = self.hash();
                let base = self.pop();
                let field = self.field(base, hash, true);
                self.push(field);
            }
            Node::CallValue => {
                let count = self.small();
                self.call_value(count);
            }
            Node::Closure => self.closure(),
            Node::Cast => {
                let kind = self.kind();
                let a = self.pop();
                let result = self.cast(a, kind);
                self.push(result);
            }
            Node::Tuple | Node::Array => {
                let ty = self.type_fact();
                let count = self.small();
                self.sequence(ty.ty, count);
            }
            _ => self.rarest_node(node),
        }
    }

    /// A condition's way.
    const fn jump_where(&mut self, op: Op) {
        let label = self.small();
        let condition = self.pop();
        if !matches!(condition.at, Where::Never) {
            let condition = self.deref_all(condition);
            let word = self.value(condition);
            self.jump(op, label, word);
        }
    }

    /// `MethodAs`: a routine's call, or a method of the machine's own.
    const fn method_by_fact(&mut self) {
        let method = self.small() as u16;
        let fact = self.fact();
        let count = self.small();
        match fact {
            Fact::Call(call) => self.call(call, count),
            Fact::Own => self.call_own(count),
            _ => {
                if method == NO_METHOD {
                    self.refused_call(count);
                } else if let Some(operator) = operator_of(method) {
                    let b = self.pop();
                    let a = self.pop();
                    let result = self.binary(operator, a, b);
                    self.push(result);
                } else {
                    if let Fact::Compared(ty) = fact {
                        self.compare_as(ty, count);
                    }
                    self.std_method(method, count, None);
                }
            }
        }
    }

    /// `Expect` and, of what may be a method of the user's, `ExpectAs`.
    const fn expect_with(&mut self, may_be_users: bool) {
        let texts = &self.source.messages;
        let absent = texts[self.small() as usize].pieces[0];
        let other = texts[self.small() as usize].pieces;
        let errors = self.small() != 0;
        if may_be_users {
            match self.fact() {
                Fact::Call(call) => return self.call(call, 2),
                _ => _ = self.pop(),
            }
        }
        let operand = self.pop();
        let operand = self.deref_all(operand);
        let inside = self.expect(operand, errors, absent, other);
        self.push(inside);
    }

    const fn rarest_node(&mut self, node: Node) {
        match node {
            Node::Panic => {
                let message = self.small();
                let count = self.small();
                self.panic_with(message as usize, count);
            }
            Node::Print => {
                let message = self.small();
                let count = self.small();
                self.print_with(message as usize, count);
            }
            Node::Expect => self.expect_with(false),
            Node::ExpectAs => self.expect_with(true),
            Node::Yield => self.emit(Op::Yield, [0; 4]),
            Node::Halt => self.emit(Op::Halt, [0; 4]),
            Node::Block => self.emit(Op::Block, [0; 4]),
            Node::Ask => {
                let question = self.type_fact();
                let answer = self.type_fact();
                self.ask(question, answer);
            }
            Node::Function => {
                let slot = self.small();
                let method = self.small() as u16;
                let kind = self.small() as u8;
                self.push(Operand {
                    ty: &Type::CLOSURE,
                    at: Where::Function {
                        activation: self.current,
                        slot,
                        variant: 0,
                        method,
                        kind,
                    },
                    ..Operand::NEVER
                });
            }
            Node::Named => self.named(),
            Node::IntoIter => {
                if let Fact::Call(call) = self.fact() {
                    self.call(call, 1);
                }
            }
            Node::Clone => {
                let place = self.pop();
                let clone = if place.refs > 0 {
                    self.owned(place)
                } else {
                    self.cloned(place)
                };
                self.push(clone);
            }
            Node::SkipIfCall => {
                let fact = self.fact();
                let distance = self.hash() as i32;
                if matches!(fact, Fact::Call(_)) {
                    self.at = (self.at as i32 + distance) as usize;
                }
            }
            Node::Question => self.question(),
            Node::View => {
                let ty = self.type_fact();
                let length = self.pop();
                let base = self.pop();
                let view = self.view(base, length, ty);
                self.push(view);
            }
            Node::Unset => self.push(Operand {
                ty: &Type::CLOSURE,
                at: Where::Unset(0),
                ..Operand::NEVER
            }),
            Node::Convert => {
                let fact = self.fact();
                let ty = self.type_fact();
                if let Fact::Call(call) = fact {
                    self.call(call, 1);
                } else if ty.refs == 0 && ty.ty.kind.is_scalar() {
                    let a = self.pop();
                    let result = self.cast_to(a, ty.ty);
                    self.push(result);
                }
            }
            Node::CallOwn => {
                let count = self.small();
                self.call_own(count);
            }
            Node::Leads => {
                let slot = self.small();
                self.leads(slot);
            }
            Node::Receiver => {
                let slot = self.small();
                let changes = self.small() != 0;
                self.receiver(slot, changes);
            }
            Node::CopyReceiver => {
                let slot = self.small();
                self.copy_changeable_receiver(slot);
            }
            Node::Associated => {
                let method = self.small() as u16;
                let kind = self.kind();
                let count = self.small();
                self.std_method(method, count, Some(kind));
            }
            Node::CastAs => {
                let ty = self.type_fact();
                let a = self.pop();
                let result = self.cast_to(a, ty.ty);
                self.push(result);
            }
            Node::Repeat => {
                let ty = self.type_fact();
                self.repeat(ty.ty);
            }
            _ => panic!("a node is walked where it is known"),
        }
    }

    /// Literals, constants, and what moves operands about.
    const fn plain_value(&mut self, node: Node) {
        match node {
            Node::IntegerOf => {
                let value = self.number();
                let kind = self.kind();
                let ty = super::number::scalar_type(kind);
                let base = self.literal(value, ty);
                self.push(Operand::scalar(ty, base));
            }
            Node::Char => {
                let value = self.number();
                let ty = <char as Value>::TYPE;
                let base = self.literal(value, ty);
                self.push(Operand::scalar(ty, base));
            }
            Node::IntegerAs => {
                let value = self.number();
                let ty = self.type_fact();
                let base = self.literal(value, ty.ty);
                self.push(Operand::fresh(ty, base));
            }
            Node::Float => {
                let value = self.float();
                self.push(Operand::literal_of(value, <f64 as Value>::TYPE));
            }
            Node::FloatOf => {
                let kind = self.kind();
                let bits = if matches!(kind, Kind::F32) {
                    let single = self.hash() as u128;
                    float_literal(single, single)
                } else {
                    let double = self.double_bits();
                    float_literal(0, double)
                };
                let ty = super::number::scalar_type(kind);
                let base = self.literal(bits, ty);
                self.push(Operand::scalar(ty, base));
            }
            Node::FloatAs => {
                let value = self.float();
                let ty = self.type_fact();
                let base = self.literal(value, ty.ty);
                self.push(Operand::fresh(ty, base));
            }
            Node::Bool => {
                let value = self.small();
                let word = self.imm(value);
                self.push_bool(word);
            }
            Node::Never => self.push(Operand::NEVER),
            Node::Constant => {
                let number = self.small();
                let ty = self.type_fact();
                self.constant(ty, ConstantWords::Function(self.source.constants[number as usize]));
            }
            Node::InferredConstant => {
                let number = self.small();
                let ty = self.type_fact();
                self.constant(ty, ConstantWords::Inferred(self.source.inferred, number));
            }
            Node::Default => match self.fact() {
                // It is there to be written.
                Fact::Default(ty, words) => self.short_constant(ty, ConstantWords::Function(words)),
                _ => panic!("a slot tells no default"),
            },
            Node::Copy => {
                let operand = self.pop();
                let copy = self.owned(operand);
                self.push(copy);
            }
            Node::Duplicate => {
                let operand = self.pop().shared();
                self.push(operand);
                self.push(operand);
            }
            Node::VmId => {
                let word = self.word(Op::VmId, 0, 0, 0);
                self.push(Operand::scalar(<u32 as Value>::TYPE, word));
            }
            _ => {
                let word = self.word(Op::VmCount, 0, 0, 0);
                self.push(Operand::scalar(<u32 as Value>::TYPE, word));
            }
        }
    }

    /// `Named`: a constructor as a function, or a value.
    const fn named(&mut self) {
        let slot = self.small();
        let variant = self.hash();
        let source = self.small();
        let number = self.small();
        match (self.source.facts.get(slot as usize, self.source.depth), source) {
            (Fact::Type(ty), 0) => self.construct(ty.ty, variant, 0, Fields::InOrder),
            (Fact::Type(ty), 1) => self.constant(ty, ConstantWords::Function(self.source.constants[number as usize])),
            (Fact::Type(ty), _) => self.constant(ty, ConstantWords::Inferred(self.source.inferred, number)),
            _ => self.push(Operand {
                ty: &Type::CLOSURE,
                at: Where::Function {
                    activation: self.current,
                    slot,
                    variant,
                    method: NO_METHOD,
                    kind: 0,
                },
                ..Operand::NEVER
            }),
        }
    }

    /// A constant of the user's: a place in the program's data if it is long, and else its words.
    const fn constant(&mut self, ty: TypeRef, words: ConstantWords) {
        if ty.words() <= MOST_CONSTANT_WORDS {
            return self.short_constant(ty, words);
        }
        let space = self.constant_words(words, true, 2);
        self.push(Operand {
            ty: ty.ty,
            at: Where::Memory {
                space,
                offset: space + 1,
                displacement: 0,
            },
            in_data: true,
            ..Operand::NEVER
        });
    }

    /// A constant in words of the routine's, which the linker fetches.
    const fn short_constant(&mut self, ty: TypeRef, words: ConstantWords) {
        let base = self.constant_words(words, false, ty.words());
        self.push(Operand::fresh(ty, base));
    }

    /// Words for what the linker fetches.
    const fn constant_words(&mut self, words: ConstantWords, in_data: bool, count: u32) -> u32 {
        self.constants.push(
            Constant {
                at: self.code.len as u32,
                words,
                in_data,
            },
            &mut self.full,
        );
        let base = self.fresh(count);
        let mut i = 0;
        while i < count {
            self.set(base + i, 0);
            i += 1;
        }
        base
    }

    const fn place_node(&mut self, node: Node) {
        let place = match node {
            Node::Index | Node::IndexUnchecked | Node::IndexAs => {
                if matches!(node, Node::IndexAs)
                    && let Fact::Call(call) = self.fact()
                {
                    return self.indexed_by(call);
                }
                let index = self.pop();
                let base = self.pop();
                let index = self.deref_all(index);
                self.element(base, index, !matches!(node, Node::IndexUnchecked))
            }
            Node::IndexRange | Node::IndexRangeAs => {
                let has_start = self.small() != 0;
                let has_end = self.small() != 0;
                let inclusive = self.small() != 0;
                if matches!(node, Node::IndexRangeAs)
                    && let Fact::Call(call) = self.fact()
                {
                    let bounds = has_start as u32 + has_end as u32;
                    return self.indexed_by_range(call, bounds, has_start && inclusive);
                }
                let end = if has_end { Some(self.pop()) } else { None };
                let start = if has_start { Some(self.pop()) } else { None };
                let base = self.pop();
                self.range(base, start, end, inclusive)
            }
            Node::RangeUnchecked => {
                let end = self.pop();
                let start = self.pop();
                let base = self.pop();
                self.range_unchecked(base, start, end)
            }
            Node::Deref | Node::DerefMut => {
                let reference = self.pop();
                self.deref_written(reference, matches!(node, Node::DerefMut))
            }
            _ => {
                let mutable = self.small() != 0;
                let place = self.pop();
                let place = if mutable { self.writable(place) } else { place };
                self.reference(place)
            }
        };
        self.push(place);
    }

    const fn operation(&mut self, node: Node) {
        let operator = self.operator();
        let fact = if matches!(node, Node::Unary) {
            Fact::Builtin
        } else {
            self.fact()
        };
        let unary = matches!(node, Node::Unary | Node::UnaryAs);
        if let Fact::Call(call) = fact {
            self.call_through(call, if unary { 1 } else { 2 });
            // `!=` of a type whose `==` is a routine.
            if matches!(operator, Operator::Ne) {
                let same = self.pop();
                if same.is_never() {
                    self.push(same);
                    return;
                }
                let word = self.value(same);
                let differ = self.not_bool(word);
                self.push_bool(differ);
            }
            return;
        }
        if let Fact::Compared(ty) = fact {
            self.compare_as(ty, 2);
        }
        let result = if unary {
            let a = self.pop();
            self.unary(operator, a)
        } else {
            let b = self.pop();
            let a = self.pop();
            self.binary(operator, a, b)
        };
        self.push(result);
    }

    const fn assignment(&mut self, node: Node) {
        let operator = self.operator();
        let fact = if matches!(node, Node::AssignOpAs) {
            self.fact()
        } else {
            Fact::Builtin
        };
        let reordered = matches!(node, Node::AssignOpAs) && self.small() != 0;
        let mut place = self.pop();
        let mut value = self.pop();
        if let Fact::Call(call) = fact {
            if reordered {
                (place, value) = (value, place);
            }
            let place = self.reference(place);
            self.push(place);
            self.push(value);
            self.call_through(call, 2);
            self.pop();
            return;
        }
        // The slot names the assigning operator, the arithmetic is that of the plain one.
        let plain = match operator {
            Operator::AddAssign => Operator::Add,
            Operator::SubAssign => Operator::Sub,
            Operator::MulAssign => Operator::Mul,
            Operator::DivAssign => Operator::Div,
            Operator::RemAssign => Operator::Rem,
            Operator::BitAndAssign => Operator::BitAnd,
            Operator::BitOrAssign => Operator::BitOr,
            Operator::BitXorAssign => Operator::BitXor,
            Operator::ShlAssign => Operator::Shl,
            Operator::ShrAssign => Operator::Shr,
            other => other,
        };
        let place = self.deref_all(place);
        let result = self.binary(plain, place, value);
        self.assign(place, result);
    }

    const fn binding(&mut self, node: Node) {
        let local = self.small();
        match node {
            Node::BindAs => {
                let ty = self.type_fact();
                let operand = self.pop();
                let operand = self.convert(operand, ty);
                let bound = self.owned(operand).shared();
                if matches!(bound.at, Where::Never) {
                    self.declare_of(local, ty)
                } else {
                    self.declare(local, bound)
                }
            }
            Node::BindRef => {
                self.small();
                let operand = self.pop();
                let reference = self.reference(operand);
                self.declare(local, reference.shared());
            }
            Node::BindLength => {
                let operand = self.pop();
                let length = self.length(operand);
                let word = self.length_word(length);
                self.declare(local, Operand::scalar(<usize as Value>::TYPE, word).shared());
            }
            _ => {
                let ty = self.type_fact();
                self.declare_of(local, ty);
            }
        }
    }

    const fn pattern(&mut self, node: Node) {
        match node {
            Node::PatternField => {
                let hash = self.hash();
                self.pattern_field(hash);
            }
            Node::PatternValue => {
                let top = self.peek(0);
                let mut value = self.deref_all(top).shared();
                value.by_ref = false;
                self.push(value);
            }
            Node::PatternDeref => {
                let top = self.peek(0);
                let mut place = self.deref(top).shared();
                place.by_ref = false;
                self.push(place);
            }
            Node::PatternLength => {
                let least = self.small();
                let exact = self.small() != 0;
                let label = self.small();
                self.pattern_length(least, exact, label);
            }
            Node::PatternElement => {
                let index = self.small();
                let from_end = self.small() != 0;
                self.pattern_element(index, from_end);
            }
            _ => {
                let front = self.small();
                let back = self.small();
                self.pattern_rest(front, back);
            }
        }
    }

    /// Stores the value of one branch.
    pub const fn set_join(&mut self, join: usize, operand: Operand) {
        if matches!(operand.at, Where::Never) {
            return;
        }
        if operand.is_opaque() {
            match self.joins.items[join].opaque {
                Some(place) => self.assign(place, operand),
                None => {
                    let value = self.owned(operand).shared();
                    self.joins.items[join].opaque = Some(value);
                }
            }
            return;
        }
        let stored = stored_in_join(operand);
        if self.joins.items[join].ty.is_none() {
            let ty = operand.type_ref();
            // The other branches put their values into the words of this one, if nobody else knows these.
            let base = match operand.at {
                Where::Words(base) if operand.owned && operand.unmade == 0 && stored.words() == ty.words() => base,
                _ => self.fresh(stored.words()),
            };
            self.joins.items[join] = Join {
                ty: Some(ty),
                base,
                set: true,
                opaque: None,
            };
        }
        self.joins.items[join].set = true;
        if let Join { ty: Some(ty), base, .. } = self.joins.items[join] {
            if matches!(stored.ty.kind, Kind::Slice) && ty.refs == stored.refs {
                self.store_words(base, operand, stored);
                let is_same = matches!(operand.ty.kind, Kind::Array) && ty.ty.length == operand.ty.length;
                if matches!(ty.ty.kind, Kind::Array) && !is_same {
                    self.joins.items[join].ty = Some(stored);
                }
            } else {
                self.store_words(base, operand, ty);
            }
        }
    }

    /// Pushes the value that the branches have left.
    pub const fn push_join(&mut self, join: usize) {
        match self.joins.items[join] {
            Join {
                opaque: Some(operand), ..
            } => self.push(Operand { owned: true, ..operand }),
            Join {
                ty: Some(ty),
                base,
                set: true,
                ..
            } => self.push(Operand::fresh(ty, base)),
            _ => self.push(Operand::NEVER),
        }
    }

    /// `?`: what is inside the value, or the way out with its error.
    const fn question(&mut self) {
        let convert = self.fact();
        let result = self.type_fact();
        let operand = self.pop();
        if matches!(operand.at, Where::Never) {
            self.push(operand);
            return;
        }
        let operand = self.deref_all(operand);
        let operand = self.owned(operand).shared();
        let variants = operand.ty.variants;
        // `Option` has nothing to convert, `Result` has its value first.
        let is_option = variants[0].fields.is_empty();
        let inside = variants[is_option as usize].fields[0];
        let tag = self.value(operand.part(<u32 as Value>::TYPE, 0));
        let goes_on = self.new_label();
        let op = if is_option { Op::JumpIf } else { Op::JumpUnless };
        self.jump_to(op, goes_on, tag);
        let base = self.fresh(result.words());
        self.set(base, !is_option as u32);
        let mut used = 1;
        if !is_option {
            let error = variants[1].fields[0];
            self.push(operand.part_ref(error.type_ref(), error.offset));
            if let Fact::Call(call) = convert {
                self.call_through(call, 1);
            }
            let field = result.ty.variants[1].fields[0];
            let error = self.pop();
            self.store_words(base + field.offset, error, field.type_ref());
            used += field.type_ref().words();
        }
        while used < result.words() {
            self.set(base + used, 0);
            used += 1;
        }
        self.push(Operand::fresh(result, base));
        self.finish();
        self.place_here(goes_on);
        self.push(operand.part_ref(inside.type_ref(), inside.offset));
    }

    /// `return`: the value's words and the way out.
    const fn finish(&mut self) {
        let operand = self.pop();
        if matches!(operand.at, Where::Never) {
            return;
        }
        if !self.is_root() {
            return self.return_to_caller(operand);
        }
        let result = self.source.result;
        assert!(
            !result.ty.opaque,
            "a routine that is given a closure and calls itself cannot return one"
        );
        let operand = if result.words() == 0 {
            Operand::UNIT
        } else {
            self.convert(operand, result)
        };
        let base = self.value(operand);
        self.emit(Op::Return, [base, 0, 0, 0]);
    }

    /// A call of a routine with the top `count` operands.
    pub const fn call(&mut self, call: CallFact, count: u32) {
        if let Some(source) = call.inline
            && source.params.len() == count as usize
        {
            if call.consumes {
                self.copy_receiver(count);
            }
            return if source.recursive {
                self.call_recursive(source)
            } else {
                self.call_inline(source)
            };
        }
        let (params, count) = (call.params, count as usize);
        let first = self.stack.len - count;
        self.stack.len = first;
        if params.len() != count {
            // What stands in for a routine that was refused takes none.
            self.push(Operand::NEVER);
            return;
        }
        let mut words = 0;
        let mut never = false;
        let mut i = 0;
        while i < count {
            words += params[i].words();
            never = never || matches!(self.stack.items[first + i].at, Where::Never);
            i += 1;
        }
        let base = self.fresh(words);
        let mut to = base;
        i = 0;
        while i < count {
            self.store_words(to, self.stack.items[first + i], params[i]);
            to += params[i].words();
            i += 1;
        }
        if never {
            self.push(Operand::NEVER);
            return;
        }
        let result = self.fresh(call.result.words());
        let callee = self.callee(Callee::Routine(call.routine));
        self.emit(Op::Call, [callee, base, result, 0]);
        self.push(if matches!(call.result.ty.kind, Kind::Never) {
            Operand::NEVER
        } else {
            Operand::fresh(call.result, result)
        });
    }

    // Arguments of nodes.

    const fn fact(&mut self) -> Fact {
        let slot = self.small();
        self.source.facts.get(slot as usize, self.source.depth).called()
    }

    const fn type_of_slot(&mut self, slot: usize) -> TypeRef {
        match self.source.facts.get(slot, self.source.depth) {
            Fact::Type(ty) => ty,
            _ => panic!("a slot tells no type"),
        }
    }

    const fn type_fact(&mut self) -> TypeRef {
        let slot = self.small();
        self.type_of_slot(slot as usize)
    }

    const fn float(&mut self) -> u128 {
        let single = self.hash() as u128;
        let double = self.double_bits();
        float_literal(single, double)
    }

    /// The bits of an `f64`.
    const fn double_bits(&mut self) -> u128 {
        let low = self.hash() as u128;
        low | (self.hash() as u128) << 32
    }

    const fn kind(&mut self) -> Kind {
        match Kind::from_code(self.byte()) {
            Some(kind) => kind,
            None => panic!("the node stream has an unknown kind"),
        }
    }

    const fn operator(&mut self) -> Operator {
        match Operator::from_code(self.byte()) {
            Some(operator) => operator,
            None => panic!("the node stream has an unknown operator"),
        }
    }
}

/// What a branch's value is kept as: a reference to an array as one to a slice, because the other branches may have arrays of other lengths, where
/// rustc makes slices of all.
const fn stored_in_join(operand: Operand) -> TypeRef {
    let ty = operand.type_ref();
    match (ty.refs, ty.ty.slice) {
        (1, Some(slice)) => TypeRef { ty: slice, ..ty },
        _ => ty,
    }
}
