//! What the macros refuse, one constructor a rule. Errors pile up while a routine is lowered and reach the user all at once, each on the
//! exact token, each saying what to write instead.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// The errors found so far.
#[derive(Default)]
pub struct Report {
    errors: Vec<syn::Error>,
    /// What rustc refuses in the user's function, in better words, so that nothing else is asked of it.
    left: Vec<syn::Error>,
}

impl Report {
    /// Whether nothing was refused.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty() && self.left.is_empty()
    }

    /// Whether rustc has all that there is to say.
    pub fn is_left_to_rustc(&self) -> bool {
        self.errors.is_empty()
    }

    /// Takes over an error of the parser.
    pub fn push(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// All errors as `compile_error!`s, and as lints what is left to rustc; nothing where there were none.
    pub fn into_tokens(self) -> TokenStream {
        let errors = self.errors.into_iter().map(syn::Error::into_compile_error);
        errors.chain(self.left.iter().map(unless_refused)).collect()
    }

    /// Leaves it to rustc to refuse what the bounds of a type parameter do not promise.
    pub fn not_promised(&mut self, tokens: impl ToTokens, what: &str) {
        let message = format!("no bound of this type parameter promises this {what}");
        self.left.push(syn::Error::new_spanned(tokens, message));
    }

    /// A bound by a trait that is no routine, of which a method is called.
    pub fn host_trait(&mut self, of: &syn::Path, method: &str) {
        let name = of
            .segments
            .last()
            .map(|last| last.ident.to_string())
            .unwrap_or_default();
        let message = format!(
            "a routine cannot call `{method}` on what is known by `{name}` alone; put `#[routine]` above the trait `{name}`"
        );
        // Several methods of a block may have the same bound.
        if self.errors.iter().all(|error| error.to_string() != message) {
            self.on(of, &message);
        }
    }

    /// Leaves it to rustc to refuse a `break` or `continue` outside of any loop.
    pub fn no_loop(&mut self, tokens: impl ToTokens) {
        let message = "this has no loop to leave or to go on with";
        self.left.push(syn::Error::new_spanned(tokens, message));
    }

    /// Leaves it to rustc to refuse a `?` in what returns neither `Option` nor `Result`.
    pub fn question_outside(&mut self, tokens: impl ToTokens) {
        let message = "`?` needs a function or closure that returns `Option` or `Result`";
        self.left.push(syn::Error::new_spanned(tokens, message));
    }

    /// Leaves it to rustc to refuse a slice or a text that is no reference.
    pub fn unsized_value(&mut self, ty: &syn::Type) {
        let message = "a value of this type has no size of its own; take it by reference, `&[T]` or `&str`";
        self.left.push(syn::Error::new_spanned(ty, message));
    }

    /// Leaves it to rustc to refuse a `self` whose size its trait does not ask for.
    pub fn unsized_receiver(&mut self, receiver: &syn::Receiver) {
        let message = "what implements this trait may have no size; write `where Self: Sized`, or `&self`";
        self.left.push(syn::Error::new_spanned(receiver, message));
    }

    /// Leaves it to rustc to refuse what is no placeholder of a text.
    pub fn format_placeholder(&mut self, text: &syn::LitStr) {
        let message = "this text has a `{}` that gpuvm cannot read";
        self.left.push(syn::Error::new_spanned(text, message));
    }

    fn on(&mut self, tokens: impl ToTokens, message: &str) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// A macro that the machine does not know.
    pub fn unknown_macro(&mut self, path: &syn::Path) {
        let name = path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        let message = match name.as_str() {
            "vec" => "`vec!` allocates, and a routine has no heap; write an array, `[value; N]`".to_owned(),
            "format" | "format_args" => {
                format!(
                    "`{name}!` makes a string, and a routine has no heap; show its values by `println!` or a panic, or write them by `write!` to a `fmt::Write` of your own"
                )
            }
            "trace" | "debug" | "info" | "warn" | "error" => {
                let mut level = name.clone();
                level[..1].make_ascii_uppercase();
                format!("inside a #[routine] `{name}!` is `gpuvm::log!(Level::{level}, \"…\")`")
            }
            _ => format!(
                "a #[routine] has to see the rules of the macro `{name}!`; put its `macro_rules!` into this file above the function, or into the function. \
                 Of std's macros it has `assert!`, `assert_eq!`, `assert_ne!`, their `debug_` forms, `panic!`, `unreachable!`, `todo!`, `unimplemented!`, \
                 `matches!`, `cfg!`, `dbg!`, `println!` and its kin"
            ),
        };
        self.on(path, &message);
    }

    /// A type with a `Deref` that is a routine, and a method that is none.
    pub fn passed_over(&mut self, ty: &syn::Type, method: &str) {
        let message = format!(
            "`{method}` of this type is no routine, so that routines would find what stands behind the `Deref` by that name; put `#[routine]` above the `impl` block that defines it"
        );
        self.on(ty, &message);
    }

    /// A type that holds references and is none of the machine's.
    pub fn underived(&mut self, name: &syn::Ident) {
        let message = format!("`{name}` cannot be used inside a #[routine]; add `#[derive(VmType)]` to its definition");
        self.on(name, &message);
    }

    /// A method that the machine's own types do not have inside a routine.
    pub fn unknown_method(&mut self, method: &syn::Ident, receiver: &str) {
        let message = match method.to_string().as_str() {
            "try_into" => format!("`.{method}()` is not available inside a #[routine]; write `as` with the type"),
            _ => format!(
                "{receiver} has no method `{method}` inside a #[routine]; write it as a #[routine] `fn` and call that"
            ),
        };
        self.on(method, &message);
    }

    /// A closure that would be a part of a value.
    pub fn kept_closure(&mut self, span: Span) {
        self.at(
            span,
            "a closure cannot be kept in a value inside a #[routine]; keep it in a variable of its own, or hand it to a routine that takes `impl Fn`",
        );
    }

    /// A closure that would be known at run time only.
    pub fn chosen_closure(&mut self, span: Span) {
        self.at(
            span,
            "which closure it is has to be known inside a #[routine]; write one closure with the `if` or `match` in it",
        );
    }

    /// Shifts the blame for a literal out of range.
    pub fn integer_too_large(&mut self, literal: &syn::LitInt) {
        self.on(
            literal,
            "this literal does not fit in 128 bits, the longest integer of the machine",
        );
    }

    /// A suffix that is no type of the machine.
    pub fn literal_suffix(&mut self, literal: &syn::Lit, suffix: &str) {
        let instead = if suffix.starts_with('f') { "f64" } else { "i128" };
        self.on(
            literal,
            &format!("`{suffix}` is not a type of the machine; write the suffix `{instead}`"),
        );
    }

    /// A ring kernel with fewer than two parameters.
    pub fn no_message(&mut self, parentheses: Span) {
        self.at(
            parentheses,
            "a ring kernel takes its actor's state and a message; write `(state: &mut State, message: Message)`",
        );
    }

    /// An error with a text of its own, at a place where no token stands.
    pub fn at(&mut self, span: Span, message: &str) {
        self.errors.push(syn::Error::new(span, message));
    }
}

