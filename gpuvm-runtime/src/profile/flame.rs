//! The flame graph: boxes over boxes, as wide as what they stand for. It is a few lines here, where a crate for it would bring ten more to everybody who
//! uses gpuvm, and an image that names the schemas of its format.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Profile;
use super::html::escaped;

/// Height of a row, in pixels.
const ROW: usize = 17;
/// What is narrower than this part of the whole is not shown.
const NARROW: f64 = 1.0 / 5000.0;

/// Activations of one routine in the same ones.
#[derive(Default)]
struct Activation<'p> {
    /// Instructions of VMs, of what it calls too.
    total: u64,
    calls: BTreeMap<&'p str, Activation<'p>>,
}

/// Adds the flame graph to a page.
pub(super) fn write(page: &mut String, profile: &Profile) {
    let mut root = Activation::default();
    for stack in profile.stacks() {
        let mut activation = &mut root;
        activation.total += stack.instructions;
        for frame in stack.frames {
            activation = activation.calls.entry(frame.routine).or_default();
            activation.total += stack.instructions;
        }
    }
    let mut boxes = String::new();
    let rows = boxes_of(&mut boxes, ("all", &root), (0, 0), root.total.max(1));
    // Writing to a `String` cannot fail.
    let _ = write!(
        page,
        "<div class=\"flame\" style=\"height:{}px\">{boxes}</div>",
        rows * ROW
    );
}

/// Adds the box of an activation that starts after so many instructions, and of what it calls. Gives how many rows there are.
fn boxes_of(
    boxes: &mut String,
    (name, activation): (&str, &Activation<'_>),
    (row, start): (usize, u64),
    all: u64,
) -> usize {
    let (left, width) = (start as f64 / all as f64, activation.total as f64 / all as f64);
    if width < NARROW {
        return row;
    }
    let hue = name
        .bytes()
        .fold(7u32, |hue, byte| hue.wrapping_mul(31).wrapping_add(byte.into()))
        % 60;
    let name = escaped(name);
    let _ = write!(
        boxes,
        "<div data-left=\"{left}\" data-width=\"{width}\" title=\"{name}: {} instructions, {:.1} %\" \
         style=\"left:{}%;width:{}%;top:{}px;background:hsl({hue} 85% 65%)\">{name}</div>",
        activation.total,
        100.0 * width,
        100.0 * left,
        100.0 * width,
        row * ROW,
    );
    let (mut rows, mut start) = (row + 1, start);
    for (name, called) in &activation.calls {
        rows = rows.max(boxes_of(boxes, (name, called), (row + 1, start), all));
        start += called.total;
    }
    rows
}
