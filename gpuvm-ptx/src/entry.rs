//! The kernel around the entry point: its parameters, variables and built-in values, and the loop over workgroups where a fixed grid
//! does the work of one whose size is found on the device.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use naga::valid::ModuleInfo;
use naga::{
    AddressSpace, Binding, BuiltIn, EntryPoint, GlobalVariable, Handle, Module, ShaderStage, StorageAccess, TypeInner,
};

use crate::analysis::Analysis;
use crate::error::{invalid, unsupported};
use crate::layout::Layout;
use crate::operand::{Operand, Ty, Width};
use crate::options::{Grid, Kernel, Options, Parameter, Words};
use crate::place::{Address, Base, Place, Space};
use crate::resident::{Copied, LOOKOUT, OWN, Residence};
use crate::text::{Label, Text};
use crate::translator::{Buffer, Evaluated, Frame, Translator, Value};
use crate::{Error, Result};

/// Bytes of parameters that every driver and device takes.
const MOST_PARAMETER_BYTES: u32 = 4096;

/// Translates a module.
pub fn translate(module: &Module, info: &ModuleInfo, options: &Options) -> Result<Kernel> {
    let [point] = &module.entry_points[..] else {
        return Err(Error::EntryPoints(module.entry_points.len()));
    };
    if point.stage != ShaderStage::Compute {
        return Err(Error::Stage(point.name.clone()));
    }
    if point.workgroup_size_overrides.is_some() || !module.overrides.is_empty() {
        return Err(unsupported("an override that has not been resolved"));
    }
    let mut translator = Translator {
        module,
        info,
        options,
        layout: Layout::new(module)?,
        analysis: Analysis::new(module, info),
        text: Text::default(),
        frame: Frame {
            handle: None,
            function: &point.function,
            info: info.get_entry_point(0),
            values: vec![None; point.function.expressions.len()],
            arguments: Vec::new(),
            locals: Vec::new(),
            result: Vec::new(),
            returns_once: false,
            end: Text::default().label(),
            breaks: None,
            continues: None,
        },
        globals: HashMap::new(),
        buffers: Vec::new(),
        copies: Vec::new(),
        symbols: HashMap::new(),
        depots: HashMap::new(),
        widened: HashMap::new(),
        overlay: None,
        known: HashMap::new(),
        bounds: HashMap::new(),
        used: HashSet::new(),
    };
    translator.frame.end = translator.text.label();
    let mut parameters = Vec::new();
    translator.globals(&mut parameters)?;
    match options.grid {
        Grid::Launched => {}
        Grid::Indirect => parameters.push(Parameter::Grid),
        Grid::Resident(_) => parameters.push(Parameter::Mailbox),
    }
    translator.kernel(point)?;
    let entry = entry_name(&point.name);
    let declared = declared(&parameters, options.grid)?;
    let [x, y, z] = point.workgroup_size;
    let lookout = if options.grid.is_resident() { LOOKOUT } else { 0 };
    // Writing to a string cannot fail.
    let (version, target) = match options.dependent_launch {
        true => ("7.8", "sm_90"),
        false => ("7.0", "sm_70"),
    };
    let mut text = format!(".version {version}\n.target {target}\n.address_size 64\n\n");
    let _ = writeln!(
        text,
        ".visible .entry {entry}({declared}\n)\n.maxntid {}, {y}, {z}",
        x + lookout
    );
    if translator.text.longest_stretch() >= LONG_STRETCH {
        let threads = (x + lookout) * y * z;
        let blocks = (REGISTERS / MOST_REGISTERS / threads.max(1)).max(1);
        let _ = writeln!(text, ".minnctapersm {blocks}");
    }
    text.push_str("{\n");
    text.push_str(&translator.text.finish());
    text.push_str("}\n");
    Ok(Kernel {
        text,
        entry,
        workgroup: point.workgroup_size,
        lookout,
        parameters,
    })
}

