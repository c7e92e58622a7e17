//! One run of the command: its files, its environment, and what is to be said of how it ended.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use agentv_base::{
    CommandRun, Exit, Failure, FailureKind, LeakedProcess, ProcessFault, ProcessOutput,
    ProcessSpec, Program, Request, Stdin, Stdout, ended_by, excerpt, exited, tail,
};

use super::{
    CliProvider,
    bundle::Bundle,
    template::{Placeholder, TemplateValues},
};
use crate::scratch::{ScratchFolder, create_private};

/// How much of what a failed tool said goes into its error.
pub(in crate::provider) const SAID: usize = 2 * 1024;
/// How much of a command `invoke` shows: a prompt inside it can have any size.
const COMMAND_SHOWN: usize = 8 * 1024;
/// The longest single argument that Linux hands to a program, and a little less than what macOS
/// takes in all. Only used to explain a refusal, never to refuse.
const LONGEST_ARGUMENT: usize = 128 * 1024;

/// The files of one invocation.
struct Files {
    /// Removes them when it is dropped; none where they are to be kept.
    _folder: Option<ScratchFolder>,
    prompt: PathBuf,
    bundle: Option<PathBuf>,
    output: PathBuf,
    stdout: PathBuf,
}

/// What is still wanted of requests once they are written down. They themselves are let go one by one,
/// each while it is at hand: a million of them are looked at once, and not once for every question.
struct Asked {
    first: Option<Request>,
    ids: Vec<Arc<str>>,
    /// The attached files of all of them, each once.
    files: Vec<PathBuf>,
}

impl Asked {
    fn of(requests: Vec<Request>, mut bundle: Option<Bundle<File>>) -> io::Result<Self> {
        let (mut files, mut seen) = (Vec::new(), HashSet::new());
        let mut ids = Vec::with_capacity(requests.len());
        let first = requests.first().cloned();
        for request in requests {
            if let Some(bundle) = &mut bundle {
                bundle.add(&request)?;
            }
            for file in request.input.files.iter().filter(|file| seen.insert((*file).clone())) {
                files.push(file.clone());
            }
            ids.push(Arc::clone(&request.input.eval_id));
        }
        bundle.map_or(Ok(()), Bundle::finish)?;
        Ok(Self { first, ids, files })
    }
}

/// A command that ran to its end with exit code 0.
pub(super) struct Finished {
    /// What the tool wrote, ready to be read. Its name is gone with the files of the command: what a
    /// large batch was asked need not lie in memory, or on the disk, while its answers are graded.
    pub output: File,
    /// Of the requests that it was run for.
    pub ids: Vec<Arc<str>>,
    pub run: Arc<CommandRun>,
    pub duration: Duration,
    pub leaked: Arc<[LeakedProcess]>,
    pub warnings: Vec<String>,
}

impl CliProvider {
    /// Runs the command for these requests.
    pub(super) async fn run_command(&self, requests: Vec<Request>) -> Result<Finished, Failure> {
        let (files, asked) = self.prepare(requests).map_err(|error| {
            Failure::new(FailureKind::Spawn, format!("cannot write temporary files: {error}"))
        })?;
        let command = self.render(&asked, &files);
        let cwd = self.cwd(&asked);
        if !cwd.is_dir() {
            let message = format!("the folder to run in does not exist: {}", cwd.display());
            return Err(Failure::new(FailureKind::Spawn, message));
        }
        if self.settings.verbose || self.services.verbose {
            let shown = excerpt(&self.services.redactor.redact(&command), 2000);
            (self.services.journal)(&format!("{}: running `{shown}`", self.name));
        }
        let answers_on_stdout = !self.settings.command.mentions(Placeholder::OutputFile);
        let deadline = match &self.settings.batch {
            // A batch takes as long as it takes, unless its target says otherwise.
            Some(_) => self.settings.timeout,
            None => self.settings.timeout.or(self.services.agent_timeout),
        };
        let spec = ProcessSpec {
            program: Program::Shell(command.clone()),
            cwd: cwd.clone(),
            env: self.environment(&asked, &files),
            stdin: Stdin::Null,
            stdout: if answers_on_stdout {
                Stdout::File(files.stdout.clone())
            } else {
                Stdout::Capture
            },
            deadline,
            limits: self.settings.limits,
        };
        let result = self.services.processes.run(spec).await;
        let output = result.map_err(|fault| process_fault(&fault, &command))?;
        let finished = self.finish(&files, &output, &command, &cwd, answers_on_stdout, deadline);
        let (file, run, warnings) = finished.map_err(|failure| Failure {
            message: self.services.redactor.redact(&failure.message).into(),
            duration_ms: self.settings.batch.is_none().then(|| millis(output.duration)),
            leaked: output.leaked.clone().into(),
            ..failure
        })?;
        Ok(Finished {
            output: file,
            ids: asked.ids,
            run,
            duration: output.duration,
            leaked: output.leaked.into(),
            warnings,
        })
    }