/// An error as a lint: it is seen only if rustc has none of its own.
pub fn unless_refused(error: &syn::Error) -> TokenStream {
    let message = error.to_string();
    quote_spanned! {error.span()=>
        const _: () = {
            #[must_use = #message]
            const fn no_routine() -> bool {
                true
            }
            #[deny(unused_must_use)]
            const _: () = {
                no_routine();
            };
        };
    }
}

macro_rules! rules {
    ($($rule:ident: $message:literal;)*) => {
        /// The rules whose text is always the same.
        impl Report {
            $(
                #[doc = concat!("Refuses: ", $message, ".")]
                pub fn $rule(&mut self, tokens: impl ToTokens) {
                    self.on(tokens, $message);
                }
            )*
        }
    };
}

rules! {
    // Expressions.
    async_code: "async code is not available inside a #[routine]; a routine runs to its end, `vm::yield_now()` lets others go first";
    unsafe_code: "`unsafe` is not available inside a #[routine]";
    raw_pointer: "raw pointers are not available inside a #[routine]; write a reference, `&x` or `&mut x`";
    const_block: "a `const` block cannot be a pattern of a #[routine]; write `const NAME: T = …;` and use the name";
    try_block: "`try` blocks are not available inside a #[routine]; write a `match`, or `?` in a routine that returns `Option`";
    yield_expression: "`yield` is not available inside a #[routine]; `vm::yield_now()` lets other VMs go first";
    other_literal: "a routine has no text for C; write a text, `\"…\"`, or bytes, `b\"…\"`";
    infer_expression: "`_` is not a value; write one";
    unknown_expression: "this expression is not available inside a #[routine]";
    let_outside_condition: "`let` is accepted as a statement and in the condition of `if`, `while` and `match` guards";
    attribute: "attributes on expressions and statements are not available inside a #[routine]; `#[cfg(…)]`, `#[allow(…)]` and `#[rustfmt::skip]` are";
    assign_target: "this cannot be assigned to; write a variable, a field, an element, or a pattern of these";

    launch_inside: "a routine cannot launch another one; call that by its name, as a function, and launch this one from outside";

    // Patterns.
    unknown_pattern: "this pattern is not available inside a #[routine]";

    // Formatting.
    format_text: "the text has to be a literal: `panic!(\"x is {}\", x)`";
    format_arguments: "the text has another number of `{}` than there are values after it";

    // Items.
    item_kind: "#[routine] goes on a `fn`, an `impl` block or a `trait`";
    method_alone: "a method becomes a routine with its whole `impl` block; put #[routine] above the `impl`";
    primitive_name: "a routine cannot have a primitive type's name, which it would hide; rename it";
    async_routine: "a routine cannot be `async`; it runs to its end, `vm::yield_now()` lets others go first";
    unsafe_routine: "a routine cannot be `unsafe`";
    recursive_copied_callable: "a routine that calls itself would hand a copy of this closure's variables on; take the closure as `&mut impl FnMut(…)`";
    recursive_callable: "a routine that is given a closure and calls itself has to hand that closure on as it is, because another one would be of another type at each level; name the parameter itself";
    circle_of_callables: "methods that are given a closure and call each other in a circle would be written into each other without end; make one method of them, which may call itself";
    circle_of_functions: "functions that are given a closure and call each other in a circle would be written into each other without end; make one function of them, which may call itself";
    extern_routine: "a routine cannot have another ABI; remove `extern`";
    variadic_routine: "a routine cannot have a variable number of parameters; take a slice, `&[T]`";
    impl_trait: "`impl Trait` is available as the type of a parameter, and of iterators and closures as a result; name the type here";
    generic_method: "a method with parameters of its own cannot have the name of one that every type has, or of a conversion, as which calls would take it; give it another";
    dyn_trait: "trait objects are not available in a routine; write a type parameter, `fn f<T: Trait>(x: T)`";
    function_pointer: "function pointers are not available in a routine; call a routine by its path";
    mutable_static: "a `static` that changes is not available inside a #[routine], whose VMs share what atomics hold; take a slice of these, `&[AtomicU32]`";
    nested_item: "this item is not available inside a #[routine]; move it out of the function";
    receiver_type: "write `self`, `&self` or `&mut self`";
    routine_argument: "#[routine] takes `id = \"name\"`, `relaxed`, `callee` and `crate = path`";
    duplicate_argument: "this argument was given before";
    id_on_callee: "a routine with `callee` is not launched, so it has no id; remove one of the two";
    argument_value: "this argument has no value; write its name alone";
    relaxed_callee: "a routine with `callee` has the floats of the routine that is launched; remove `relaxed`, and put it there";
    arguments_on_impl: "#[routine] on an `impl` block or a `trait` takes no arguments";
    empty_id: "an id has to have at least one letter";
    generic_clone: "where a type has type parameters or lifetimes, its values are copied where they are cloned; leave out this #[routine]";
    format_of_numbers: "a text in a routine shows values of one's own types by `{}` and `{:?}`, which `Display` and `Debug` are for; leave out this #[routine], and show the number inside";
    negative_impl: "a negative `impl` has no routines; remove the #[routine]";
    machine_type: "methods cannot be added to the machine's own types; write a #[routine] `fn`, or a struct around the value";

    // Ring kernels.
    ring_kernel_item: "#[ring_kernel] goes on a `fn`";
    ring_kernel_argument: "#[ring_kernel] takes `id = \"name\"`, `sends = 4`, `replies = 3`, `forwards = 4` and `crate = path`";
    ring_kernel_method: "a ring kernel is a function of its own; move it out of the `impl` block";
    ring_kernel_generics: "a ring kernel cannot have type or const parameters; write the types themselves, and call a generic #[routine] from it";
    ring_kernel_state: "the first parameter of a ring kernel is its actor's state, which it changes in place; write `&mut State`";
    borrowed_message: "a message is the actor's to keep; take it by value, without the `&`";
    third_parameter: "a ring kernel takes its actor's state, one message, and `ctx: &mut Ring` if it wants to send messages; put anything else into the message or into the state";
    context_method: "the context has `actor()`, `actors()`, `now()`, `send(actor, message)`, `reply(answer)`, `forward(actor, message)` and `stop()`";
    context_use: "the context stays in its ring kernel; call its methods here, and give other routines what they need as values";
    sends_without_context: "`sends` is for a ring kernel that sends messages; add the parameter `ctx: &mut Ring`";
    sends_range: "`sends` is how many messages an actor sends at most while it handles one, 1 to 1024";
    replies_without_context: "`replies` is for a ring kernel that replies more than once to a message; add the parameter `ctx: &mut Ring`";
    replies_without_answer: "a reply is a message of the type that the ring kernel returns, and this one returns nothing; return it, or `Option` of it";
    replies_range: "`replies` is how many replies there are at most to one message, 1 to 1024";
    reply_without_replies: "the ring kernel does not say how often it replies to one message at most; write `#[ring_kernel(replies = 3)]`";
    forwards_without_link: "`forwards` is for a ring kernel that forwards messages to actors of another one; name what those understand, `ctx: &mut Ring<Message>`";
    forwards_range: "`forwards` is how many messages an actor forwards at most while it handles one, 1 to 1024";
    forward_without_link: "the context does not say what the actors of the linked kernel understand; write `ctx: &mut Ring<Message>`";
    no_return: "a ring kernel returns, so that its actor can take the next message; return a message, `Option` of one, or nothing";

    // Derive.
    union: "a union does not say which of its fields holds; write an enum";
    vm_type_argument: "#[vm_type] takes `manual_eq`, `manual_ord` and `crate = path`";
    recursive_type: "a type cannot contain itself: the machine has no heap; store an index into a slice instead";
}