/// From how many instructions without a jump between them on a thread has enough to do while it waits for some of them: NVIDIA's assembler puts
/// what does not depend on each other side by side if it may have registers for that, and may not by itself, as it looks for as many threads as
/// have room.
const LONG_STRETCH: usize = 256;
/// Registers that a thread may have then.
const MOST_REGISTERS: u32 = 256;
/// Registers of a multiprocessor.
const REGISTERS: u32 = 1 << 16;

/// The entry point's name as PTX can have it; none of its instructions is called like this.
fn entry_name(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    format!("kernel_{}", letters.collect::<String>())
}

/// The list of parameters.
fn declared(parameters: &[Parameter], grid: Grid) -> Result<String> {
    let mut text = String::new();
    let mut bytes: u32 = 0;
    for (number, parameter) in parameters.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        let (size, declaration) = match *parameter {
            Parameter::Buffer { .. } => {
                let declaration = format!(".param .u64 buffer_{number},\n\t.param .u64 length_{number}");
                (16, declaration)
            }
            Parameter::Uniform { .. } if grid.is_resident() => (8, format!(".param .u64 uniform_{number}")),
            Parameter::Uniform { size, .. } => (
                size.next_multiple_of(16),
                format!(".param .align 16 .b8 uniform_{number}[{size}]"),
            ),
            Parameter::Grid => (8, ".param .u64 grid".to_string()),
            Parameter::Mailbox => (8, ".param .u64 mailbox".to_string()),
        };
        bytes = bytes.saturating_add(size);
        let _ = write!(text, "{comma}\n\t{declaration}");
    }
    if bytes > MOST_PARAMETER_BYTES {
        return Err(Error::Parameters(bytes, MOST_PARAMETER_BYTES));
    }
    Ok(text)
}

/// What workgroups a block does the work of.
enum Rounds {
    /// One.
    One,
    /// Those of a grid that is looped over.
    Indirect(Indirect),
    /// Those that requests ask for.
    Resident(Residence),
}

/// The registers of a grid that is looped over.
struct Indirect {
    /// The number of the workgroup at hand.
    number: Operand,
    /// Workgroups in each dimension.
    groups: [Operand; 3],
    /// Blocks of the launch.
    blocks: Operand,
    /// Where the next workgroup begins.
    again: Label,
    /// What follows the last one.
    end: Label,
}

impl<'a> Translator<'a> {
    /// Gives places to the variables that the entry point uses.
    fn globals(&mut self, parameters: &mut Vec<Parameter>) -> Result<()> {
        let module: &'a Module = self.module;
        for (handle, variable) in module.global_variables.iter() {
            if self.frame.info[handle].is_empty() {
                continue;
            }
            let place = self.global(handle, variable, parameters)?;
            self.globals.insert(handle, place);
        }
        Ok(())
    }