    fn prepare(&self, requests: Vec<Request>) -> io::Result<(Files, Asked)> {
        let scratch = self.services.scratch.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        let folder = scratch.folder()?;
        let folder_path = folder.path().to_path_buf();
        let folder = if self.settings.keep_temp_files {
            folder.keep();
            None
        } else {
            Some(folder)
        };
        let batch = self.settings.batch.is_some();
        let path = |name: &str| folder_path.join(name);
        let (output, stdout) = if batch {
            (path("output.jsonl"), path("stdout.jsonl"))
        } else {
            (path("output.json"), path("stdout.txt"))
        };
        let bundle = path("requests.jsonl");
        let needs_bundle = batch || self.settings.command.mentions(Placeholder::BatchFile);
        let written = if needs_bundle { Some(create_private(&bundle)?) } else { None };
        let asked = Asked::of(requests, written.map(Bundle::new))?;
        let prompt = if batch {
            // In a batch there is no one prompt: the file that would hold it holds all of them.
            bundle.clone()
        } else {
            let question = asked.first.as_ref().map(|request| request.input.question());
            let question = question.unwrap_or_default();
            create_private(&path("prompt.txt"))?.write_all(question.as_bytes())?;
            path("prompt.txt")
        };
        let bundle = needs_bundle.then_some(bundle);
        Ok((Files { _folder: folder, prompt, bundle, output, stdout }, asked))
    }

    fn render(&self, asked: &Asked, files: &Files) -> String {
        let first = asked.first.as_ref();
        let single = first.filter(|_| self.settings.batch.is_none());
        let attached: Vec<String> =
            asked.files.iter().map(|file| file.display().to_string()).collect();
        let shown = |path: &Path| path.display().to_string();
        // Only a command that shows them needs them as texts.
        let told = |placeholder| {
            single.filter(|_| self.settings.command.mentions(placeholder)).map(|it| &it.input)
        };
        let prompt = told(Placeholder::Prompt).map(|input| input.question());
        let guidelines = told(Placeholder::Guidelines).and_then(|input| input.guidelines());
        self.settings.command.render(&TemplateValues {
            prompt: prompt.as_deref().unwrap_or_default(),
            prompt_file: &shown(&files.prompt),
            guidelines: guidelines.as_deref().unwrap_or_default(),
            eval_id: self.shown_id(asked),
            attempt: first.map_or(0, |request| request.attempt),
            files: &attached,
            output_file: &shown(&files.output),
            eval_file: &first.map_or(String::new(), |request| shown(&request.input.suite_file)),
            batch_file: &files.bundle.as_deref().map_or(String::new(), shown),
        })
    }

    fn shown_id<'r>(&self, asked: &'r Asked) -> &'r str {
        match &asked.first {
            Some(request) if self.settings.batch.is_none() => &request.input.eval_id,
            _ => "batch",
        }
    }

    fn cwd(&self, asked: &Asked) -> PathBuf {
        let suite_dir =
            asked.first.as_ref().map_or(Path::new("."), |request| request.input.suite_dir());
        match &self.settings.cwd {
            Some(cwd) => suite_dir.join(cwd),
            None => suite_dir.to_path_buf(),
        }
    }

    fn environment(&self, asked: &Asked, files: &Files) -> Vec<(String, String)> {
        let mut env = self.settings.env.clone();
        let mut set = |name: &str, value: String| env.push((name.to_owned(), value));
        let attempt = asked.first.as_ref().map_or(0, |request| request.attempt);
        set("AGENTV_EVAL_ID", self.shown_id(asked).to_owned());
        set("AGENTV_ATTEMPT", attempt.to_string());
        set("AGENTV_OUTPUT_FILE", files.output.display().to_string());
        if self.settings.batch.is_some() {
            set("AGENTV_BATCH_FILE", files.prompt.display().to_string());
        } else {
            set("AGENTV_PROMPT_FILE", files.prompt.display().to_string());
        }
        env
    }

    /// Looks at how the command ended and opens what it wrote.
    fn finish(
        &self,
        files: &Files,
        output: &ProcessOutput,
        command: &str,
        cwd: &Path,
        answers_on_stdout: bool,
        deadline: Option<Duration>,
    ) -> Result<(File, Arc<CommandRun>, Vec<String>), Failure> {
        let stderr = output.stderr.text();
        let stdout = || {
            if answers_on_stdout { end_of_file(&files.stdout) } else { output.stdout.text() }
        };
        let too_long = command.len() > LONGEST_ARGUMENT
            && (output.exit == Exit::Code(126) || stderr.contains("Argument list too long"));
        let hint = if too_long { TOO_LONG } else { "" };
        let limits = self.settings.limits.explain(output.exit);
        let failed = |kind, what: &str| {
            let said = end_of_output(&stderr, &stdout());
            Failure::new(kind, format!("{what}{hint}{limits}{said}"))
        };
        match output.exit {
            Exit::Code(0) if too_long => {
                return Err(failed(FailureKind::Exit, "the command went wrong"));
            }
            Exit::Code(0) => {}
            Exit::Code(code) => {
                return Err(failed(FailureKind::Exit, &exited(code)));
            }
            Exit::Signal(signal) => {
                return Err(failed(FailureKind::Signal, &ended_by(signal)));
            }
            Exit::TimedOut => return Err(failed(FailureKind::Timeout, &timed_out(deadline))),
        }
        let path =
            if answers_on_stdout && !files.output.exists() { &files.stdout } else { &files.output };
        let file = open_output(path).map_err(|what| failed(FailureKind::Output, &what))?;
        let run = CommandRun {
            command: self.services.redactor.redact(&excerpt_lines(command)).into_owned(),
            exit_code: Some(0),
            stderr: self.services.redactor.redact(&stderr).into_owned(),
            cwd: cwd.to_owned(),
            output_file: Some(files.output.clone()),
        };
        let mut warnings = Vec::new();
        if output.ended_leftovers > 0 {
            warnings.push(format!(
                "target `{}` leaves processes running when it answers; they were ended",
                self.name
            ));
        }
        Ok((file, Arc::new(run), warnings))
    }
}

