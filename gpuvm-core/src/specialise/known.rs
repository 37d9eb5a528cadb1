//! What a program is specialised for.

/// What is known of a launch's parameters, by number; nothing is known of those past the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KnownParams(pub Vec<KnownParam>);

/// What is known of a launch parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KnownParam {
    /// Words from one VM's part to the next.
    pub stride: Option<u32>,
    /// Elements that one VM sees.
    pub length: Option<u32>,
    /// The words of a value that all VMs share.
    pub value: Option<Vec<u32>>,
    /// Whether each VM's part begins at a multiple of [`ALIGNED`] words.
    pub aligned: bool,
}

/// As many words a device loads at once, where they begin at a multiple of so many.
pub const ALIGNED: u32 = 4;

impl KnownParams {
    /// The stride of a parameter, if it is known.
    pub fn stride(&self, param: u32) -> Option<u32> {
        self.0.get(param as usize)?.stride
    }

    /// The length of a parameter, if it is known.
    pub fn length(&self, param: u32) -> Option<u32> {
        self.0.get(param as usize)?.length
    }

    /// Whether each VM's part of a parameter is known to begin at a multiple of [`ALIGNED`] words.
    pub fn is_aligned(&self, param: u32) -> bool {
        self.0.get(param as usize).is_some_and(|known| known.aligned)
    }

    /// A word of a parameter's value, if it is known.
    pub fn value(&self, param: u32, offset: u32) -> Option<u32> {
        let value = self.0.get(param as usize)?.value.as_ref()?;
        value.get(offset as usize).copied()
    }
}
