//! Why there is no figure.

use serde::{Deserialize, Serialize};

/// What keeps a contestant from having figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    /// It is not there on this device: gpuvm's reason.
    Unavailable(String),
    /// It went wrong, or gave wrong results.
    Failed(String),
}

impl Problem {
    /// What an error means.
    pub fn of(error: &anyhow::Error) -> Problem {
        match error.downcast_ref() {
            Some(gpuvm::Error::EngineUnavailable { reason, .. }) => Problem::Unavailable(reason.clone()),
            _ => Problem::Failed(format!("{error:#}")),
        }
    }

    /// What went wrong, if that is it.
    pub fn failure(problem: &Option<Problem>) -> Option<&str> {
        match problem {
            Some(Problem::Failed(what)) => Some(what),
            Some(Problem::Unavailable(_)) | None => None,
        }
    }

    /// What stands where a figure is missing; without a problem it would have taken too long.
    pub fn note(problem: &Option<Problem>) -> String {
        let note = match problem {
            Some(Problem::Failed(_)) => "FAILED",
            Some(Problem::Unavailable(_)) => "not available",
            None => "too long",
        };
        note.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_gpuvm_says_that_an_engine_is_not_there() {
        let unavailable = gpuvm::Error::EngineUnavailable {
            engine: gpuvm::Engine::Epoch,
            reason: "no GPU".to_string(),
        };
        let problem = Some(Problem::of(&unavailable.into()));
        assert_eq!(
            (Problem::failure(&problem), Problem::note(&problem).as_str()),
            (None, "not available")
        );
        let problem = Some(Problem::of(&anyhow::anyhow!("wrong").context("here")));
        assert_eq!(Problem::failure(&problem), Some("here: wrong"));
    }
}