const TOO_LONG: &str = " (an argument is longer than the system hands to a program; pass the \
                        prompt by {PROMPT_FILE})";

fn process_fault(fault: &ProcessFault, command: &str) -> Failure {
    match fault {
        ProcessFault::Interrupted => Failure::new(FailureKind::Interrupted, "interrupted"),
        ProcessFault::Spawn(error) if error.kind() == io::ErrorKind::InvalidInput => Failure::new(
            FailureKind::Spawn,
            "the command holds a NUL byte, which no program can be given; pass the prompt \
                 by {PROMPT_FILE}",
        ),
        ProcessFault::Spawn(_) | ProcessFault::Io(_) => {
            let hint = if command.len() > LONGEST_ARGUMENT { TOO_LONG } else { "" };
            Failure::new(FailureKind::Spawn, format!("{fault}{hint}"))
        }
    }
}

/// The values of a healthcheck's placeholders: there is no case yet.
pub(super) fn healthcheck_values() -> TemplateValues<'static> {
    TemplateValues { eval_id: "healthcheck", ..TemplateValues::default() }
}

pub(in crate::provider) fn millis(duration: Duration) -> f64 {
    // Whole microseconds: more digits would claim a precision that no scheduler has.
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

pub(in crate::provider) fn timed_out(deadline: Option<Duration>) -> String {
    let seconds = deadline.unwrap_or_default().as_secs_f64();
    format!("timed out after {seconds} s")
}

/// What the tool said last, for the end of an error message.
pub(super) fn end_of_output(stderr: &str, stdout: &str) -> String {
    let said = if stderr.trim().is_empty() { stdout.trim() } else { stderr.trim() };
    let end = tail(said, SAID);
    match (end.is_empty(), end.len() < said.len()) {
        (true, _) => String::new(),
        (false, false) => format!(": {end}"),
        (false, true) => format!(": …{end}"),
    }
}

/// The command as it was, cut where it is very long.
fn excerpt_lines(command: &str) -> String {
    if command.len() <= COMMAND_SHOWN {
        return command.to_owned();
    }
    let cut: String = command.chars().take(COMMAND_SHOWN).collect();
    format!("{cut}… [{} bytes in all]", command.len())
}

fn end_of_file(path: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(SAID as u64 + 8)))?;
        let mut end = Vec::new();
        file.take(2 * SAID as u64).read_to_end(&mut end)?;
        Ok(end)
    };
    read().map(|end| String::from_utf8_lossy(&end).into_owned()).unwrap_or_default()
}

/// Opens what the tool wrote; every way in which there is nothing to read has its own words.
fn open_output(path: &Path) -> Result<File, String> {
    let kind = match std::fs::metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err("exited with code 0 but did not write {OUTPUT_FILE}".to_owned());
        }
        Err(error) => return Err(format!("output file cannot be read: {error}")),
    };
    if kind.is_dir() {
        return Err("exited with code 0 but its output file is a directory".to_owned());
    }
    if !kind.is_file() {
        return Err("exited with code 0 but its output file is not a regular file".to_owned());
    }
    File::open(path).map_err(|error| format!("output file cannot be read: {error}"))
}
