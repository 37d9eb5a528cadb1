//! Programs to files and back, what is refused, and what a program says about itself.

use proptest::prelude::*;

use super::*;
use crate::assembly::assemble;
use crate::assembly::tests::{SAMPLE, assert_same};

fn sample() -> Program {
    assemble(SAMPLE).unwrap()
}

/// A file whose body was changed, with the checksum that suits it: what only a malicious hand makes.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = ProgramId::of(&bytes[28..]).to_bytes();
    bytes[12..28].copy_from_slice(&checksum);
    bytes
}

#[test]
fn a_program_comes_back_from_its_bytes() {
    let program = sample();
    let bytes = program.to_bytes();
    let loaded = Program::from_bytes(&bytes).unwrap();
    assert_same(&program, &loaded);
    assert_eq!(loaded.to_bytes(), bytes);
    assert_eq!(loaded.identity(), program.identity());
}

#[test]
fn the_format_stays_what_it_is() {
    // Whoever changes the format also changes its version.
    assert_eq!(
        (FORMAT_VERSION, sample().identity().to_string().as_str()),
        (7, "e9a8f27b24a44c2b5a94d3f5d3bd4147")
    );
}

#[test]
fn what_differs_has_another_identity() {
    let identity = sample().identity();
    let mut other = sample();
    other.code[3].operands[0] = 9;
    assert_ne!(other.identity(), identity);
    let mut other = sample();
    other.places[3].line += 1;
    assert_ne!(other.identity(), identity);
}

