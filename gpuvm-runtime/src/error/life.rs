//! The states of a ring kernel.

/// Where a ring kernel is in its life: `Launched → Active ⇄ Deactivated → Terminating → Terminated`, or `Failed` from anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Life {
    /// Its actors are there, and none has handled a message. Messages are taken and kept.
    Launched,
    /// Its actors handle messages.
    Active,
    /// Its actors rest. Messages are taken and kept.
    Deactivated,
    /// It takes no more messages and handles those that it has.
    Terminating,
    /// It is over, and has nothing of the device any more.
    Terminated,
    /// It is over because something went wrong.
    Failed,
}

impl Life {
    /// Whether messages are taken.
    pub(crate) fn takes_messages(self) -> bool {
        matches!(self, Life::Launched | Life::Active | Life::Deactivated)
    }

    /// Whether nothing comes after it.
    pub(crate) fn is_over(self) -> bool {
        matches!(self, Life::Terminated | Life::Failed)
    }
}

impl std::fmt::Display for Life {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Life::Launched => "launched",
            Life::Active => "active",
            Life::Deactivated => "deactivated",
            Life::Terminating => "terminating",
            Life::Terminated => "terminated",
            Life::Failed => "failed",
        })
    }
}
