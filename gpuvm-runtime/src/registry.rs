//! What the binary has by id. `#[routine]` submits one [`Registration`] a launchable routine, and other attributes entries of other kinds; the
//! entries of a kind are read once, and two of one id are refused.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use gpuvm_core::routine::{Routine, RoutineRef};

use crate::error::{Error, Result};
use crate::native::NativeFn;

/// A routine that can be launched, as `#[routine]` submits it.
#[derive(Debug)]
pub struct Registration {
    /// What `runtime.launch` names it by.
    pub id: &'static str,
    /// The source file of its function.
    pub file: &'static str,
    /// The line of its name.
    pub line: u32,
    /// The names of its parameters, in order. Their modes follow from the routine's types, see [`Mode`](gpuvm_core::program::Mode).
    pub params: &'static [&'static str],
    /// Its code.
    pub routine: fn() -> &'static Routine,
    /// The function itself, called for a range of VMs.
    pub native: NativeFn,
}

inventory::collect!(Registration);

impl Registration {
    /// Its routine, with its id.
    pub(crate) fn reference(&self) -> RoutineRef {
        RoutineRef::Binary {
            routine: (self.routine)(),
            id: self.id,
        }
    }
}

/// What has an id.
pub(crate) trait Registered: 'static {
    /// What it is called in messages.
    const WHAT: &'static str;
    /// The attribute that registers it.
    const ATTRIBUTE: &'static str;
    /// The function that launches it.
    const LAUNCH: &'static str;
    /// What of its kind has no id.
    const WITHOUT_ID: &'static str;

    /// Its id.
    fn id(&self) -> &'static str;

    /// File and line of its name.
    fn place(&self) -> (&'static str, u32);
}

impl Registered for Registration {
    const WHAT: &'static str = "routine";
    const ATTRIBUTE: &'static str = "routine";
    const LAUNCH: &'static str = "launch";
    const WITHOUT_ID: &'static str = "a method, a routine with type parameters, with a `&str`, which is no column (take `&[u8]` and \
                                      `std::str::from_utf8`), or with more than 12 parameters has no id, and is called by a routine that has";

    fn id(&self) -> &'static str {
        self.id
    }

    fn place(&self) -> (&'static str, u32) {
        (self.file, self.line)
    }
}

/// Entries under their ids.
pub(crate) type ById<E> = BTreeMap<&'static str, Vec<&'static E>>;

/// A kind of entries, as the others know it: who asks for an id of another kind is told.
pub(crate) struct Kind {
    what: &'static str,
    launch: &'static str,
    has: fn(&str) -> bool,
}

inventory::collect!(Kind);

impl Kind {
    /// The kind of entries that `has` finds.
    pub(crate) const fn of<E: Registered>(has: fn(&str) -> bool) -> Kind {
        Kind {
            what: E::WHAT,
            launch: E::LAUNCH,
            has,
        }
    }
}

inventory::submit! {
    Kind::of::<Registration>(|id| routines().contains_key(id))
}

/// The routine of an id.
///
/// # Errors
///
/// As [`find_among`].
pub(crate) fn find(id: &str) -> Result<&'static Registration> {
    find_among(routines(), inventory::iter::<Kind>, id)
}

fn routines() -> &'static ById<Registration> {
    static REGISTRY: OnceLock<ById<Registration>> = OnceLock::new();
    REGISTRY.get_or_init(|| by_id(inventory::iter::<Registration>))
}

/// All entries of a kind.
pub(crate) fn by_id<E: Registered>(entries: impl IntoIterator<Item = &'static E>) -> ById<E> {
    let mut registry = ById::new();
    for entry in entries {
        registry.entry(entry.id()).or_default().push(entry);
    }
    registry
}

/// The entry of an id.
///
/// # Errors
///
/// [`Error::UnknownId`] with the nearest id there is, [`Error::OtherKind`] if what has it is of another kind, or [`Error::DuplicateId`] if two have it.
pub(crate) fn find_among<'k, E: Registered>(
    registry: &ById<E>,
    kinds: impl IntoIterator<Item = &'k Kind>,
    id: &str,
) -> Result<&'static E> {
    let mut others = kinds.into_iter().filter(|kind| kind.what != E::WHAT);
    match others.find(|kind| !registry.contains_key(id) && (kind.has)(id)) {
        Some(kind) => Err(Error::OtherKind {
            what: E::WHAT,
            id: id.to_string(),
            found: kind.what,
            launch: kind.launch,
        }),
        None => find_in(registry, id),
    }
}

