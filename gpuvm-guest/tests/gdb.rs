//! gdb's remote protocol, spoken over a socket as gdb does.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use gpuvm::Engine;
use gpuvm_guest::{Guests, Left, Linux, Start, Stop};

use crate::support::{elf, endless, on, program, runtime};

/// gdb's side of a connection.
struct Client(TcpStream);

impl Client {
    /// Sends a packet, and gives the answer to it, without its run-lengths.
    fn ask(&mut self, packet: &str) -> String {
        self.send(packet);
        self.receive()
    }

    fn send(&mut self, packet: &str) {
        let sum = packet.bytes().fold(0u8, u8::wrapping_add);
        write!(self.0, "${packet}#{sum:02x}").unwrap();
    }

    fn receive(&mut self) -> String {
        let mut byte = || {
            let mut byte = [0];
            self.0.read_exact(&mut byte).unwrap();
            byte[0] as char
        };
        while byte() != '$' {}
        let mut packet = String::new();
        loop {
            match byte() {
                '#' => break,
                '*' => {
                    let more = byte() as usize - 29;
                    let last = packet.chars().last().unwrap();
                    packet.extend(std::iter::repeat_n(last, more));
                }
                letter => packet.push(letter),
            }
        }
        byte();
        byte();
        self.0.write_all(b"+").unwrap();
        packet
    }

    /// The registers, as bytes.
    fn registers(&mut self) -> Vec<u8> {
        unhex(&self.ask("g"))
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().as_chunks::<2>().0;
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    pairs.iter().map(byte).collect()
}

/// Has a guest served while a client does its part, and gives how it was left.
fn session(guests: &mut Guests, guest: usize, part: impl FnOnce(Client) + Send) -> gpuvm_guest::Result<Left> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::scope(|scope| {
        let client = scope.spawn(move || part(Client(TcpStream::connect(address).unwrap())));
        let mut debugger = guests.debug(guest)?;
        let left = debugger.serve_gdb(&listener, &mut Linux::default());
        debugger.close()?;
        client.join().unwrap();
        left
    })
}

fn guests_of(name: &str) -> Guests {
    let starts = (0..2).map(|number| Start::with([name.to_string(), number.to_string()]));
    Guests::new(runtime(), &[program(name)], starts, on(Engine::Native)).expect("guests")
}

