//! What a plan does, told to a program.

use gpuvm_engine::Engine;

use super::{
    ColumnReport, KernelReport, LoopReport, Matrices, NodeKind, NodeReport, ReadReport, Report, Sight, StepReport,
};
use crate::json::{Json, ToJson, fields};

impl Report {
    /// It as JSON: an object with the fields that it has here, and so on for what is in it. Enumerations are words, and `None` is `null`.
    pub fn to_json(&self) -> String {
        self.json().in_lines()
    }
}

impl ToJson for Report {
    fn json(&self) -> Json {
        fields!(self;
            engine, scope, nodes, phases, steps, loops, columns, peak_bytes, peak_bytes_without_reuse, matrices,
        )
    }
}

impl ToJson for LoopReport {
    fn json(&self) -> Json {
        fields!(self; node, most_turns, states, next, flag, body)
    }
}

impl ToJson for Engine {
    fn json(&self) -> Json {
        Json::Text(self.to_string())
    }
}

impl ToJson for NodeReport {
    fn json(&self) -> Json {
        fields!(self;
            label, scope, kind, routine, element, entries, entries_known, bytes, phase, step, kept, same_as, reads,
        )
    }
}

impl ToJson for NodeKind {
    fn json(&self) -> Json {
        Json::Text(self.to_string())
    }
}

impl ToJson for ReadReport {
    fn json(&self) -> Json {
        fields!(self; node, sight)
    }
}

impl ToJson for Sight {
    fn json(&self) -> Json {
        let word = match self {
            Sight::Own => "own",
            Sight::OwnRef => "own_ref",
            Sight::Uniform => "uniform",
            Sight::Whole => "whole",
            Sight::Record => "record",
            Sight::Chunk => "chunk",
            Sight::Atomic => "atomic",
        };
        word.json()
    }
}

impl ToJson for StepReport {
    fn json(&self) -> Json {
        fields!(self; members, stored, kernels)
    }
}

impl ToJson for KernelReport {
    fn json(&self) -> Json {
        fields!(self; name, instructions, instructions_by_class, estimated_epochs, matrices)
    }
}

impl ToJson for Matrices {
    fn json(&self) -> Json {
        fields!(self; sparse, dense, bytes, bytes_all_dense)
    }
}

impl ToJson for ColumnReport {
    fn json(&self) -> Json {
        fields!(self; node, bytes, from_step, free_from_step, can_replace)
    }
}
