//! Files of the project that a text names, and what is in them: a command is what its script does.
//!
//! A text is read as a shell would read it, roughly: words are tried as paths, and so are the parts
//! of `--config=a.yaml` and `a:b`, and the words inside of a quoted word. What turns out to be a
//! regular file under the repository root counts; nobody is hurt by one too many.

use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::{self, Read},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

/// What stands for the content of a file that cannot be read.
const UNREADABLE: &str = "unreadable";

/// Longer words are no paths.
const LONGEST: usize = 4096;

/// As much of a file is in memory at once.
const PIECE: usize = 1 << 16;

/// The files of one repository, each read once.
pub struct Contents {
    /// Without links in it.
    root: PathBuf,
    hashes: HashMap<PathBuf, Hashed>,
    /// Where a word leads from a folder; nowhere for most.
    found: HashMap<PathBuf, Option<PathBuf>>,
    /// The only data files that there are, where that is known.
    known: Option<HashSet<PathBuf>>,
}

/// What is in a file, and by what is seen that it is another since.
struct Hashed {
    sha256: String,
    stamp: Option<Stamp>,
}

/// Its device, its number there, its length, and when it was changed, in seconds and nanoseconds.
type Stamp = (u64, u64, u64, i64, i64);

impl Contents {
    pub fn new(root: &Path) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        Self { root, hashes: HashMap::new(), found: HashMap::new(), known: None }
    }

    /// Data files that appeared since count as not there.
    pub fn know_only(&mut self, files: &HashSet<PathBuf>) {
        let real = files.iter().filter_map(|file| file.canonicalize().ok());
        self.known = Some(real.collect());
    }

    /// Takes the content of a file for what it was.
    pub fn suppose(&mut self, path: &Path, sha256: &str) {
        if let Ok(path) = self.root.join(path).canonicalize() {
            let stamp = stamp_of(&path);
            self.hashes.insert(path, Hashed { sha256: sha256.to_owned(), stamp });
        }
    }

    /// Every file of the repository that the text names, from one of the folders or from the root:
    /// its path from the root and the SHA-256 of its content in hex, each once, in order.
    pub fn named_in(&mut self, text: &str, folders: &[&Path]) -> Vec<(PathBuf, String)> {
        let root = self.root.clone();
        let mut files: Vec<PathBuf> = Vec::new();
        for word in candidates(text) {
            for folder in folders.iter().copied().chain([root.as_path()]) {
                files.extend(self.find(folder.join(&word)));
            }
        }
        files.sort_unstable();
        files.dedup();
        files.into_iter().filter_map(|file| self.file(&file)).collect()
    }

    /// A file by its path: its path from the root, else as it is, and the SHA-256 of its content.
    pub fn file(&mut self, path: &Path) -> Option<(PathBuf, String)> {
        let path = path.canonicalize().ok()?;
        let shown = path.strip_prefix(&self.root).unwrap_or(&path).to_owned();
        let hashed = self.hashes.entry(path).or_insert_with_key(|path| {
            // Before it is read: what changes meanwhile is seen to have changed.
            let stamp = stamp_of(path);
            let hash = File::open(path).and_then(sha256_of);
            Hashed { sha256: hash.unwrap_or_else(|_| UNREADABLE.to_owned()), stamp }
        });
        Some((shown, hashed.sha256.clone()))
    }

    /// Whether a file, by its path from the root, is not what it was when it was looked at.
    pub fn has_moved(&self, path: &Path) -> bool {
        let path = self.root.join(path);
        self.hashes.get(&path).is_some_and(|hashed| hashed.stamp != stamp_of(&path))
    }

    /// The file at a path, where there is one and the repository holds it.
    fn find(&mut self, path: PathBuf) -> Option<PathBuf> {
        let (root, known) = (&self.root, &self.known);
        let found = self.found.entry(path).or_insert_with_key(|path| {
            // Before anything is opened: to open a pipe is to wait for someone who writes to it.
            let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
            let real = path.canonicalize().ok().filter(|_| is_file)?;
            let mode = real.metadata().map_or(0, |metadata| metadata.mode());
            let is_known = known
                .as_ref()
                .is_none_or(|known| known.contains(&real) || is_instruction(&real, mode));
            (is_known && real.starts_with(root)).then_some(real)
        });
        found.clone()
    }
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    let found = path.metadata().ok()?;
    Some((found.dev(), found.ino(), found.len(), found.mtime(), found.mtime_nsec()))
}