#[test]
fn a_whole_session() {
    // Bytes of a register, and the places of the stack pointer and the address.
    for (name, word, [sp, pc]) in [
        ("c/collatz.riscv32", 4, [2, 32]),
        ("c/collatz.riscv64", 8, [2, 32]),
        ("c/collatz.aarch64", 8, [31, 32]),
    ] {
        let mut guests = guests_of(name);
        let before = guests.registers(1).unwrap();
        let (main, used, entry) = {
            let program = guests.program(1);
            let address = |name| program.address_of(name).unwrap();
            (address("main"), address("out_used"), program.entry())
        };
        let number = move |bytes: &[u8], at: usize| {
            let word = &bytes[at * word..][..word];
            word.iter()
                .rev()
                .fold(0u64, |number, byte| number << 8 | u64::from(*byte))
        };
        let left = session(&mut guests, 1, move |mut gdb| {
            let supported = gdb.ask("qSupported:swbreak+;xmlRegisters=riscv");
            for wanted in ["ReverseStep+", "ReverseContinue+", "swbreak+", "qXfer:features:read+"] {
                assert!(supported.contains(wanted), "{supported}");
            }
            let description = gdb.ask("qXfer:features:read:target.xml:0,4000");
            assert!(description.contains("<architecture>"), "{description}");
            assert!(gdb.ask("?").starts_with(['S', 'T']));
            let registers = gdb.registers();
            assert_eq!(number(&registers, pc), entry);
            assert_eq!(number(&registers, sp), before[if sp == 31 { 32 } else { 2 }]);
            assert_eq!(gdb.ask(&format!("Z0,{main:x},4")), "OK");
            assert!(gdb.ask("c").contains("swbreak"));
            assert_eq!(number(&gdb.registers(), pc), main);
            // A step, and back.
            assert!(gdb.ask("s").starts_with(['S', 'T']));
            assert_ne!(number(&gdb.registers(), pc), main);
            gdb.ask("bs");
            assert_eq!(number(&gdb.registers(), pc), main);
            assert_eq!(gdb.ask(&format!("z0,{main:x},4")), "OK");
            // The first character that it puts.
            assert_eq!(gdb.ask(&format!("Z2,{used:x},4")), "OK");
            assert!(gdb.ask("c").contains("watch:"));
            assert_eq!(gdb.ask(&format!("m{used:x},4")), "01000000");
            assert!(gdb.ask("bc").contains("watch:"));
            assert_eq!(gdb.ask(&format!("m{used:x},4")), "00000000");
            assert!(gdb.ask("bc").contains("replaylog:begin"));
            assert_eq!(number(&gdb.registers(), pc), entry);
            // To stop at reads is not to be had, memory that is not there neither.
            assert!(gdb.ask(&format!("Z3,{used:x},4")).starts_with('E'));
            assert!(gdb.ask("m10,4").starts_with('E'));
            assert!(gdb.ask("M10,1:00").starts_with('E'));
            assert_eq!(gdb.ask(&format!("M{used:x},4:02000000")), "OK");
            assert_eq!(gdb.ask(&format!("m{used:x},4")), "02000000");
            // All registers as they are.
            let registers = gdb.registers();
            let text: String = registers.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(gdb.ask(&format!("G{text}")), "OK");
            assert_eq!(gdb.registers(), registers);
            assert_eq!(gdb.ask("D"), "OK");
        });
        assert_eq!(left.unwrap(), Left::Detached);
        guests.run(&mut Linux::default()).unwrap();
        assert!(matches!(guests.stop(1), Some(Stop::Exited(_))));
        // Two characters more than it has put are written.
        let (whole, changed) = (guests.output(0), guests.output(1));
        assert!(whole.len() > 20 && changed[..2] == [0, 0], "{name}: {changed:?}");
    }
}

#[test]
fn who_is_interrupted_killed_or_left_alone() {
    let mut guests = endless();
    let left = session(&mut guests, 0, |mut gdb| {
        gdb.send("c");
        std::thread::sleep(std::time::Duration::from_millis(20));
        gdb.0.write_all(&[3]).unwrap();
        assert!(gdb.receive().contains("02"));
        gdb.send("k");
    });
    assert_eq!(left.unwrap(), Left::Killed);
    assert!(guests.retired(0) > 0);
    // Its process ends, before it has said anything and while the guest runs.
    let left = session(&mut guests, 0, drop);
    assert_eq!(left.unwrap(), Left::Detached);
    let left = session(&mut guests, 0, |mut gdb| {
        gdb.send("c");
        std::thread::sleep(std::time::Duration::from_millis(20));
    });
    assert_eq!(left.unwrap(), Left::Detached);
    // What is not its protocol ends nothing but the connection.
    let nonsense = session(&mut guests, 0, |mut gdb| {
        gdb.0.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    });
    assert_eq!(
        nonsense.unwrap_err().to_string(),
        "gdb: it has sent what is not its protocol"
    );
}

#[test]
fn an_end_and_a_fault_are_told() {
    let mut guests = guests_of("c/collatz.riscv64");
    let left = session(&mut guests, 0, |mut gdb| {
        assert_eq!(gdb.ask("c")[..1], *"W");
    });
    assert_eq!(left.unwrap(), Left::Ended);
    assert!(matches!(guests.stop(0), Some(Stop::Exited(_))));
    // An instruction that there is not.
    let wrong = gpuvm_guest::Program::from_elf(&elf(243, true, &[0; 4], 7)).unwrap();
    let starts = [Start::with(["wrong"])];
    let mut guests = Guests::new(runtime(), &[wrong], starts, on(Engine::Native)).unwrap();
    let left = session(&mut guests, 0, |mut gdb| {
        assert!(gdb.ask("c").contains("04"));
        assert!(gdb.ask("c").contains("04"), "and again");
        assert_eq!(gdb.ask("D"), "OK");
    });
    assert_eq!(left.unwrap(), Left::Detached);
}
