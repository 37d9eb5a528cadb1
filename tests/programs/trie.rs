//! A prefix tree of lower-case words in an arena of nodes: inserted, looked up, completed, and counted.

use gpuvm::prelude::*;

const NODES: usize = 96;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Default)]
struct NodeId(u8);

#[derive(VmType, Clone, Copy, Default)]
struct Node {
    letter: u8,
    is_word: bool,
    child: Option<NodeId>,
    sibling: Option<NodeId>,
}

#[derive(VmType, Clone, Copy)]
struct Trie {
    nodes: [Node; NODES],
    len: usize,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrieError {
    Full,
    Letter(char),
}

#[routine]
impl core::ops::Index<NodeId> for Trie {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
}

#[routine]
impl core::ops::IndexMut<NodeId> for Trie {
    fn index_mut(&mut self, NodeId(id): NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }
}

#[derive(VmType)]
struct Children<'t> {
    trie: &'t Trie,
    next: Option<NodeId>,
}

#[routine]
impl<'t> Iterator for Children<'t> {
    type Item = (NodeId, &'t Node);

    fn next(&mut self) -> Option<Self::Item> {
        let id = self.next?;
        let node = &self.trie[id];
        self.next = node.sibling;
        Some((id, node))
    }
}

#[routine]
impl Trie {
    const ROOT: NodeId = NodeId(0);

    fn new() -> Trie {
        Trie {
            nodes: [Node::default(); NODES],
            len: 1,
        }
    }

    fn children(&self, of: NodeId) -> Children<'_> {
        Children {
            trie: self,
            next: self[of].child,
        }
    }

    fn find_child(&self, of: NodeId, letter: u8) -> Option<NodeId> {
        self.children(of)
            .find(|(_, node)| node.letter == letter)
            .map(|(id, _)| id)
    }

    fn add_child(&mut self, of: NodeId, letter: u8) -> Result<NodeId, TrieError> {
        if self.len == NODES {
            return Err(TrieError::Full);
        }
        let id = NodeId(self.len as u8);
        self.len += 1;
        let sibling = self[of].child.replace(id);
        self[id] = Node {
            letter,
            sibling,
            ..Default::default()
        };
        Ok(id)
    }

    fn insert(&mut self, word: &str) -> Result<bool, TrieError> {
        let mut at = Self::ROOT;
        for c in word.chars() {
            if !c.is_ascii_lowercase() {
                return Err(TrieError::Letter(c));
            }
            let letter = c as u8;
            at = match self.find_child(at, letter) {
                Some(id) => id,
                None => self.add_child(at, letter)?,
            };
        }
        let was = core::mem::replace(&mut self[at].is_word, true);
        Ok(!was)
    }

    fn locate(&self, prefix: &str) -> Option<NodeId> {
        prefix
            .bytes()
            .try_fold(Self::ROOT, |at, letter| self.find_child(at, letter))
    }

    fn count(&self, at: NodeId) -> u32 {
        let own = u32::from(self[at].is_word);
        own + self.children(at).map(|(id, _)| self.count(id)).sum::<u32>()
    }

    /// As far as there is one way to go on.
    fn complete(&self, prefix: &str, out: &mut [u8]) -> usize {
        let Some(mut at) = self.locate(prefix) else { return 0 };
        let mut len = 0;
        for slot in out {
            let mut children = self.children(at);
            match (children.next(), children.next()) {
                (Some((id, node)), None) if !self[at].is_word || len == 0 => {
                    *slot = node.letter;
                    at = id;
                    len += 1;
                }
                _ => break,
            }
        }
        len
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    pub new_words: u32,
    pub with_prefix: u32,
    pub is_word: bool,
    pub completed: u32,
}

#[routine]
pub fn trie_lookup(words: &[u8], prefix: &[u8], out: &mut [u8]) -> Result<Lookup, TrieError> {
    let (words, prefix) = (
        core::str::from_utf8(words).unwrap_or(""),
        core::str::from_utf8(prefix).unwrap_or(""),
    );
    let mut trie = Trie::new();
    let mut new_words = 0;
    for word in words.split_whitespace() {
        new_words += trie.insert(word)? as u32;
    }
    let found = trie.locate(prefix);
    Ok(Lookup {
        new_words,
        with_prefix: found.map_or(0, |id| trie.count(id)),
        is_word: found.is_some_and(|id| trie[id].is_word),
        completed: trie.complete(prefix, out) as u32,
    })
}

pub fn known() {
    let words = b"tea ten tent inn in into to team ten";
    let mut out = [0; 8];
    let look = |prefix: &[u8], out: &mut [u8]| trie_lookup(words, prefix, out).unwrap();
    assert_eq!(
        look(b"te", &mut out),
        Lookup {
            new_words: 8,
            with_prefix: 4,
            is_word: false,
            completed: 0
        }
    );
    assert_eq!(
        look(b"tea", &mut out),
        Lookup {
            new_words: 8,
            with_prefix: 2,
            is_word: true,
            completed: 1
        }
    );
    assert_eq!(
        look(b"int", &mut out),
        Lookup {
            new_words: 8,
            with_prefix: 1,
            is_word: false,
            completed: 1
        }
    );
    assert_eq!(look(b"x", &mut out).with_prefix, 0);
    assert_eq!(
        trie_lookup("na\u{ef}ve".as_bytes(), b"", &mut out),
        Err(TrieError::Letter('ï'))
    );
}