    fn global(
        &mut self,
        handle: Handle<GlobalVariable>,
        variable: &'a GlobalVariable,
        parameters: &mut Vec<Parameter>,
    ) -> Result<Place> {
        let inner = self.layout.inner(variable.ty);
        let size = match variable.space {
            AddressSpace::Handle => {
                let name = variable.name.as_deref().unwrap_or("without a name");
                let what = crate::layout::name(inner);
                return Err(unsupported(format!("the variable `{name}`, which is {what},")));
            }
            _ => self.layout.size(variable.ty),
        };
        let number = parameters.len();
        let binding = || {
            let binding = variable.binding.as_ref();
            binding.ok_or_else(|| invalid("a variable without a binding"))
        };
        Ok(match variable.space {
            AddressSpace::Private => {
                let indexed = self.analysis.globals.contains(&handle);
                self.variable(inner, indexed, &format!("private_{}", handle.index()))?
            }
            AddressSpace::WorkGroup => Place::Memory(Address::of(Space::Shared, &format!("shared_{}", handle.index()))),
            AddressSpace::Uniform => {
                let binding = binding()?;
                parameters.push(Parameter::Uniform {
                    group: binding.group,
                    binding: binding.binding,
                    size,
                });
                let name = format!("uniform_{number}");
                if !self.options.grid.is_resident() {
                    return Ok(Place::Memory(Address::of(Space::Param, &name)));
                }
                let base = self.parameter(&name);
                match self.copied(binding.group, binding.binding) {
                    Some(words) if 4 * words.words < size => {
                        return Err(unsupported("a copy of less than a whole uniform"));
                    }
                    Some(words) => {
                        let bytes = Operand::ConstLong(size.next_multiple_of(16).into());
                        Place::Memory(self.copy(base, bytes, words))
                    }
                    None => Place::Memory(Address {
                        base: Base::Register(base),
                        ..Address::of(Space::Global, &name)
                    }),
                }
            }
            AddressSpace::Storage { access } => {
                let binding = binding()?;
                let (group, binding) = (binding.group, binding.binding);
                let own = self.options.grid.own();
                if own.answered.is_some_and(|words| words.are_of(group, binding)) {
                    return Ok(Place::Memory(Address::of(Space::Shared, OWN)));
                }
                let writable = access.contains(StorageAccess::STORE);
                parameters.push(Parameter::Buffer {
                    group,
                    binding,
                    writable,
                });
                let base = self.parameter(&format!("buffer_{number}"));
                // What stays sees what is only read change from request to request.
                let changes = writable || self.options.grid.is_resident();
                let length = format!("length_{number}");
                let copied = self.copied(group, binding).filter(|_| !writable);
                let copied = copied.map(|words| {
                    let bytes = self.text.in_head(|text| {
                        let bytes = text.register(Width::Long);
                        text.line(format_args!("ld.param.u64 {bytes}, [{length}]"));
                        bytes
                    });
                    self.copy(base, bytes, words)
                });
                self.buffers.push(Buffer { length, bound: None });
                let buffer = Some(self.buffers.len() - 1);
                if let Some(copied) = copied {
                    return Ok(Place::Memory(Address { buffer, ..copied }));
                }
                Place::Memory(Address {
                    space: if changes { Space::Global } else { Space::Constant },
                    base: Base::Register(base),
                    offset: 0,
                    align: 16,
                    buffer,
                })
            }
            other => return Err(unsupported(format!("a variable in the space {other:?}"))),
        })
    }

    /// The words of a buffer that the workgroup has a copy of.
    fn copied(&self, group: u32, binding: u32) -> Option<Words> {
        let mut copied = self.options.grid.own().copied.into_iter().flatten();
        copied.find(|words| words.are_of(group, binding))
    }

    /// The copy of a buffer that has so many bytes from there on.
    fn copy(&mut self, base: Operand, bytes: Operand, words: Words) -> Address {
        let name = format!("copied_{}", self.copies.len());
        let room = (4 * words.words).next_multiple_of(16);
        self.text.declare(format_args!(".shared .align 16 .b8 {name}[{room}]"));
        let copy = Address::of(Space::Shared, &name);
        self.copies.push(Copied { name, base, bytes });
        copy
    }

    /// The address that a parameter has, in a register.
    fn parameter(&mut self, name: &str) -> Operand {
        self.text.in_head(|text| {
            let [parameter, base] = [(); 2].map(|()| text.register(Width::Long));
            text.line(format_args!("ld.param.u64 {parameter}, [{name}]"));
            text.line(format_args!("cvta.to.global.u64 {base}, {parameter}"));
            base
        })
    }

