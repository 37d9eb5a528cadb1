//! Random methods: of the module's structs, and of a trait on one of its numbers. Those by `&mut self` stand as arguments of others on
//! the same value wherever rustc lets them.

use crate::rng::Rng;
use crate::types::{Ty, Types};
use crate::writer::{Helper, Mode, Writer};

/// How a method takes what it is called on.
#[derive(Clone, Copy, PartialEq)]
pub enum By {
    /// As `self`.
    Value,
    /// As `&self`.
    Reference,
    /// As `&mut self`.
    Mutable,
}

/// What a method is called on.
#[derive(Clone, PartialEq)]
pub struct Receiver {
    pub on: Ty,
    pub by: By,
}

/// The trait whose methods the module's numbers have.
const TRAIT: &str = "Turn";

/// Signatures of methods on the module's structs and on one of its scalars.
pub fn random(rng: &mut Rng, types: &Types) -> Vec<Helper> {
    let mut methods = Vec::new();
    for s in 0..types.structs.len() {
        let count = 2 + rng.below(2);
        methods.extend((0..count).map(|_| (Ty::Struct(s), By::Mutable)));
    }
    let number = types.scalar(rng);
    methods.extend([By::Mutable, By::Value].map(|by| (number.clone(), by)));
    let of = |(m, (on, first)): (usize, (Ty, By))| Helper {
        name: format!("m{m}"),
        params: (0..rng.below(3)).map(|_| (types.scalar(rng), Mode::Value)).collect(),
        closure: None,
        // Mostly what it is called on has fields of, so that it may be an argument of their methods.
        result: match &on {
            Ty::Struct(s) if rng.chance(60) => rng.pick(&types.structs[*s]),
            Ty::Scalar(_) if rng.chance(60) => on.clone(),
            _ => types.scalar(rng),
        },
        receiver: Some(Receiver {
            by: match on {
                Ty::Struct(_) => rng.pick(&[first, first, By::Reference, By::Value]),
                _ => first,
            },
            on,
        }),
    };
    methods.into_iter().enumerate().map(of).collect()
}

/// The `impl`s, of methods as they were written, and the trait.
pub fn implementations(methods: &[(Helper, String)]) -> String {
    let mut types: Vec<&Ty> = Vec::new();
    for (method, _) in methods {
        if let Some(Receiver { on, .. }) = &method.receiver
            && !types.contains(&on)
        {
            types.push(on);
        }
    }
    let mut source = String::new();
    for on in types {
        let of_type = methods
            .iter()
            .filter(|(method, _)| method.receiver.as_ref().is_some_and(|receiver| receiver.on == *on));
        let bodies: String = of_type.clone().map(|(_, written)| written.as_str()).collect();
        let mut head = format!("impl {}", on.name());
        if !matches!(on, Ty::Struct(_)) {
            let heads = of_type.map(|(_, written)| written.split_once(" {\n").map_or("", |(head, _)| head));
            let declared: String = heads.map(|head| format!("    {head};\n")).collect();
            source += &format!("#[routine]\ntrait {TRAIT} {{\n{declared}}}\n\n");
            head = format!("impl {TRAIT} for {}", on.name());
        }
        source += &format!("#[routine]\n{head} {{\n{bodies}}}\n\n");
    }
    source
}

impl Writer<'_> {
    /// A call of a method that gives the type.
    pub fn method_call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let mut methods = self.methods.to_vec();
        methods.retain(|method| method.result == *ty);
        self.call_one_of(methods, depth)
    }

    /// A call of a method that may change what it is called on, as a statement.
    pub fn method_statement(&mut self) {
        let methods = self.methods.to_vec();
        match self.call_one_of(methods, 1) {
            Some(call) => self.line(&format!("let _ = {call};")),
            None => self.assign(),
        }
    }

    fn call_one_of(&mut self, mut methods: Vec<Helper>, depth: usize) -> Option<String> {
        if self.repeated > 1 {
            return None;
        }
        while !methods.is_empty() {
            let method = methods.swap_remove(self.rng.below(methods.len()));
            if let Some(receiver) = &method.receiver
                && let Some(call) = self.call_on(receiver, &method, depth)
            {
                return Some(call);
            }
        }
        None
    }

    /// Two values of the type for an operator. Where one can be found, the one is read from a variable that the other changes.
    pub fn operands(&mut self, ty: &Ty, depth: usize) -> (String, String) {
        match self.entangled([ty, ty], depth) {
            Some((read, changes)) if self.rng.chance(70) => (read, changes),
            Some((read, changes)) => (changes, read),
            None => (self.expression(ty, depth), self.expression(ty, depth)),
        }
    }

    /// Now and then, if the types allow it: what is read from a variable, as it is or converted, and a call of a method that changes that.
    pub fn entangled(&mut self, [read, changing]: [&Ty; 2], depth: usize) -> Option<(String, String)> {
        if !self.types.features.methods || self.repeated > 1 || !self.rng.chance(50) {
            return None;
        }
        let from = match read.is_integer() && self.rng.chance(40) {
            true => Ty::Scalar(self.types.integer(self.rng)),
            false => read.clone(),
        };
        let gives = |ty: &Ty| ty == changing || ty.is_integer() && (changing.is_integer() || changing.is_float());
        let mut found = Vec::new();
        for variable in self.variables(true) {
            for method in self.methods {
                if let Some(receiver) = &method.receiver
                    && receiver.by == By::Mutable
                    && gives(&method.result)
                    && let (Some(place), Some(changed)) = (
                        self.place_within(&variable, &from),
                        self.place_within(&variable, &receiver.on),
                    )
                {
                    found.push((variable.name.clone(), place, changed, method));
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        let (name, place, changed, method) = self.rng.pick(&found);
        self.note(&name, true);
        let call = self.call_lending(&name, method, depth.min(1));
        let converted = |value: String, from: &Ty, to: &Ty| match from == to {
            true => value,
            false => format!("({value} as {})", to.name()),
        };
        Some((
            converted(place, &from, read),
            converted(format!("{changed}.{call}"), &method.result, changing),
        ))
    }

    /// Changes what a method is called on, so that it matters when it is.
    pub fn change_self(&mut self, on: &Ty) {
        let (place, ty) = match on {
            Ty::Struct(s) => {
                let f = self.rng.below(self.types.structs[*s].len());
                (format!("self.f{f}"), self.types.structs[*s][f].clone())
            }
            _ => ("*self".to_string(), on.clone()),
        };
        let value = match &ty {
            Ty::Scalar(name) if ty.is_integer() => self.integer(name, 1),
            Ty::Scalar(name @ ("f32" | "f64")) => self.float(name, 1),
            _ => self.expression(&ty, 2),
        };
        self.line(&format!("{place} = {value};"));
    }

    /// Its arguments may read what it borrows, and change what it takes by value.
    fn call_on(&mut self, receiver: &Receiver, method: &Helper, depth: usize) -> Option<String> {
        if receiver.by == By::Value {
            let value = self.expression(&receiver.on, depth.min(1));
            return Some(format!("{value}.{}", self.call_of(method, "", depth)));
        }
        let (name, place) = self.place_in(&receiver.on, receiver.by == By::Mutable)?;
        let call = self.call_lending(&name, method, depth);
        Some(format!("{place}.{call}"))
    }

    /// The method's name and its arguments, which may read the variable that it borrows.
    fn call_lending(&mut self, variable: &str, method: &Helper, depth: usize) -> String {
        self.holding(|writer| {
            writer.lend(variable, false);
            writer.call_of(method, "", depth)
        })
    }
}
