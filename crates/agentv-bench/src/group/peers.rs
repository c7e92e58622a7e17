//! `peers`: the same trivial commands through other programs, where they are installed. Not part of
//! `all`: what is installed differs, and so does what each does besides.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use super::{cases, short};
use crate::{
    bench::Bench,
    contender::{Contender, RESULTS},
    made::{self, suite},
};

const WORKERS: usize = 2;
/// They take half a minute a round.
const MOST_ROUNDS: usize = 3;

/// Measures what there is. `original` is the program of AgentV in TypeScript.
pub fn run(bench: &mut Bench, original: Option<&Path>) -> io::Result<()> {
    let size = bench.sizes.commands[0];
    let folder = made::project(suite::COMMAND_TARGET)?;
    let folder = folder.path();
    let mut peers = Vec::new();
    let workers = WORKERS.to_string();
    if let Some(program) = original {
        fs::write(folder.join("original.yaml"), original_suite(size))?;
        let args = ["eval", "original.yaml", "--workers", &workers];
        let peer = Contender::new("AgentV in TypeScript", program, args, folder);
        peers.push(peer.prints(format!("Passed: {size}")).without(RESULTS));
    }
    if let Some(program) = installed("promptfoo") {
        fs::write(folder.join("promptfooconfig.yaml"), promptfoo_suite(size))?;
        fs::write(folder.join("answer.sh"), "printf ok\n")?;
        // What it keeps of its own, and what it asks its makers, is left out.
        let quiet =
            "PROMPTFOO_CONFIG_DIR=kept PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1";
        let program = program.to_string_lossy();
        let options = ["eval", "-j", &workers, "--no-cache", "--no-table", "--no-write"];
        let args = quiet.split(' ').chain([&*program]).chain(options);
        let peer = Contender::new("promptfoo", "env", args, folder);
        peers.push(peer.prints("passed (100%)").without("kept"));
    }
    if let Some(program) = installed("inspect") {
        fs::write(folder.join("task.py"), inspect_task(size))?;
        let args = ["eval", "task.py", "--model", "mockllm/model", "--max-samples", &workers];
        let peer = Contender::new("inspect_ai", program, args, folder);
        peers.push(peer.prints("accuracy  1.000").without("logs"));
    }
    // One that cannot be run here must not keep the others from it.
    peers.retain(|peer| {
        peer.run(&bench.this).inspect_err(|error| eprintln!("peers: left out: {error}")).is_ok()
    });
    if peers.is_empty() {
        println!("peers: none is installed (promptfoo, inspect, or --original PROGRAM)");
        return Ok(());
    }
    let [agentv, floor] = cases::contenders(bench, folder, size, WORKERS)?;
    let mut contenders = vec![floor, agentv];
    contenders.extend(peers);
    let name = format!("peers: {} commands, {WORKERS} at a time", short(size));
    let samples = bench.measure_all(&name, bench.rounds.min(MOST_ROUNDS), &contenders)?;
    let Some((floor, programs)) = samples.split_first() else { return Ok(()) };
    for (contender, of) in contenders.iter().skip(1).zip(programs) {
        let mut row = Bench::row(format!("{name}: {}", contender.name), of, floor);
        row.memory = format!("{:.0} MiB", of.mebibytes());
        bench.tell(row);
    }
    Ok(())
}

/// Where a program is, by the shell that would start it.
fn installed(name: &str) -> Option<PathBuf> {
    let output = Command::new("sh").args(["-c", &format!("command -v {name}")]).output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    (!path.trim().is_empty()).then(|| path.trim().into())
}

/// The suite that both understand.
fn original_suite(size: usize) -> String {
    let case = |number| {
        format!(
            "  - id: case-{number}\n    criteria: Says ok\n    input: Say ok.\n    \
             assert:\n      - type: contains\n        value: ok\n"
        )
    };
    let cases: String = (0..size).map(case).collect();
    format!("tests:\n{cases}")
}

fn promptfoo_suite(size: usize) -> String {
    let case = |number| {
        format!("  - vars: {{number: {number}}}\n    assert: [{{type: contains, value: ok}}]\n")
    };
    let cases: String = (0..size).map(case).collect();
    format!(
        "providers: ['exec: sh answer.sh']\nprompts: ['Say ok. {{{{number}}}}']\ntests:\n{cases}"
    )
}

fn inspect_task(size: usize) -> String {
    format!(
        "\
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import solver
from inspect_ai.util import subprocess


@solver
def command():
    async def solve(state, generate):
        result = await subprocess(['sh', '-c', 'printf ok'])
        state.output.completion = result.stdout
        return state

    return solve


@task
def commands():
    samples = [Sample(input=f'Say ok. {{number}}', target='ok') for number in range({size})]
    return Task(dataset=samples, solver=command(), scorer=includes())
"
    )
}
