//! Whether the parts of a kernel fit together. Kernels are put together at run time, so whatever is wrong is an error.

use super::{Around, Call, Count, Fold, Input, Kernel, Output, Then};
use crate::isa::Op;
use crate::link::LinkError;
use crate::link::collect::Routines;
use crate::types::{Kind, Type, TypeRef};

/// So many elements there may be, and no more in a chunk.
const MOST: u32 = 1 << 31;

impl Kernel {
    /// Checks that all parts fit.
    ///
    /// # Errors
    ///
    /// [`LinkError::Kernel`] with the first thing that does not.
    pub(crate) fn check(&self) -> Result<(), LinkError> {
        let mut calls = self.calls.iter().enumerate();
        let checked = calls.try_for_each(|(number, call)| {
            let name = &call.routine.name;
            self.call(number)
                .map_err(|what| format!("call {number} of `{name}`: {what}"))
        });
        checked
            .and_then(|()| self.elements(&self.count))
            .and_then(|()| self.stores.iter().try_for_each(|output| self.store(output)))
            .and_then(|()| self.then.as_ref().map_or(Ok(()), |then| self.then(then)))
            .and_then(|()| self.one_precision())
            .map_err(|what| self.unfit(what))
    }

    /// Checks that no routine halts a VM that has more to do.
    ///
    /// # Errors
    ///
    /// [`LinkError::Kernel`] with the first routine that does.
    pub(crate) fn check_halts(&self, routines: &Routines) -> Result<(), LinkError> {
        let last = self.calls.len() == 1 && !self.is_loop();
        let (lost, instead) = match self.then {
            Some(Then::Handle { .. }) => ("the messages after it", "return instead"),
            _ => ("what comes after it", "give it a kernel of its own"),
        };
        let halts = |i: &crate::isa::Instruction| i.opcode == Op::Halt.code();
        match routines.all.iter().find(|routine| routine.code.iter().any(halts)) {
            Some(routine) if !last => Err(self.unfit(format!(
                "`{}` can halt its VM, and {lost} would be lost: {instead}",
                routine.name
            ))),
            _ => Ok(()),
        }
    }

    fn unfit(&self, what: String) -> LinkError {
        LinkError::Kernel {
            kernel: self.name.clone(),
            what,
        }
    }

    fn call(&self, number: usize) -> Result<(), String> {
        self.arguments(&self.calls[number], number)
    }

    /// Whether a call's arguments fit, and come from the first `calls` calls.
    fn arguments(&self, call: &Call, calls: usize) -> Result<(), String> {
        let params = &call.routine.params;
        if call.args.len() != params.len() {
            return Err(format!(
                "it has {} arguments and takes {}",
                call.args.len(),
                params.len()
            ));
        }
        for (i, (arg, param)) in call.args.iter().zip(params.iter()).enumerate() {
            self.fits(arg, *param, calls)
                .map_err(|what| format!("argument {i}: {what}"))?;
        }
        Ok(())
    }

    /// Whether a value is one of the type, and comes from the first `calls` calls.
    fn fits(&self, input: &Input, wanted: TypeRef, calls: usize) -> Result<(), String> {
        if input.calls() > calls {
            return Err(format!(
                "it is the result of call {}, which comes later",
                input.calls() - 1
            ));
        }
        match input {
            Input::Tuple(parts) => {
                let fields = wanted.ty.fields;
                if wanted.refs > 0 || wanted.ty.kind != Kind::Tuple || fields.len() != parts.len() {
                    return Err(format!("it is a tuple of {}, and `{wanted}` is needed", parts.len()));
                }
                let mut parts = parts.iter().zip(fields);
                parts.try_for_each(|(part, field)| self.fits(part, TypeRef::value(field.ty), calls))
            }
            Input::Constant(words) if wanted.refs == 0 && words.len() == wanted.ty.words as usize => Ok(()),
            Input::Constant(words) => Err(format!("it has {} words, and `{wanted}` is needed", words.len())),
            Input::Field(of, field) if let Input::Tuple(parts) = &**of => {
                let part = parts.get(*field).ok_or("it does not exist")?;
                self.fits(part, wanted, calls)
            }
            _ => {
                let found = self.type_of(input).ok_or("it does not exist")?;
                if !found.serves_as(wanted) {
                    return Err(format!("it is `{found}`, and `{wanted}` is needed"));
                }
                let shared = wanted.refs > 0 && wanted.mutable && self.is_loop();
                if shared && !self.is_of_actor(input) {
                    return Err(format!(
                        "it is `{wanted}`, which a VM with several elements cannot share among them"
                    ));
                }
                Ok(())
            }
        }
    }

