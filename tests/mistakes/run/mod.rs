//! What a user gets wrong at run time, as a table: the mistake, and what is answered. A row is added by its code and an empty text; the test that fails
//! shows the answer, which is read aloud before it is written down.

mod kernels;
mod launches;
mod routines;
mod traps;

/// Answers to mistakes: the code that makes it, and the error's text.
macro_rules! answers {
    ($($code:expr => $answer:expr;)*) => {
        $crate::run::compare(&[$((stringify!($code), $crate::told($code), ::std::string::String::from($answer))),*])
    };
}

pub(crate) use answers;

/// Shows all rows whose answer is another.
#[track_caller]
fn compare(rows: &[(&str, String, String)]) {
    let others: Vec<String> = rows
        .iter()
        .filter(|(_, told, answer)| told != answer)
        .map(|(code, told, answer)| format!("{code}\n  is told    {told}\n  instead of {answer}"))
        .collect();
    assert!(others.is_empty(), "\n{}", others.join("\n"));
}