/// The SHA-256 of all that can be read, in hex.
pub fn sha256_of(mut reader: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(length) => hasher.update(piece.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The SHA-256 of a text, in hex.
pub fn sha256(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Bytes in hex.
pub fn hex(digest: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half & 15)]);
    digest.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// Whatever in the text may be a path.
fn candidates(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for word in read_words(text) {
        // What is quoted may be a command line of its own, as for `sh -c`.
        if word.contains(|c: char| c.is_whitespace() || SEPARATORS.contains(&c)) {
            all.extend(read_words(&word));
        }
        all.push(word);
    }
    let pieces: Vec<String> = all
        .iter()
        .flat_map(|word| {
            let path = word.strip_prefix("file://").unwrap_or(word);
            let assigned = path.split_once('=').map(|(_, value)| value);
            [path].into_iter().chain(assigned).chain(path.split(['=', ',', ':']))
        })
        .filter(|piece| !piece.is_empty() && piece.len() <= LONGEST && !piece.contains('\0'))
        .map(str::to_owned)
        .collect();
    pieces
}

/// Parts of the names of options that are given a file to write to.
const WRITING: [&str; 7] = ["log", "out", "save", "dump", "trace", "report", "write"];

/// The words of a command line but for those that are written to (`--log x`, `tee x`, `--out=x`, and
/// whatever is called a log): those change with every run, and no answer depends on them.
fn read_words(text: &str) -> Vec<String> {
    let writes = |word: &str| {
        let name = word.split('=').next().unwrap_or(word).to_ascii_lowercase();
        let is_option = name.starts_with('-') || word.contains('=');
        name == "tee" || name == "-o" || is_option && WRITING.iter().any(|it| name.contains(it))
    };
    let mut read = Vec::new();
    let mut is_written = false;
    for word in words(text) {
        let assigns = word.contains('=');
        let (written, is_log) = (
            std::mem::take(&mut is_written),
            Path::new(&word).extension().is_some_and(|it| it.eq_ignore_ascii_case("log")),
        );
        if writes(&word) {
            // `--log x` writes to the next word, `--log=x` to its own.
            is_written = !assigns;
        } else if !written && !is_log {
            read.push(word);
        }
    }
    read
}

/// What ends a word besides white space.
const SEPARATORS: [char; 8] = [';', '|', '&', '(', ')', '<', '>', '`'];

/// The words of a command line, without their quotes. What is written to (`> file`) is none of them:
/// it changes with every run, and no run depends on it.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut is_written = false;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => quote = Some(letter),
            ('\\', None | Some('"')) => word.extend(letters.next()),
            (letter, None) if letter.is_whitespace() || SEPARATORS.contains(&letter) => {
                let word = std::mem::take(&mut word);
                if !word.is_empty() && !std::mem::take(&mut is_written) {
                    words.push(word);
                }
                is_written = letter == '>' || (is_written && letter.is_whitespace());
            }
            (letter, _) => word.push(letter),
        }
    }
    if !word.is_empty() && !is_written {
        words.push(word);
    }
    words
}

/// Endings of files that say what is done or asked, which no run changes by itself.
const INSTRUCTIONS: [&str; 24] = [
    "bash", "bat", "c", "cjs", "cpp", "go", "jl", "js", "kts", "lua", "md", "mjs", "php", "pl",
    "prompt", "py", "r", "rb", "rs", "sh", "toml", "ts", "yaml", "yml",
];