    fn elements(&self, count: &Count) -> Result<(), String> {
        match count {
            Count::Vms if self.is_loop() => Err("its VMs need to know how many elements there are".to_string()),
            Count::Vms => Ok(()),
            Count::Constant(count) if *count > MOST => Err(too_many(*count)),
            Count::Constant(_) => Ok(()),
            Count::Slice(param) => {
                let slice = self
                    .params
                    .get(*param)
                    .filter(|param| param.refs == 1 && param.ty.kind == Kind::Slice);
                slice
                    .map(|_| ())
                    .ok_or_else(|| format!("parameter {param}, which tells the number of elements, is no slice"))
            }
            Count::Again(_) if self.is_loop() => Err("its VMs have one element each".to_string()),
            Count::Cell(param) | Count::Again(param) => {
                let value = self
                    .params
                    .get(*param)
                    .filter(|param| param.refs == 0)
                    .map(|param| param.ty);
                match self.column(*param).or(value) {
                    Some(Type { kind: Kind::U32, .. }) => Ok(()),
                    _ => Err(format!(
                        "parameter {param}, which tells the number of elements, is no `u32` or `&[u32]`"
                    )),
                }
            }
            Count::Chunks(_, chunk) if !(1..=MOST).contains(chunk) => Err(bad_chunk(*chunk)),
            Count::Chunks(of, _) | Count::AtMost(of, _) => match **of {
                Count::Vms => Err("the number of VMs is not known in chunks or up to a limit".to_string()),
                _ => self.elements(of),
            },
        }
    }

    fn then(&self, then: &Then) -> Result<(), String> {
        match then {
            Then::Reduce { op, partial } => self.fold(op, partial).and_then(|_| self.record_of(partial, op)),
            Then::ReduceChunks { op, partial, chunk } | Then::ReduceOwn { op, partial, chunk } => {
                self.chunk(*chunk)?;
                self.fold(op, partial).and_then(|_| self.record_of(partial, op))
            }
            Then::ReduceSpans { op, partial, span, .. } => {
                let wanted = TypeRef::of::<(u32, u32, u32)>();
                self.arguments(span, 0).map_err(|what| format!("the span: {what}"))?;
                if span
                    .args
                    .iter()
                    .any(|arg| !matches!(arg, Input::Param(_) | Input::Constant(_)))
                {
                    return Err("the span depends on an element".to_string());
                }
                if !span.routine.result.serves_as(wanted) {
                    let found = span.routine.result;
                    return Err(format!("the span is `{found}`, and `{wanted}` is needed"));
                }
                self.fold(op, partial).and_then(|_| self.record_of(partial, op))
            }
            Then::Scan {
                op,
                prefix,
                chunks,
                chunk,
            } => {
                self.chunk(*chunk)?;
                let folded = self.fold(op, prefix)?;
                self.whole(prefix.to, folded)?;
                chunks.map_or(Ok(()), |chunks| self.read(chunks, folded))
            }
            Then::Handle {
                states,
                mail,
                handled,
                busy,
                around,
                after,
            } => {
                if let Some(around) = around {
                    self.around(around)?;
                }
                if let Some(after) = after {
                    self.after(after)
                        .map_err(|what| format!("`{}` after the messages: {what}", after.routine.name))?;
                }
                self.writable(*states).ok_or_else(|| no_column(*states))?;
                if self.stores.iter().any(|output| output.to == *states) {
                    return Err(format!(
                        "parameter {states} cannot be the actors' states and a column to store to as well"
                    ));
                }
                let of_vm = TypeRef::of::<(u32, u32, u32)>().ty;
                let mail_of = self
                    .column(*mail)
                    .ok_or_else(|| format!("parameter {mail}, for the mail, is no `&[T]`"))?;
                self.is(*mail, mail_of, of_vm)?;
                self.whole(*handled, TypeRef::of::<u32>().ty)?;
                self.whole(*busy, TypeRef::of::<u32>().ty)
            }
        }
    }