    /// Writes the entry point, for one workgroup or in a loop over them.
    fn kernel(&mut self, point: &'a EntryPoint) -> Result<()> {
        if self.options.dependent_launch && !self.options.grid.is_resident() {
            self.text.line(format_args!("griddepcontrol.wait"));
        }
        let rounds = match self.options.grid {
            Grid::Launched => Rounds::One,
            Grid::Indirect => Rounds::Indirect(self.begin_loop()),
            Grid::Resident(_) => Rounds::Resident(self.begin_residence(point)?),
        };
        let in_a_row = |number| [number, Operand::ConstWord(0), Operand::ConstWord(0)];
        let ids = match &rounds {
            Rounds::One => ["ctaid", "nctaid"].map(|name| self.special(name)),
            Rounds::Indirect(indirect) => [self.workgroup_id(indirect), indirect.groups],
            Rounds::Resident(residence) => {
                let one = Operand::ConstWord(1);
                [in_a_row(residence.number), [residence.groups, one, one]]
            }
        };
        let start = self.text.mark();
        for argument in &point.function.arguments {
            let value = match (&argument.binding, self.layout.inner(argument.ty)) {
                (Some(Binding::BuiltIn(builtin)), _) => self.builtin(*builtin, point, ids)?,
                (None, TypeInner::Struct { members, .. }) => {
                    let mut value = Value::new();
                    for member in members {
                        match member.binding {
                            Some(Binding::BuiltIn(builtin)) => value.extend(self.builtin(builtin, point, ids)?),
                            _ => return Err(invalid("an argument that is not built in")),
                        }
                    }
                    value
                }
                _ => return Err(invalid("an argument that is not built in")),
            };
            self.frame.arguments.push(Evaluated::Value(value));
        }
        self.begin_function()?;
        self.block(&point.function.body)?;
        let end = self.frame.end;
        self.text.place(end);
        let shares = self.initialize(start)?;
        // Those that are done must not write for the next workgroup what others still read for this one.
        if shares && !matches!(rounds, Rounds::One) {
            self.barrier();
        }
        match rounds {
            Rounds::One => {}
            Rounds::Indirect(indirect) => {
                let Indirect {
                    number, blocks, again, ..
                } = indirect;
                self.text.op_into(number, "add", Ty::U64, &[number, blocks]);
                self.text.jump(again);
                self.text.place(indirect.end);
            }
            Rounds::Resident(residence) => self.end_residence(&residence),
        }
        self.text.line(format_args!("ret"));
        Ok(())
    }

    /// Declares the module's own variables, those that have turned out to be used, and writes what they start as to where they do. Tells
    /// whether the workgroup shares any.
    fn initialize(&mut self, start: usize) -> Result<bool> {
        let module: &'a Module = self.module;
        let written = self.text.split_off(start);
        let mut shares = false;
        for (handle, variable) in module.global_variables.iter() {
            let Some(place) = self
                .globals
                .get(&handle)
                .filter(|_| self.used.contains(&handle))
                .cloned()
            else {
                continue;
            };
            // What is a buffer's and in the workgroup's memory is there already.
            if !matches!(variable.space, AddressSpace::Storage { .. } | AddressSpace::Uniform) {
                self.declare(&place, self.layout.size(variable.ty));
            }
            shares |= variable.space == AddressSpace::WorkGroup;
            if variable.space != AddressSpace::Private {
                continue;
            }
            let inner = self.layout.inner(variable.ty);
            match variable.init {
                Some(init) => {
                    let value = self.global_value(init)?;
                    self.store(&place, inner, &value)?;
                }
                None => self.clear(&place, inner)?,
            }
        }
        self.text.append(&written);
        Ok(shares)
    }

    fn begin_loop(&mut self) -> Indirect {
        let text = &mut self.text;
        let address = text.register(Width::Long);
        text.line(format_args!("ld.param.u64 {address}, [grid]"));
        text.line(format_args!("cvta.to.global.u64 {address}, {address}"));
        let groups = [0, 4, 8].map(|offset| {
            let count = text.register(Width::Word);
            text.line(format_args!("ld.global.b32 {count}, [{address}+{offset}]"));
            count
        });
        let count = text.register(Width::Long);
        let [x, y, z] = groups;
        text.line(format_args!("mul.wide.u32 {count}, {x}, {y}"));
        let depth = text.convert("cvt", Ty::U64, Ty::U32, z);
        text.op_into(count, "mul.lo", Ty::U64, &[count, depth]);
        let [id, size] = ["ctaid", "nctaid"].map(|name| self.special(name));
        let text = &mut self.text;
        let row = text.op("mad.lo", Ty::U32, &[id[2], size[1], id[1]]);
        let wide = text.convert("cvt", Ty::U64, Ty::U32, id[0]);
        let number = text.register(Width::Long);
        text.line(format_args!("mad.wide.u32 {number}, {row}, {}, {wide}", size[0]));
        let blocks = text.register(Width::Long);
        let rows = text.op("mul.lo", Ty::U32, &[size[1], size[2]]);
        text.line(format_args!("mul.wide.u32 {blocks}, {rows}, {}", size[0]));
        let (again, end) = (text.label(), text.label());
        text.place_first(again);
        let done = text.compare("ge", Ty::U64, number, count);
        text.jump_if(done, true, end);
        Indirect {
            number,
            groups,
            blocks,
            again,
            end,
        }
    }