/// Whether a file says what is done or asked.
pub fn is_instruction(path: &Path, mode: u32) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let is_program = mode & 0o111 != 0;
    is_program || ending.is_some_and(|ending| INSTRUCTIONS.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The files of a small repository that a text names, from its folder `evals`.
    fn check(text: &str) -> Vec<String> {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().join("root");
        fs::create_dir_all(root.join("evals/lib")).unwrap();
        for file in ["agent.py", "my agent.py", "evals/agent.py", "evals/lib/a.txt", "evals/b.txt"]
        {
            fs::write(root.join(file), file).unwrap();
        }
        fs::write(base.path().join("outside.py"), "x").unwrap();
        std::os::unix::fs::symlink(base.path().join("outside.py"), root.join("link.py")).unwrap();
        std::os::unix::fs::symlink(root.join("agent.py"), root.join("same.py")).unwrap();
        let named = Contents::new(&root).named_in(text, &[&root.join("evals")]);
        named
            .into_iter()
            .map(|(path, hash)| {
                let path = path.to_str().unwrap().to_owned();
                assert_eq!(hash, sha256(&path));
                path
            })
            .collect()
    }

    #[test]
    fn words_of_a_command_are_files_of_the_folder_and_of_the_root() {
        assert_eq!(check("python3 agent.py {PROMPT}"), ["agent.py", "evals/agent.py"]);
        assert_eq!(check("./lib/a.txt<b.txt;x"), ["evals/b.txt", "evals/lib/a.txt"]);
        assert_eq!(check("run lib evals . .. nothing.py"), [""; 0]);
    }

    #[test]
    fn quotes_parts_of_words_and_commands_inside_of_words_are_looked_at() {
        let both = ["agent.py", "evals/agent.py", "my agent.py"];
        assert_eq!(check("'my agent.py'"), both);
        assert_eq!(check(r"my\ agent.py"), both);
        assert_eq!(check(r#"sh -c "cat b.txt | lib/a.txt""#), ["evals/b.txt", "evals/lib/a.txt"]);
        assert_eq!(check("--config=b.txt X=lib/a.txt:b.txt"), ["evals/b.txt", "evals/lib/a.txt"]);
        assert_eq!(check("file://lib/a.txt"), ["evals/lib/a.txt"]);
    }

    #[test]
    fn what_a_command_writes_is_not_what_it_depends_on() {
        assert_eq!(check("agent.py > b.txt"), ["agent.py", "evals/agent.py"]);
        assert_eq!(check("x 2>>b.txt <lib/a.txt"), ["evals/lib/a.txt"]);
        assert_eq!(check("x >b.txt lib/a.txt"), ["evals/lib/a.txt"]);
        assert_eq!(check("x >&2 b.txt"), ["evals/b.txt"]);
        assert_eq!(check("sh -c 'lib/a.txt > b.txt'"), ["evals/lib/a.txt"]);
    }

    #[test]
    fn what_a_command_writes_to_is_nothing_that_it_depends_on() {
        assert_eq!(check("agent.py > b.txt 2>> lib/a.txt"), ["agent.py", "evals/agent.py"]);
        for command in ["x --log b.txt", "x --output-file=b.txt", "x | tee b.txt", "x -o b.txt"] {
            assert_eq!(check(command), [""; 0], "{command}");
        }
        assert_eq!(check("x --input b.txt"), ["evals/b.txt"]);
        assert_eq!(check("x --log nowhere b.txt"), ["evals/b.txt"]);
    }

    #[test]
    fn a_link_is_what_it_leads_to_and_what_is_outside_does_not_count() {
        assert_eq!(check("same.py"), ["agent.py"]);
        assert_eq!(check("link.py ../../outside.py /etc/passwd"), [""; 0]);
    }

    #[test]
    fn no_text_is_too_odd() {
        assert_eq!(check("' \" \\ \0 = : , ``"), [""; 0]);
        assert_eq!(check(&"x".repeat(10_000)), [""; 0]);
    }

    #[test]
    fn a_file_is_read_once() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a"), "one").unwrap();
        let mut contents = Contents::new(root.path());
        let first = contents.named_in("a", &[]);
        fs::write(root.path().join("a"), "two").unwrap();
        assert_eq!(contents.named_in("a a", &[root.path()]), first);
        assert_ne!(Contents::new(root.path()).named_in("a", &[]), first);
    }
}