    /// Whether a reference is to what one actor has alone, whose messages a VM handles one after the other.
    fn is_of_actor(&self, input: &Input) -> bool {
        match (input, &self.then) {
            (Input::State | Input::Room(_), _) => true,
            (
                Input::Param(param),
                Some(Then::Handle {
                    around: Some(around), ..
                }),
            ) => [around.sent, around.stopped, around.letters].contains(param),
            _ => false,
        }
    }

    /// Whether what is around the messages is there.
    fn around(&self, around: &Around) -> Result<(), String> {
        let wanted = [
            (around.now, TypeRef::of::<u64>()),
            (around.sent, TypeRef::of::<&mut u32>()),
            (around.stopped, TypeRef::of::<&mut bool>()),
        ];
        for (param, wanted) in wanted {
            let found = self.params.get(param);
            if found.is_none_or(|found| !found.serves_as(wanted) || found.mutable != wanted.mutable) {
                return Err(format!("parameter {param}, around the messages, is no `{wanted}`"));
            }
        }
        Ok(())
    }

    /// Whether what is called after the messages gets what it takes. Each VM calls it once, so it may have whole columns to write.
    fn after(&self, after: &Call) -> Result<(), String> {
        let params = &after.routine.params;
        let word = TypeRef::of::<u32>();
        let Some((own, [first, end])) = params
            .split_last_chunk()
            .filter(|(own, _)| own.len() == after.args.len())
        else {
            return Err(format!(
                "it has {} arguments and takes {}",
                after.args.len() + 2,
                params.len()
            ));
        };
        let fits = |arg: &Input, wanted: TypeRef| match arg {
            Input::Constant(words) => wanted.refs == 0 && words.len() == wanted.ty.words as usize,
            Input::Param(_) => self.type_of(arg).is_some_and(|found| found.serves_as(wanted)),
            _ => false,
        };
        let misfit = after.args.iter().zip(own).position(|(arg, wanted)| !fits(arg, *wanted));
        let beyond = [first, end].into_iter().position(|wanted| !word.serves_as(*wanted));
        match misfit.or(beyond.map(|at| own.len() + at)) {
            Some(at) => Err(format!("argument {at} is no `{}`", params[at])),
            None => Ok(()),
        }
    }

    fn chunk(&self, chunk: u32) -> Result<(), String> {
        match (1..=MOST).contains(&chunk) {
            true => Ok(()),
            false => Err(bad_chunk(chunk)),
        }
    }

