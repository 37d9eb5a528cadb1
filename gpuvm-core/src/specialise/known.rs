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
    /// The words, 2 or [`ALIGNED`], at multiples of which each VM's part begins. `None` if it may begin anywhere.
    pub alignment: Option<u32>,
}

/// As many words a device loads at once, where they begin at a multiple of so many, or half as many.
pub const ALIGNED: u32 = 4;

impl KnownParam {
    /// The [`alignment`](KnownParam::alignment) of parts that begin at multiples of all these numbers of words.
    pub fn alignment_of(words: impl IntoIterator<Item = u32>) -> Option<u32> {
        let common = words.into_iter().fold(ALIGNED, |common, words| common | words);
        Some(1 << common.trailing_zeros()).filter(|alignment| *alignment > 1)
    }
}

impl KnownParams {
    /// The stride of a parameter, if it is known.
    pub fn stride(&self, param: u32) -> Option<u32> {
        self.0.get(param as usize)?.stride
    }

    /// The length of a parameter, if it is known.
    pub fn length(&self, param: u32) -> Option<u32> {
        self.0.get(param as usize)?.length
    }

    /// The words at multiples of which each VM's part of a parameter begins, if it does not begin just anywhere.
    pub fn alignment(&self, param: u32) -> Option<u32> {
        self.0.get(param as usize)?.alignment
    }

    /// A word of a parameter's value, if it is known.
    pub fn value(&self, param: u32, offset: u32) -> Option<u32> {
        let value = self.0.get(param as usize)?.value.as_ref()?;
        value.get(offset as usize).copied()
    }
}
