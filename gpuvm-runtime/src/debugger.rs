//! Debuggers: what takes launches over before they run, and how the environment asks for one.

use std::any::Any;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use gpuvm_core::settings::Settings;
use gpuvm_engine::Engine;

use crate::error::{Error, Result};
use crate::execution::Execution;
use crate::runtime::Runtime;
use crate::snapshot::Snapshot;

/// Something that looks at launches while they run, see [`RuntimeBuilder::debugger`](crate::RuntimeBuilder::debugger).
pub trait Debugger: Send + Sync {
    /// Takes a launch that has not begun. When this returns the launch runs on to its end from where it is, without anybody looking.
    ///
    /// # Errors
    ///
    /// The launch's, or [`Error::Debugger`]; they end it.
    fn take(&self, execution: &mut Execution<'_>) -> Result<()>;

    /// Takes an execution that stands somewhere, to be looked at before it goes on.
    ///
    /// # Errors
    ///
    /// As [`take`](Debugger::take).
    fn examine(&self, execution: &mut Execution<'_>) -> Result<()> {
        self.take(execution)
    }

    /// What programs are to be linked with, given what the runtime was told.
    fn settings(&self, settings: Settings) -> Settings {
        settings
    }
}

/// A kind of debugger that `GPUVM_DEBUG` can ask for. There is one in a program that is linked with `gpuvm-debug`.
pub struct DebuggerKind {
    /// Opens it, given what the variable says.
    pub open: fn(&str) -> Result<Arc<dyn Debugger>>,
}

inventory::collect!(DebuggerKind);

/// A debugger as a runtime keeps it.
pub(crate) fn kept(debugger: Arc<dyn Debugger>) -> Arc<dyn Any + Send + Sync> {
    Arc::new(debugger)
}

/// Who takes the launches of a runtime over, if anybody does.
pub(crate) fn of(runtime: &Runtime) -> Option<Arc<dyn Debugger>> {
    runtime.kept()?.downcast_ref::<Arc<dyn Debugger>>().cloned()
}

/// The environment variable that asks for a debugger.
const VARIABLE: &str = "GPUVM_DEBUG";

/// The environment variable that names a snapshot to open in the debugger in place of what the program does.
const SNAPSHOT: &str = "GPUVM_SNAPSHOT";

/// Lets a runtime's debugger have the snapshot that the environment names, if it names one, and ends the process when nobody looks at that any more.
///
/// # Errors
///
/// [`Error::File`] if it cannot be read, and as [`Runtime::restore`].
pub(crate) fn open_snapshot(runtime: &Runtime) -> Result<()> {
    let named = std::env::var_os(SNAPSHOT).filter(|path| !path.is_empty());
    let (Some(path), Some(debugger)) = (named.map(PathBuf::from), of(runtime)) else {
        return Ok(());
    };
    let snapshot = Snapshot::read(&path)?;
    let mut execution = runtime.restore_on(&snapshot, Engine::Reference)?;
    debugger.examine(&mut execution)?;
    std::process::exit(0)
}

/// The debugger that the environment asks for, the same for all runtimes of the process.
///
/// # Errors
///
/// [`Error::Debugger`] if there is none, or it does not open.
pub(crate) fn from_environment() -> Result<Option<Arc<dyn Debugger>>> {
    static OPENED: OnceLock<Result<Option<Arc<dyn Debugger>>, String>> = OnceLock::new();
    let opened = OPENED.get_or_init(|| {
        let Some(asked) = std::env::var(VARIABLE).ok().filter(|asked| !asked.is_empty()) else {
            return Ok(None);
        };
        let kind = inventory::iter::<DebuggerKind>.into_iter().next();
        let kind = kind.ok_or_else(|| {
            format!("{VARIABLE} asks for a debugger, and this program was built without one: add `--features gpuvm/debug` to what cargo is told")
        })?;
        (kind.open)(&asked)
            .map(Some)
            .map_err(|error| format!("{VARIABLE}={asked}: {error}"))
    });
    opened.clone().map_err(|reason| Error::Debugger { reason })
}