    /// The type of what is folded.
    fn fold(&self, op: &Fold, output: &Output) -> Result<&'static Type, String> {
        let folds = |what| format!("what is folded: {what}");
        let calls = self.calls.len();
        let Fold::Routine(routine) = op else {
            let (word, bit) = (TypeRef::of::<u32>(), TypeRef::of::<bool>());
            let fits = self.fits(&output.value, word, calls);
            fits.or_else(|what| self.fits(&output.value, bit, calls).map_err(|_| folds(what)))?;
            return Ok(word.ty);
        };
        let ty = routine.result;
        let same = |param: &TypeRef| param.refs == 0 && param.ty.same(ty.ty);
        if ty.refs > 0 || routine.params.len() != 2 || !routine.params.iter().all(same) {
            return Err(format!("`{}` does not make one value of two of its type", routine.name));
        }
        self.fits(&output.value, ty, calls).map_err(folds)?;
        Ok(ty.ty)
    }

    /// Whether a value of each element may be stored.
    fn store(&self, output: &Output) -> Result<(), String> {
        let wanted = match self.writable(output.to) {
            Some(_) if self.is_handed_on(output.to) => return Err(chunk_and_column(output.to)),
            Some(element) => TypeRef::value(element),
            None if self.is_loop() => return Err(no_column(output.to)),
            None => self.record_type(output.to)?,
        };
        self.goes(output, wanted)
    }

    /// Whether a call gets a launch parameter as it is.
    fn is_handed_on(&self, param: usize) -> bool {
        let mut args = self.calls.iter().flat_map(|call| &call.args);
        args.any(|arg| *arg == Input::Param(param))
    }

    fn goes(&self, output: &Output, wanted: TypeRef) -> Result<(), String> {
        self.fits(&output.value, wanted, self.calls.len())
            .map_err(|what| format!("the value for parameter {}: {what}", output.to))
    }

    fn record_of(&self, output: &Output, op: &Fold) -> Result<(), String> {
        let wanted = self.record_type(output.to)?;
        let folded = match op {
            Fold::Routine(routine) => routine.result,
            Fold::Add => TypeRef::of::<u32>(),
        };
        match folded.serves_as(wanted) {
            true => Ok(()),
            false => Err(format!(
                "`{folded}` cannot go to parameter {}, which is `{wanted}`",
                output.to
            )),
        }
    }

    fn record_type(&self, to: usize) -> Result<TypeRef, String> {
        if to == self.params.len() {
            return Ok(self.result);
        }
        let record = |param: &&TypeRef| param.refs == 1 && param.mutable && param.ty.kind != Kind::Slice;
        let param = self.params.get(to).filter(record);
        param
            .map(|param| TypeRef::value(param.ty))
            .ok_or_else(|| format!("parameter {to} is no `&mut T`, so that nothing can be stored to it"))
    }

    /// The type of the elements of a launch parameter that is a column to write.
    fn writable(&self, param: usize) -> Option<&'static Type> {
        self.column(param).filter(|_| self.params[param].mutable)
    }

    fn whole(&self, param: usize, ty: &'static Type) -> Result<(), String> {
        let column = self.writable(param).ok_or_else(|| no_column(param))?;
        self.is(param, column, ty)
    }

    fn read(&self, param: usize, ty: &'static Type) -> Result<(), String> {
        let column = self.column(param);
        let column = column.ok_or_else(|| format!("parameter {param}, of what the chunks come to, is no `&[T]`"))?;
        self.is(param, column, ty)
    }

    fn is(&self, param: usize, column: &Type, ty: &Type) -> Result<(), String> {
        match column.same(ty) {
            true => Ok(()),
            false => Err(format!(
                "parameter {param} is a column of `{column}`, and `{ty}` is needed"
            )),
        }
    }

    fn one_precision(&self) -> Result<(), String> {
        // A span has no floats.
        let mut routines = self.calls.iter().map(|call| &call.routine).chain(self.operator());
        let Some(first) = routines.next() else {
            return Ok(());
        };
        match routines.find(|routine| routine.relaxed != first.relaxed) {
            Some(other) => Err(format!(
                "one of `{}` and `{}` is relaxed and the other is not: give each a kernel of its own",
                first.name, other.name
            )),
            None => Ok(()),
        }
    }
}

fn no_column(param: usize) -> String {
    format!("parameter {param} is no `&mut [T]`, so that elements cannot be stored to it")
}

fn chunk_and_column(param: usize) -> String {
    format!("parameter {param} cannot be a call's chunk and a whole column for elements as well")
}

fn too_many(count: u32) -> String {
    format!("{count} elements are too many: at most {MOST} are possible")
}

fn bad_chunk(chunk: u32) -> String {
    format!("a chunk of {chunk} elements is not possible: it has 1 to {MOST}")
}
