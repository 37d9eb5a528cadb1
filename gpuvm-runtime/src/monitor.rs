//! Monitors: what shows the [activity](crate::activity) of this process to people, and how the environment asks for one.

use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::sync::OnceLock;

use crate::activity::Activity;
use crate::error::{Error, Result};
use crate::runtime::Runtime;

/// A kind of monitor that [`Runtime::monitor`] and `GPUVM_MONITOR` can ask for. There is one in a program that is linked with `gpuvm-monitor`.
pub struct MonitorKind {
    /// Serves it on an address of this machine, and gives the one on which it listens.
    pub serve: fn(SocketAddr) -> Result<SocketAddr>,
}

inventory::collect!(MonitorKind);

/// The environment variable that names the port of a monitor.
const VARIABLE: &str = "GPUVM_MONITOR";

impl Runtime {
    /// Serves a page that shows what this process does, to browsers on this machine and to `cargo gpuvm top`: launches and plans under way, how their VMs stand,
    /// ring kernels with their queues and messages a second, dead letters, the device's memory, what VMs print. It shows all runtimes of the process, from now until
    /// it ends. Gives the address on which it listens, which with port 0 is any that is free.
    ///
    /// The same is done by the environment variable `GPUVM_MONITOR` with a port, such as 4712, without a change of the program. Both need gpuvm's feature `monitor`.
    ///
    /// ```no_run
    /// # use gpuvm_runtime as gpuvm;
    /// # fn main() -> gpuvm::Result<()> {
    /// let runtime = gpuvm::Runtime::new()?;
    /// let address = runtime.monitor("127.0.0.1:4712")?;
    /// println!("http://{address}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Monitor`] if the program was built without it, the port is in use, or the address is not of this machine alone.
    pub fn monitor(&self, address: impl ToSocketAddrs) -> Result<SocketAddr> {
        let failed = |reason: String| Error::Monitor { reason };
        let mut addresses = address
            .to_socket_addrs()
            .map_err(|error| failed(format!("a monitor needs an address such as `127.0.0.1:4712`: {error}")))?;
        let address = addresses
            .next()
            .ok_or_else(|| failed("a monitor needs an address such as `127.0.0.1:4712`".to_string()))?;
        serve(address)
    }
}

fn serve(address: SocketAddr) -> Result<SocketAddr> {
    let failed = |reason: String| Error::Monitor { reason };
    if !address.ip().is_loopback() {
        return Err(failed(format!(
            "a monitor has no password, so it is served to this machine only: give it `127.0.0.1:{port}`, not `{address}`; from elsewhere it is seen \
             through `ssh -L {port}:127.0.0.1:{port}`",
            port = address.port()
        )));
    }
    let kind = inventory::iter::<MonitorKind>.into_iter().next().ok_or_else(|| {
        failed(
            "this program was built without a monitor: add `--features gpuvm/monitor` to what cargo is told"
                .to_string(),
        )
    })?;
    let listens = (kind.serve)(address)?;
    Activity::watch();
    Ok(listens)
}

/// Serves the monitor that the environment asks for, once for the process.
///
/// # Errors
///
/// [`Error::Monitor`] if there is none, or it cannot be served.
pub(crate) fn from_environment() -> Result<()> {
    static SERVED: OnceLock<Result<(), String>> = OnceLock::new();
    let served = SERVED.get_or_init(|| {
        let Some(asked) = std::env::var(VARIABLE).ok().filter(|asked| !asked.is_empty()) else {
            return Ok(());
        };
        let port: u16 = asked
            .trim()
            .parse()
            .map_err(|_| format!("{VARIABLE}={asked}: it is a port, such as `4712`"))?;
        let address =
            serve((Ipv4Addr::LOCALHOST, port).into()).map_err(|error| format!("{VARIABLE}={asked}: {error}"))?;
        eprintln!("gpuvm: http://{address} shows what this process does");
        Ok(())
    });
    served.clone().map_err(|reason| Error::Monitor { reason })
}
