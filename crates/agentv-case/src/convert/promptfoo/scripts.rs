//! Programs of the author's that promptfoo calls by itself, and the commands that call them here.

use agentv_base::{Node, Span};
use serde_json::{Map, Value, json};

use super::{
    Import,
    assertions::Decision,
    files::{FILE, ending, split_function},
};

/// Hands the prompt to a function of a file, and writes down what it gives back.
pub(super) const PYTHON_PROVIDER: &str = r#"
import asyncio, importlib.util, inspect, json, os, sys
path, name, options, prompt_file, output_file = sys.argv[1:]
sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
spec = importlib.util.spec_from_file_location("provider", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
prompt = open(prompt_file, encoding="utf-8").read()
answer = getattr(module, name)(prompt, json.loads(options), dict(vars=dict()))
if inspect.isawaitable(answer):
    answer = asyncio.run(answer)
if answer.get("error"):
    sys.exit(str(answer["error"]))
text = answer.get("output")
with open(output_file, "w", encoding="utf-8") as file:
    json.dump(dict(text="" if text is None else text), file)
"#;

/// The same for the class or function that a JavaScript module exports.
pub(super) const NODE_PROVIDER: &str = r#"
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
const [path, options, promptFile, outputFile] = process.argv.slice(1);
const loaded = await import(pathToFileURL(resolve(path)).href);
const exported = loaded.default?.default ?? loaded.default ?? loaded;
const isClass = /^class\b/.test(Function.prototype.toString.call(exported));
const provider = isClass ? new exported(JSON.parse(options)) : exported;
const call = isClass ? provider.callApi.bind(provider) : provider;
const answer = await call(readFileSync(promptFile, "utf8"), { vars: {} }, {});
if (answer.error) throw new Error(answer.error);
writeFileSync(outputFile, JSON.stringify({ text: answer.output ?? "" }));
"#;

/// What both judges in Python end with: a result as a score.
const PYTHON_VERDICT: &str = r#"
threshold = json.loads(sys.argv[-1])
reason = ""
if isinstance(result, dict):
    reason = str(result.get("reason", ""))
    passed = result.get("pass_", result.get("pass", result.get("score", 0) > 0))
    score = float(result.get("score", passed))
elif isinstance(result, bool):
    passed, score = result, float(result)
else:
    score = float(result)
    passed = score >= threshold if threshold is not None else score > 0
score = score if sys.argv[-2] == "score" else float(bool(passed))
print(json.dumps(dict(score=min(1.0, max(0.0, score)), reasoning=reason)))
"#;

const PYTHON_LINE: &str = r#"
import json, sys
output = json.load(sys.stdin)["candidate_answer"]
result = eval(sys.argv[1])
"#;

const PYTHON_FILE: &str = r#"
import importlib.util, json, os, sys
path, name = sys.argv[1:3]
sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
spec = importlib.util.spec_from_file_location("assertion", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
result = getattr(module, name)(json.load(sys.stdin)["candidate_answer"], dict(vars=dict()))
"#;

/// A line or the body of a function in JavaScript, as a score.
const NODE_LINE: &str = r#"
import { readFileSync } from "node:fs";
const [code, mode, limit] = process.argv.slice(1);
const body = code.includes("\n") || code.startsWith("return ") ? code : "return " + code;
const output = JSON.parse(readFileSync(0, "utf8")).candidate_answer;
const result = await new Function("output", body)(output);
const threshold = JSON.parse(limit);
const isObject = typeof result === "object" && result !== null;
const score = Number(isObject ? result.score ?? result.pass : result);
const passed = isObject ? result.pass ?? score > 0
  : typeof result === "number" && threshold !== null ? score >= threshold : score > 0;
const given = mode === "score" ? Math.min(1, Math.max(0, score)) : passed ? 1 : 0;
console.log(JSON.stringify({ score: given, reasoning: isObject ? result.reason ?? "" : "" }));
"#;

impl Import {
    /// A `code_judge` for an assertion in Python or JavaScript, where all that it needs is the
    /// answer.
    pub(super) fn code(
        &mut self,
        language: &str,
        node: &Node,
        decision: Decision,
    ) -> Option<Map<String, Value>> {
        let what = format!("assertion `{language}`");
        let Some(value) = node.get("value").filter(|value| value.as_str().is_some()) else {
            self.error(node.span, format!("{what} needs `value`"));
            return None;
        };
        let code = value.as_str().unwrap_or_default();
        let used = ["type", "value", "metric", "weight", "threshold"];
        if let Some(config) = node.get("config") {
            self.leave(config.span, what, "it is handed a `config`, which the judge would not see");
            return None;
        }
        self.leave_rest(node, &used, &what);
        let mode = if decision == Decision::MeanOfScores { "score" } else { "pass" };
        let threshold =
            node.get("threshold").map_or("null".to_owned(), |value| value.to_json().to_string());
        let command = self.judge_command(language, code, value.span, [mode, &threshold])?;
        Some(Map::from_iter([
            ("type".to_owned(), json!("code_judge")),
            ("command".to_owned(), json!(command)),
        ]))
    }

    fn judge_command(
        &mut self,
        language: &str,
        code: &str,
        span: Span,
        last: [&str; 2],
    ) -> Option<Vec<String>> {
        let what = format!("assertion `{language}`");
        let (path, name) = split_function(code);
        let is_file = code.starts_with(FILE)
            || (matches!(ending(path), "py" | "js" | "mjs" | "cjs") && self.exists(path));
        if !is_file {
            let is_template = ["{{", "{%", "{#"].iter().any(|open| code.contains(open));
            if uses_context(code) || is_template {
                let why = "it uses `context` or variables, which a judge is not told";
                self.leave(span, what, why);
                return None;
            }
            if language == "python" && code.contains('\n') {
                self.leave(span, what, "it is more than one line; put it into a `code_judge`");
                return None;
            }
            let program: &[&str] = if language == "python" {
                &["python3", "-c"]
            } else {
                &["node", "--input-type=module", "-e"]
            };
            let text = if language == "python" {
                format!("{}{}", PYTHON_LINE.trim_start(), PYTHON_VERDICT.trim_start())
            } else {
                NODE_LINE.trim_start().to_owned()
            };
            let arguments = [text.as_str(), code.trim()];
            return Some(
                program.iter().chain(&arguments).chain(&last).map(ToString::to_string).collect(),
            );
        }
        if language != "python" {
            self.leave(
                span,
                what,
                "AgentV calls functions of Python files only; write a `code_judge`",
            );
            return None;
        }
        let file = self.absolute(path);
        let (text, _) = self.read_text(&file, span)?;
        let body: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("def "))
            .flat_map(|line| [line, "\n"])
            .collect();
        if uses_context(&body) {
            self.leave(span, what, "it uses `context`, which a judge is not told");
            return None;
        }
        let text = format!("{}{}", PYTHON_FILE.trim_start(), PYTHON_VERDICT.trim_start());
        let path = self.as_suite_path(path);
        let words = ["python3", "-c", &text, &path, name.unwrap_or("get_assert")];
        Some(words.iter().chain(&last).map(ToString::to_string).collect())
    }
}

/// Whether a piece of code reads anything but the answer.
fn uses_context(code: &str) -> bool {
    let mut words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.any(|word| word == "context")
}

/// A word of a shell command. Braces around capitals would be taken for a placeholder.
pub(super) fn shell_word(text: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '=' | ':');
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\"'\"'"))
}
