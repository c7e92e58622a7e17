//! A judge that says what it was told to.

use std::sync::{Arc, Mutex};

use agentv_base::{
    Appointed, Bench, BoxFuture, GradeContext, GraderFault, Judge, JudgeAnswer, JudgeQuestion,
    TokenUsage,
};

use crate::CaseGraders;

/// Says one thing after the other, and remembers what it was asked. Every answer takes ten tokens
/// and costs half a dollar.
pub(crate) struct Scripted {
    answers: Vec<Result<String, GraderFault>>,
    pub(crate) asked: Mutex<Vec<JudgeQuestion>>,
}

impl Scripted {
    pub(crate) fn new(answers: &[Result<&str, GraderFault>]) -> Arc<Self> {
        let answers = answers.iter().cloned().map(|answer| answer.map(str::to_owned)).collect();
        Arc::new(Self { answers, asked: Mutex::default() })
    }
}

impl Judge for Scripted {
    fn target(&self) -> &'static str {
        "scripted"
    }

    fn ask<'a>(
        &'a self,
        question: &'a JudgeQuestion,
        _: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<JudgeAnswer, GraderFault>> {
        let mut asked = self.asked.lock().unwrap();
        let answer = self.answers[asked.len()].clone().map(|text| JudgeAnswer {
            text,
            token_usage: Some(TokenUsage { input: 8, output: 2, cached: None }),
            cost_usd: Some(0.5),
        });
        asked.push(question.clone());
        Box::pin(async { answer })
    }
}

/// A bench with one judge for every wish of some graders.
pub(crate) fn bench_of(graders: &CaseGraders, judge: &Arc<Scripted>) -> Bench {
    let mut bench = Bench::default();
    for (_, wish) in graders.judge_wishes() {
        let judge: Arc<dyn Judge> = judge.clone();
        bench.appoint(wish.clone(), Appointed { judge, fingerprint: "".into(), calibration: None });
    }
    bench
}
