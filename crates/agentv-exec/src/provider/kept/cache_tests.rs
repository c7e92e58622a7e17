//! Answers from a folder, asked for anew where anything changed.

use agentv_base::{Input, Messages, Node, Provenance, Raw, RecordRaw, Response};

use super::*;

/// A target that answers with the id and how often it was asked, and fails for `bad`.
#[derive(Default)]
struct Counting {
    asked: Mutex<Vec<String>>,
}

struct Given(Vec<Answer>);

impl Answers for Given {
    fn settle(&self, index: usize) -> Answer {
        self.0[index].clone()
    }
}

impl Provider for Counting {
    fn batching(&self) -> Batching {
        Batching::Batch { most: None }
    }

    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        let mut asked = self.asked.lock().unwrap();
        let answers = requests.iter().map(|request| {
            let id = request.input.eval_id.to_string();
            if id == "bad" {
                return Answer::Failed(Failure::new(FailureKind::Exit, "exit code 1"));
            }
            asked.push(id.clone());
            Answer::Given(Box::new(Response {
                text: format!("{id} {}", asked.len()),
                output_messages: None,
                trace: None,
                token_usage: None,
                cost_usd: Some(0.5),
                duration_ms: Some(2.0),
                dropped_elements: 1,
                leaked: Vec::new(),
                provenance: Provenance::Asked,
                raw: Raw::Record(RecordRaw { file: None, line: None }),
            }))
        });
        let answers = Given(answers.collect());
        Box::pin(async move { Ok(Arc::new(answers) as Arc<dyn Answers>) })
    }
}

fn request(id: &str, repeat: u32) -> Request {
    let message = json!({"role": "user", "content": "x"});
    let input = Input {
        eval_id: id.into(),
        suite_file: Path::new("/r/evals/a.yaml").into(),
        messages: Messages::new(vec![Node::from_json(&message)]),
        files: Vec::new(),
        guideline_files: Vec::new(),
        conversation_id: None,
    };
    Request { input: Arc::new(input), attempt: 0, repeat, output_schema: None }
}

/// Answers depend on one file.
struct Script {
    part: Part,
    moved: Option<PathBuf>,
}

impl Ingredients for Script {
    fn parts(&self, _: &Request) -> Vec<Part> {
        vec![self.part.clone()]
    }

    fn moved(&self, _: &Request) -> Option<PathBuf> {
        self.moved.clone()
    }
}

/// A folder, what was said of hits and misses, and a target.
struct Shop {
    moved: Mutex<Option<PathBuf>>,
    folder: tempfile::TempDir,
    said: Arc<Mutex<Vec<String>>>,
    inner: Arc<Counting>,
    cache: Arc<Cache>,
}

impl Shop {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let journal = Arc::clone(&said);
        let journal: Arc<dyn Fn(&str) + Send + Sync> =
            Arc::new(move |text: &str| journal.lock().unwrap().push(text.to_owned()));
        let cache = Arc::new(Cache::new(folder.path().join("cache"), Some(journal)));
        Self { moved: Mutex::default(), folder, said, inner: Arc::default(), cache }
    }

    /// What is answered where the script has this content: text and provenance of each.
    async fn ask(&self, script: &str, requests: &[(&str, u32)]) -> Vec<(String, bool)> {
        let part = Part { name: "file agent.py".to_owned(), sha256: script.to_owned() };
        let cached = Cached::new(
            Arc::clone(&self.inner) as _,
            Arc::clone(&self.cache),
            Arc::new(Script { part, moved: self.moved.lock().unwrap().clone() }),
            "t".into(),
            Path::new("/r").into(),
        );
        let asked: Vec<Request> = requests.iter().map(|(id, it)| request(id, *it)).collect();
        let answers = cached.invoke(asked).await.unwrap();
        let settled = (0..requests.len()).map(|index| match answers.settle(index) {
            Answer::Given(it) => {
                assert_eq!((it.cost_usd, it.dropped_elements), (Some(0.5), 1));
                (it.text, it.provenance == Provenance::Cache)
            }
            Answer::Failed(failure) | Answer::Unanswered { failure, .. } => {
                (failure.message.to_string(), false)
            }
        });
        settled.collect()
    }

    fn said(&self) -> Vec<String> {
        std::mem::take(&mut self.said.lock().unwrap())
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.inner.asked.lock().unwrap())
    }

    /// Every file in the folder that is an answer.
    fn kept(&self) -> Vec<PathBuf> {
        let under = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
        let folders = under(self.folder.path().join("cache"));
        let answers = folders.filter(|it| it.file_name() != LAST).flat_map(|it| under(it.path()));
        answers.map(|it| it.path()).collect()
    }
}