    fn workgroup_id(&mut self, indirect: &Indirect) -> [Operand; 3] {
        let [width, height, depth] = indirect.groups;
        let text = &mut self.text;
        let [x, y, z] = [(); 3].map(|()| text.register(Width::Word));
        text.line(format_args!("cvt.u32.u64 {x}, {}", indirect.number));
        text.copy_into(y, Operand::ConstWord(0));
        text.copy_into(z, Operand::ConstWord(0));
        // Most grids are one row. A division of 64 bits takes longer than many a kernel's work.
        let is_row = text.label();
        let rows = text.op("or", Ty::B32, &[height, depth]);
        let one = text.compare("eq", Ty::U32, rows, Operand::ConstWord(1));
        text.jump_if(one, true, is_row);
        let wide = text.convert("cvt", Ty::U64, Ty::U32, width);
        let row = text.op("div", Ty::U64, &[indirect.number, wide]);
        let product = text.op("mul.lo", Ty::U64, &[row, wide]);
        let column = text.op("sub", Ty::U64, &[indirect.number, product]);
        text.line(format_args!("cvt.u32.u64 {x}, {column}"));
        let row = text.convert("cvt", Ty::U32, Ty::U64, row);
        text.op_into(y, "rem", Ty::U32, &[row, height]);
        text.op_into(z, "div", Ty::U32, &[row, height]);
        text.place(is_row);
        [x, y, z]
    }

    /// A special register of three words.
    fn special(&mut self, name: &str) -> [Operand; 3] {
        ["x", "y", "z"].map(|dimension| {
            let register = self.text.register(Width::Word);
            self.text.line(format_args!("mov.u32 {register}, %{name}.{dimension}"));
            register
        })
    }

    fn builtin(&mut self, builtin: BuiltIn, point: &EntryPoint, ids: [[Operand; 3]; 2]) -> Result<Value> {
        let [group, groups] = ids;
        let size = point.workgroup_size.map(Operand::ConstWord);
        Ok(match builtin {
            BuiltIn::WorkGroupId => group.to_vec(),
            BuiltIn::NumWorkGroups => groups.to_vec(),
            BuiltIn::WorkGroupSize => size.to_vec(),
            BuiltIn::LocalInvocationId => self.local_id(point).to_vec(),
            BuiltIn::LocalInvocationIndex => {
                let [x, y, z] = self.local_id(point);
                if point.workgroup_size[1..] == [1, 1] {
                    return Ok(vec![x]);
                }
                let row = self.text.op("mad.lo", Ty::U32, &[z, size[1], y]);
                vec![self.text.op("mad.lo", Ty::U32, &[row, size[0], x])]
            }
            BuiltIn::GlobalInvocationId => {
                let local = self.local_id(point);
                let places = group.into_iter().zip(size).zip(local);
                let each = places.map(|((group, size), local)| self.text.op("mad.lo", Ty::U32, &[group, size, local]));
                each.collect()
            }
            other => return Err(unsupported(format!("the built-in value {other:?}"))),
        })
    }

    /// The invocation's place in its workgroup.
    fn local_id(&mut self, point: &EntryPoint) -> [Operand; 3] {
        let mut id = self.special("tid");
        for (place, size) in id.iter_mut().zip(point.workgroup_size) {
            if size == 1 {
                *place = Operand::ConstWord(0);
            }
        }
        id
    }
}
