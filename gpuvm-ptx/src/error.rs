//! Why a module is not translated.

/// What keeps a module from being translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The module has none or several entry points.
    #[error("the module has {0} entry points instead of one")]
    EntryPoints(usize),
    /// The entry point is for another stage than compute.
    #[error("the entry point `{0}` is not for compute")]
    Stage(String),
    /// The module has something that is not translated.
    #[error("{0} cannot be translated to PTX")]
    Unsupported(String),
    /// The uniforms are more than a kernel's parameters can hold.
    #[error("the kernel needs {0} bytes of parameters, more than the {1} that there can be")]
    Parameters(u32, u32),
    /// The module is not as its validation says.
    #[error("the module is not valid: {0}")]
    Invalid(String),
}

/// [`Error::Unsupported`] with what it is about.
pub fn unsupported(what: impl Into<String>) -> Error {
    Error::Unsupported(what.into())
}

/// [`Error::Invalid`] with what is wrong.
pub fn invalid(what: impl Into<String>) -> Error {
    Error::Invalid(what.into())
}
