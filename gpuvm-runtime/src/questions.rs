//! What VMs ask by `vm::ask`, and who answers.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gpuvm_core::program::{Asked, LinkedSite, Program, Questions};
use gpuvm_core::routine::{Asking, Cause};
use gpuvm_core::types::{Value, VmType};

use crate::bind::Bound;
use crate::error::{Error, Result};

/// A question of a VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question<Q> {
    /// Who asks.
    pub vm: u32,
    /// What.
    pub question: Q,
}

impl<Q: VmType> Question<Q> {
    pub(crate) fn of(asked: &Asked) -> Question<Q> {
        Question {
            vm: asked.vm,
            question: Q::read_words(&asked.words),
        }
    }
}

/// The words of an answer to a VM.
///
/// # Errors
///
/// [`Error::SizeTooLarge`].
pub(crate) fn answer_words<A: VmType>(vm: u32, answer: A) -> Result<Vec<u32>> {
    match answer.fits_words() {
        true => Ok(words_of(answer)),
        false => Err(Error::SizeTooLarge {
            holder: format!("the answer to VM {vm}"),
            index: None,
        }),
    }
}

/// The words of a value.
pub(crate) fn words_of<T: VmType>(value: T) -> Vec<u32> {
    let mut words = vec![0; T::TYPE.words as usize];
    value.write_words(&mut words);
    words
}

/// The words of the answers to some questions, in their order.
type Answer<'a> = dyn FnMut(&[Asked]) -> Result<Vec<Vec<u32>>> + Send + 'a;

/// Who answers the questions of one kind.
struct Handler<'a> {
    asking: Asking,
    answer: Box<Answer<'a>>,
}

/// Who answers a launch's questions.
#[derive(Default)]
pub(crate) struct Handlers<'a>(Vec<Handler<'a>>);

impl<'a> Handlers<'a> {
    /// Takes each question alone.
    pub(crate) fn add<Q: VmType, A: VmType>(&mut self, mut answer: impl FnMut(u32, Q) -> A + Send + 'a) {
        let all = move |asked: &[Asked]| {
            let each = asked.iter().map(Question::<Q>::of);
            each.map(|Question { vm, question }| answer_words(vm, answer(vm, question)))
                .collect()
        };
        self.push(asking::<Q, A>(), Box::new(all));
    }

    /// Takes all that wait at once.
    pub(crate) fn add_all<Q: VmType, A: VmType>(
        &mut self,
        mut answer: impl FnMut(&[Question<Q>]) -> Vec<A> + Send + 'a,
    ) {
        let all = move |asked: &[Asked]| {
            let questions: Vec<Question<Q>> = asked.iter().map(Question::of).collect();
            let answers = answer(&questions);
            if answers.len() != questions.len() {
                return Err(Error::AnswerCount {
                    questions: questions.len(),
                    answers: answers.len(),
                });
            }
            let pairs = questions.iter().zip(answers);
            pairs.map(|(asked, answer)| answer_words(asked.vm, answer)).collect()
        };
        self.push(asking::<Q, A>(), Box::new(all));
    }

    /// Who comes later is asked in place of who was there for the same types.
    fn push(&mut self, asking: Asking, answer: Box<Answer<'a>>) {
        self.0.retain(|known| known.asking != asking);
        self.0.push(Handler { asking, answer });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is an answer to each question of a program, as there has to be where nobody else can give one.
    ///
    /// # Errors
    ///
    /// [`Error::NobodyAnswers`].
    pub(crate) fn cover(&self, routine: &str, program: &Program) -> Result<()> {
        let site = |site: &LinkedSite| {
            let file = program.files.get(site.place.file as usize).map_or("", String::as_str);
            (site.cause, file, site.place.line)
        };
        self.cover_sites(routine, program.sites.iter().map(site))
    }

    /// The same of sites with their files and lines.
    ///
    /// # Errors
    ///
    /// [`Error::NobodyAnswers`].
    pub(crate) fn cover_sites<'s>(
        &self,
        routine: &str,
        sites: impl IntoIterator<Item = (Cause, &'s str, u32)>,
    ) -> Result<()> {
        for (cause, file, line) in sites {
            if let Cause::Ask(asking) = cause
                && !self.0.iter().any(|known| known.asking == asking)
            {
                return Err(nobody_answers(routine, asking, format!("{file}:{line}")));
            }
        }
        Ok(())
    }

    /// The answers to those questions for which there are any, with the VMs that asked.
    ///
    /// # Errors
    ///
    /// [`Error::AnswerCount`].
    pub(crate) fn answer(&mut self, asked: Vec<Asked>) -> Result<Vec<(u32, Vec<u32>)>> {
        let mut answers = Vec::with_capacity(asked.len());
        let mut left = asked;
        for Handler { asking, answer } in &mut self.0 {
            let (own, others): (Vec<Asked>, Vec<Asked>) = left.into_iter().partition(|asked| asked.asking == *asking);
            left = others;
            if !own.is_empty() {
                let given = answer(&own)?;
                answers.extend(own.iter().map(|asked| asked.vm).zip(given));
            }
        }
        Ok(answers)
    }

    /// The same ones, asked from another thread by way of a desk at which somebody sits.
    pub(crate) fn relayed(&self, desk: &Arc<Desk>) -> Handlers<'static> {
        let relayed = self.0.iter().map(|Handler { asking, .. }| {
            let desk = Arc::clone(desk);
            Handler {
                asking: *asking,
                answer: Box::new(move |asked: &[Asked]| desk.ask(asked)),
            }
        });
        Handlers(relayed.collect())
    }