#[tokio::test]
async fn only_what_is_not_kept_is_asked_for_and_failures_are_never_kept() {
    let shop = Shop::open();
    let first = shop.ask("1", &[("a", 1), ("bad", 1)]).await;
    assert_eq!(first, [("a 1".to_owned(), false), ("exit code 1".to_owned(), false)]);
    assert_eq!(shop.asked(), ["a"]);
    let again = shop.ask("1", &[("b", 1), ("a", 1), ("a", 2), ("bad", 1)]).await;
    assert_eq!(again[1], ("a 1".to_owned(), true));
    assert_eq!(again[0].0, "b 1");
    assert_eq!(again[2].0, "a 2");
    assert_eq!(again[3].0, "exit code 1");
    assert_eq!(shop.asked(), ["b", "a"]);
    let all = shop.ask("1", &[("a", 1), ("a", 2), ("b", 1)]).await;
    assert!(all.iter().all(|(_, kept)| *kept), "{all:?}");
    assert_eq!(shop.asked(), [""; 0]);
}

#[tokio::test]
async fn hits_and_misses_are_explained() {
    let shop = Shop::open();
    shop.ask("1", &[("a", 1)]).await;
    shop.ask("1", &[("a", 1)]).await;
    shop.ask("2", &[("a", 1)]).await;
    let said = shop.said();
    assert_eq!(said[0], "cache: miss for evals/a.yaml a (t): no answer is kept");
    assert!(said[1].starts_with("cache: hit for evals/a.yaml a (t), kept 20"), "{said:?}");
    assert_eq!(said[2], "cache: miss for evals/a.yaml a (t): file agent.py changed");
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_a_miss_that_is_said_once() {
    let shop = Shop::open();
    shop.ask("1", &[("a", 1), ("b", 1)]).await;
    for file in shop.kept() {
        fs::write(file, "{\"version\": 1").unwrap();
    }
    let again = shop.ask("1", &[("a", 1), ("b", 1)]).await;
    assert!(again.iter().all(|(_, kept)| !kept), "{again:?}");
    assert_eq!(shop.kept().len(), 2);
    let third = shop.ask("1", &[("a", 1), ("b", 1)]).await;
    assert!(third.iter().all(|(_, kept)| *kept), "{third:?}");
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_costs_a_warning_and_nothing_else() {
    let shop = Shop::open();
    fs::write(shop.folder.path().join("cache"), "in the way").unwrap();
    let answers = shop.ask("1", &[("a", 1), ("b", 1)]).await;
    assert_eq!(answers[1].0, "b 2");
    let warnings = shop.cache.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with("answers cannot be kept in "), "{warnings:?}");
    assert_eq!(shop.cache.warnings(), [""; 0]);
}

#[tokio::test]
async fn what_is_kept_is_for_its_owner_alone_and_for_no_repository() {
    let shop = Shop::open();
    shop.ask("1", &[("a", 1)]).await;
    let folder = shop.folder.path().join("cache");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let [file] = shop.kept().try_into().unwrap();
    assert_eq!(mode(&file), 0o600);
    assert_eq!(fs::read_to_string(folder.join(".gitignore")).unwrap(), "*\n");
}

#[tokio::test]
async fn answers_are_not_kept_under_the_hash_of_a_file_that_was_changed_meanwhile() {
    let shop = Shop::open();
    *shop.moved.lock().unwrap() = Some(PathBuf::from("agent.py"));
    shop.ask("1", &[("a", 1), ("b", 1)]).await;
    assert!(shop.kept().is_empty());
    let warnings = shop.cache.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with("agent.py was changed while the run went on"), "{warnings:?}");
}

#[tokio::test]
async fn whoever_asks_again_gets_a_new_answer_that_takes_the_place_of_the_old() {
    let mut shop = Shop::open();
    shop.ask("1", &[("a", 1)]).await;
    let gives = Arc::clone(&shop.cache);
    shop.cache = Arc::new(Cache::keeping(shop.folder.path().join("cache"), None));
    assert_eq!(shop.ask("1", &[("a", 1)]).await, [("a 2".to_owned(), false)]);
    shop.cache = gives;
    assert_eq!(shop.ask("1", &[("a", 1)]).await, [("a 2".to_owned(), true)]);
}