fn find_in<E: Registered>(registry: &ById<E>, id: &str) -> Result<&'static E> {
    match registry.get(id).map(Vec::as_slice) {
        Some([entry]) => Ok(entry),
        Some(entries @ [_, _, ..]) => {
            // Linkers have an order of their own.
            let mut places: Vec<_> = entries.iter().map(|entry| entry.place()).collect();
            places.sort_unstable();
            let place = |at: usize| format!("{}:{}", places[at].0, places[at].1);
            Err(Error::DuplicateId {
                attribute: E::ATTRIBUTE,
                id: id.to_string(),
                first: place(0),
                second: place(1),
            })
        }
        _ => Err(Error::UnknownId {
            what: E::WHAT,
            id: id.to_string(),
            nearest: nearest(registry.keys().copied(), id),
            hint: E::WITHOUT_ID,
        }),
    }
}

/// The known id with the smallest edit distance to `id`, if that is at most a third of the longer one's length.
fn nearest(known: impl Iterator<Item = &'static str>, id: &str) -> Option<String> {
    known
        .map(|candidate| (edit_distance(candidate, id), candidate))
        .min()
        .filter(|(distance, candidate)| distance * 3 <= candidate.chars().count().max(id.chars().count()).max(3))
        .map(|(_, candidate)| candidate.to_string())
}

/// The Levenshtein distance: how many characters to insert, remove or replace.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::NativeCx;

    fn no_routine() -> &'static Routine {
        unreachable!("the registry never asks for the code")
    }

    fn no_native(_: &mut NativeCx<'_>) -> Result<()> {
        Ok(())
    }

    const fn entry(id: &'static str, line: u32) -> Registration {
        Registration {
            id,
            file: "src/lib.rs",
            line,
            params: &[],
            routine: no_routine,
            native: no_native,
        }
    }

    static ENTRIES: [Registration; 4] = [
        entry("blur", 1),
        entry("sharpen", 2),
        entry("twice", 3),
        entry("twice", 9),
    ];

    #[test]
    fn an_id_gives_its_entry() {
        assert_eq!(find_in(&by_id(&ENTRIES), "sharpen").unwrap().line, 2);
    }

    #[test]
    fn an_unknown_id_names_the_nearest() {
        let error = find_in(&by_id(&ENTRIES), "sharpn").unwrap_err();
        assert_eq!(
            error.to_string(),
            "no routine has the id `sharpn`; did you mean `sharpen`?"
        );
        let error = find_in(&by_id(&ENTRIES), "mandelbrot").unwrap_err();
        assert_eq!(
            error.to_string(),
            "no routine has the id `mandelbrot`; a method, a routine with type parameters, with a `&str`, which is no column (take \
             `&[u8]` and `std::str::from_utf8`), or with more than 12 parameters has no id, and is called by a routine that has"
        );
    }

    #[test]
    fn an_id_of_the_other_kind_says_what_it_is() {
        struct Kernel(&'static str);
        impl Registered for Kernel {
            const WHAT: &'static str = "ring kernel";
            const ATTRIBUTE: &'static str = "ring_kernel";
            const LAUNCH: &'static str = "launch_ring";
            const WITHOUT_ID: &'static str = "";

            fn id(&self) -> &'static str {
                self.0
            }

            fn place(&self) -> (&'static str, u32) {
                ("src/lib.rs", 1)
            }
        }
        static KERNELS: [Kernel; 2] = [Kernel("counter"), Kernel("blur")];
        let kinds = [
            Kind::of::<Registration>(|id| by_id(&ENTRIES).contains_key(id)),
            Kind::of::<Kernel>(|id| by_id(&KERNELS).contains_key(id)),
        ];
        let (routines, kernels) = (by_id(&ENTRIES), by_id(&KERNELS));
        assert_eq!(
            find_among(&routines, &kinds, "counter").unwrap_err().to_string(),
            "`counter` is a ring kernel and not a routine; launch it with `launch_ring`"
        );
        assert_eq!(find_among(&routines, &kinds, "blur").unwrap().line, 1);
        let error = find_among(&kernels, &kinds, "sharpen").map(|_| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`sharpen` is a routine and not a ring kernel; launch it with `launch`"
        );
    }

    #[test]
    fn a_duplicate_id_names_both_places() {
        let error = find_in(&by_id(&ENTRIES), "twice").unwrap_err().to_string();
        assert!(error.contains("at src/lib.rs:3 and at src/lib.rs:9"), "{error}");
    }

    #[test]
    fn edit_distances() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("größe", "grosse"), 3);
    }
}