    /// Answers what lies on the desk, if anything does.
    pub(crate) fn sit_at(&mut self, desk: &Desk) {
        let Some(asked) = desk.lock().asked.take() else {
            return;
        };
        let answers = self.answer(asked);
        desk.lock().answers = Some(answers.map(|answers| answers.into_iter().map(|(_, words)| words).collect()));
        desk.changed.notify_all();
    }
}

fn nobody_answers(routine: &str, asking: Asking, place: String) -> Error {
    Error::NobodyAnswers {
        routine: routine.to_string(),
        question: asking.question.to_string(),
        answer: asking.answer.to_string(),
        place,
    }
}

/// The types of a question and its answer.
pub(crate) fn asking<Q: Value, A: Value>() -> Asking {
    Asking {
        question: Q::TYPE,
        answer: A::TYPE,
    }
}

/// Where a launch on a thread of its own asks, and whoever polls its future answers.
#[derive(Default)]
pub(crate) struct Desk {
    papers: Mutex<Papers>,
    changed: Condvar,
}

/// What lies on the desk.
#[derive(Default)]
struct Papers {
    asked: Option<Vec<Asked>>,
    answers: Option<Result<Vec<Vec<u32>>>>,
    /// Nobody comes any more.
    closed: bool,
    /// Calls who answers.
    bell: Option<Box<dyn Fn() + Send>>,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Papers> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to do when there is a question.
    pub(crate) fn on_question(&self, bell: impl Fn() + Send + 'static) {
        self.lock().bell = Some(Box::new(bell));
    }

    /// Nobody answers any more: the launch ends.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn ask(&self, asked: &[Asked]) -> Result<Vec<Vec<u32>>> {
        let mut papers = self.lock();
        papers.asked = Some(asked.to_vec());
        if let Some(bell) = &papers.bell {
            bell();
        }
        loop {
            match papers.answers.take() {
                Some(answers) => return answers,
                None if papers.closed => {
                    return Err(Error::Threads {
                        reason: "nobody polls the launch that asks".to_string(),
                    });
                }
                None => papers = self.changed.wait(papers).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Who answers VMs that run natively, from whichever thread they ask, one at a time.
pub(crate) trait Answering: Sync {
    /// The answer; `None` if there is none, or none any more because something went wrong.
    fn answer(&self, asked: Asked) -> Option<Vec<u32>>;
}

/// The handlers of a launch, for VMs that run natively.
pub(crate) struct Counter<'h, 'a> {
    routine: &'h str,
    handlers: Mutex<&'h mut Handlers<'a>>,
    failed: Mutex<Option<Failure>>,
}

/// Why there are no answers any more.
enum Failure {
    Error(Error),
    Panic(Box<dyn Any + Send>),
}

impl<'h, 'a> Counter<'h, 'a> {
    pub(crate) fn new(routine: &'h str, handlers: &'h mut Handlers<'a>) -> Counter<'h, 'a> {
        Counter {
            routine,
            handlers: Mutex::new(handlers),
            failed: Mutex::new(None),
        }
    }

    /// Whether there are no answers any more.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Goes on with a panic of a handler.
    ///
    /// # Errors
    ///
    /// That of a handler.
    pub(crate) fn close(self) -> Result<()> {
        match self.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(Failure::Error(error)) => Err(error),
            Some(Failure::Panic(panic)) => resume_unwind(panic),
        }
    }
}

impl Answering for Counter<'_, '_> {
    fn answer(&self, asked: Asked) -> Option<Vec<u32>> {
        let failed = || self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut handlers = self.handlers.lock().unwrap_or_else(PoisonError::into_inner);
        if failed().is_some() {
            return None;
        }
        let asking = asked.asking;
        let answered = catch_unwind(AssertUnwindSafe(|| handlers.answer(vec![asked])));
        let failure = match answered {
            Ok(Ok(answers)) => match answers.into_iter().next() {
                Some((_, words)) => return Some(words),
                None => Failure::Error(nobody_answers(self.routine, asking, "a place of its own".to_string())),
            },
            Ok(Err(error)) => Failure::Error(error),
            Err(panic) => Failure::Panic(panic),
        };
        *failed() = Some(failure);
        None
    }
}

/// The slots for a launch's questions, the last of its arguments; `None` if the program asks nothing.
///
/// # Errors
///
/// [`Error::TooLarge`].
pub(crate) fn argument(program: &Program, vms: u32, engine: gpuvm_engine::Engine) -> Result<Option<Bound<'static>>> {
    let Some(questions) = Questions::of(program) else {
        return Ok(None);
    };
    let words = questions.words(vms);
    if words > u64::from(u32::MAX) {
        return Err(Error::TooLarge {
            routine: program.name.clone(),
            words,
            vms: vms.into(),
            engine,
        });
    }
    Ok(Some(Bound::own_words(&questions.empty(vms))))
}