#[test]
fn files_cut_short_are_refused() {
    let bytes = sample().to_bytes();
    for length in 0..bytes.len() {
        assert!(Program::from_bytes(&bytes[..length]).is_err(), "{length}");
        if length > 28 {
            let cut = resealed(bytes[..length].to_vec());
            assert!(
                matches!(Program::from_bytes(&cut), Err(LoadError::Malformed { .. })),
                "{length}"
            );
        }
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let bytes = sample().to_bytes();
    assert_eq!(Program::from_bytes(b"PNG").unwrap_err(), LoadError::NotAProgram);
    let mut newer = bytes.clone();
    newer[8] = 9;
    assert_eq!(
        Program::from_bytes(&newer).unwrap_err(),
        LoadError::Version {
            found: 9,
            expected: FORMAT_VERSION
        }
    );
    let mut damaged = bytes.clone();
    damaged[200] ^= 1;
    assert!(matches!(Program::from_bytes(&damaged), Err(LoadError::Checksum { .. })));
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(
        Program::from_bytes(&resealed(longer))
            .unwrap_err()
            .to_string()
            .ends_with("1 bytes follow the end")
    );
    let mut program = sample();
    program.code[0].operands[3] = 99;
    assert_eq!(
        Program::from_bytes(&program.to_bytes()).unwrap_err().to_string(),
        "what is in the file is not valid: instruction 0: operand 3 of `affine` names a Matrix that does not exist: 0x63"
    );
    // A list that promises more than there is takes no memory.
    let mut huge = bytes;
    let params = 28 + 4 + sample().name.len();
    huge[params..params + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(Program::from_bytes(&resealed(huge)).is_err());
}

#[test]
fn frames_that_no_device_has_are_refused() {
    let mut program = sample();
    program.frame_words = MOST_FRAME_MEMORY as u32;
    assert!(program.verify().unwrap_err().starts_with("the frames need"));
}

#[test]
fn addresses_lead_to_words_that_are_there() {
    let mut program = sample();
    program.addressed_words = program.frame_words - 1;
    let text = "11 words of 12 can be addressed: it has to be all of them in a program that calls";
    assert_eq!(program.verify().unwrap_err(), text);
    program.addressed_words = program.frame_words + 1;
    assert_eq!(
        program.verify().unwrap_err(),
        "13 words can be addressed, of frames that have 12"
    );
}

#[test]
fn the_longest_path_bounds_the_epochs() {
    let program = |code: &str| assemble(&format!("program \"p\"\ncall_depth 2\ncode\n{code}")).unwrap();
    let epochs = |code: &str| program(code).metadata().estimated_epochs;
    assert_eq!(epochs("halt"), Some(1));
    assert_eq!(epochs("jnz @3, w0\nmul w1, w0, w0\nmul w1, w0, w0\nhalt"), Some(4));
    assert_eq!(epochs("jnz @0, w0\nhalt"), None);
    assert_eq!(epochs("call @3, 0\ncall @3, 0\nhalt\nmul w1, w0, w0\nret"), Some(7));
    assert_eq!(epochs("call @2, 0\nhalt\ncall @2, 0\nret"), None);
}

/// Two ways lead to the end, `x` is in another word on one of them; `f` was inlined there, with a variable of two words.
const TWO_WAYS: &str = r#"
program "main"
routine "main"
routine "f"
variable 0:1:20 "x" u32
variable 0:12:14 "y" bool
variable 1:30:33 "pair" (f32, i8)
variable 0:11:20 "x" u32
scope 0:0
scope 1:12 in 0
code
at 0:10:0
    vmid w1
holds 0:0:0 w1
    jnz @5, w1
at 0:31:1
inside 1
    addi w2, w1, 1
holds 1:2:0 w2
holds 1:2:1 constant 0xffffffff
    mov w3, w2
    imm w2, 9
at 0:13:0
inside 0
    stf w3, 0
holds 0:1:0 frame 0
    ldf w5, 0
    store w0, w0, w0, 0
    halt
"#;

fn seen(ip: u32) -> Vec<(String, Vec<Home>)> {
    let mut program = assemble(&TWO_WAYS.replace("program", "frame_words 1\nprogram")).unwrap();
    program = Program::from_bytes(&program.to_bytes()).unwrap();
    let found = program.variables_at(ip).into_iter();
    found.map(|location| (location.name, location.homes)).collect()
}

#[test]
fn variables_are_found_where_they_are() {
    let at = |name: &str, homes: &[Home]| (name.to_string(), homes.to_vec());
    let (minus_one, unknown) = (Home::Constant(u32::MAX), Home::Nowhere);
    assert_eq!(seen(0), [at("x", &[unknown])], "declared before, and never written");
    assert_eq!(seen(1), [at("x", &[Home::Word(1)])]);
    // An inlined routine's own variables come first, and those of its caller as of the line of the call.
    let pair = |home| at("f::pair", &[home, minus_one]);
    assert_eq!(
        seen(2),
        [at("f::pair", &[unknown; 2]), at("x", &[unknown])],
        "another x"
    );
    assert_eq!(seen(3)[0], pair(Home::Word(2)));
    assert_eq!(seen(4)[0], pair(Home::Word(2)), "a copy is as good, and comes later");
    assert_eq!(seen(5)[1], at("y", &[unknown]));
    assert_eq!(seen(6)[1], at("y", &[Home::Frame(0)]));
    assert_eq!(seen(7)[1], at("y", &[Home::Word(5)]));
    assert_eq!(
        seen(8)[1],
        at("y", &[Home::Frame(0)]),
        "a store may have changed what was copied"
    );
    assert_eq!(seen(99), []);
}

#[test]
fn locations_read_a_vm() {
    let program = assemble(&TWO_WAYS.replace("program", "frame_words 1\nprogram")).unwrap();
    let pair = &program.variables_at(3)[0];
    let mut words = [0; 28];
    words[2] = 1.5_f32.to_bits();
    assert_eq!(pair.read(&words, &[0]), [Some(words[2]), Some(u32::MAX)]);
    assert_eq!(pair.show(&words, &[0]), "(1.5, -1)");
    assert!(pair.is_known());
    let y = &program.variables_at(6)[1];
    assert_eq!((y.show(&words, &[1]), y.show(&words, &[])), ("true".into(), "?".into()));
}

#[test]
fn metadata_reads_well() {
    let text = sample().metadata().to_string();
    for part in [
        "16 instructions: 5 linear, 3 oracle, 3 branch, 5 io",
        "2 routines, 1 phase(s)",
        "epochs depend on the data",
        "needs any number of VMs, shared bytes as its arguments have, call depth 3, 12 frame words",
        "1 fused; 31 % linear",
        "from 2 source lines of src/a b.rs",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Program::from_bytes(&bytes).is_err());
        // The same behind a header that is right.
        let mut behind = sample().to_bytes();
        behind.truncate(28);
        behind.extend(bytes);
        prop_assert!(Program::from_bytes(&resealed(behind)).is_err());
    }

    #[test]
    fn changed_files_are_refused_or_valid(at in 28..2000_usize, byte: u8, reseal: bool) {
        let mut bytes = sample().to_bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        let unchanged = bytes == sample().to_bytes();
        let bytes = if reseal && at >= 28 { resealed(bytes) } else { bytes };
        match Program::from_bytes(&bytes) {
            Ok(program) => {
                prop_assert!(reseal || unchanged);
                prop_assert_eq!(program.verify(), Ok(()));
                prop_assert_eq!(program.to_bytes(), bytes);
            }
            Err(_) => prop_assert!(!unchanged),
        }
    }
}
