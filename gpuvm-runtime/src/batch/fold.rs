//! Folding what each routine of a batch gives for its cases, so that one value a routine comes back.

use std::sync::Arc;

use gpuvm_core::facts::RoutineType;
use gpuvm_core::kernel::{Call, Count, Fold, Input, Kernel, Output, Then};
use gpuvm_core::program::{Choice, Program};
use gpuvm_core::routine::RoutineRef;
use gpuvm_core::settings::Settings;
use gpuvm_core::types::TypeRef;
use gpuvm_macros::routine;

use super::link::Form;
use crate::error::{Error, Result};
use crate::native::vm;
use crate::runtime::Runtime;
use crate::types::column;

/// The most VMs of a routine, its *lanes*.
const MOST_LANES: u32 = 256;

/// How a batch is folded.
pub(super) struct Folding {
    /// The operator.
    pub op: RoutineRef,
    /// VMs of each routine.
    pub lanes: u32,
}

/// The cases of a VM: every so many of its routine's, as many as there are lanes.
#[allow(dead_code, reason = "VMs run it, and nobody else")]
#[routine(library)]
fn cases_of_lane(cases: u32, lanes: u32) -> (u32, u32, u32) {
    (vm::id() % lanes, lanes, cases)
}

impl Folding {
    /// That of so many cases.
    ///
    /// # Errors
    ///
    /// [`Error::Batch`] if the operator does not make one value of two results.
    pub fn new(op: RoutineRef, result: TypeRef, cases: usize) -> Result<Folding> {
        let is_result = |ty: &TypeRef| ty.refs == 0 && ty.ty.same(result.ty);
        if op.params.len() != 2 || !op.params.iter().chain([&op.result]).all(is_result) {
            return Err(Error::Batch {
                reason: format!(
                    "its results are folded by a routine `fn({result}, {result}) -> {result}`, and `{}` is `{}`",
                    op.name,
                    op.signature()
                ),
            });
        }
        let lanes = u32::try_from(cases).unwrap_or(u32::MAX).clamp(1, MOST_LANES);
        Ok(Folding { op, lanes })
    }

    /// The kernel in which each lane folds its cases. Behind the parameters of the form, which end with the number of cases, comes that of lanes.
    pub fn of_lanes(&self, mut kernel: Kernel, cases: usize) -> Kernel {
        let lanes = cases + 1;
        kernel.count = Count::Cell(cases);
        kernel.then = Some(Then::ReduceSpans {
            op: Fold::Routine(self.op.clone()),
            partial: Output {
                value: Input::Call(0),
                to: kernel.params.len(),
            },
            span: Call {
                routine: cases_of_lane::routine().into(),
                args: vec![Input::Param(cases), Input::Param(lanes)],
            },
            // There are many to link.
            rolled: true,
        });
        kernel.stores.clear();
        kernel
    }

    /// The program whose VMs fold the lanes of a routine each.
    ///
    /// # Errors
    ///
    /// [`Error::Link`].
    pub fn of_routines(&self, runtime: &Runtime, result: TypeRef, settings: &Settings) -> Result<Arc<Program>> {
        let kernel = Kernel {
            name: format!("fold by {}", self.op.name),
            params: vec![column(result.ty, false)],
            result,
            calls: Vec::new(),
            count: Count::Slice(0),
            stores: Vec::new(),
            then: Some(Then::ReduceChunks {
                op: Fold::Routine(self.op.clone()),
                partial: Output {
                    value: Input::Element(0),
                    to: 1,
                },
                chunk: self.lanes,
            }),
        };
        runtime.link_kernel_behind(&kernel, settings, &[])
    }

    /// How VMs find their program: so many in a row have the same.
    pub fn adapt(form: &mut Form) {
        form.choice = Choice::InRows(form.params.len());
        form.params.push(TypeRef::of::<u32>());
    }
}
