//! Calibrations as text.

use crate::{Style, calibration::sample};

#[test]
fn a_calibration_is_told_in_full() {
    let mut judged: Vec<_> = (0..34)
        .map(|_| sample::judged("good", true, &[1.0, 1.0, 1.0]))
        .chain((0..13).map(|_| sample::judged("bad", false, &[0.1, 0.1, 0.1])))
        .collect();
    judged.push(sample::judged("mild", false, &[0.9, 0.85, 0.95]));
    judged.push(sample::judged("wavering\u{1b}[31m", true, &[0.5, 0.9, 0.9]));
    let mut broken = sample::judged("broken", true, &[1.0, 1.0, 1.0]);
    broken.judgements[2] = Err("judge `judge`: it is\ndown".to_owned());
    judged.push(broken);
    let text = sample::measured(3).of(&judged).render(Style { color: false, width: 100 });
    insta::assert_snapshot!(text, @r"
    Judge `helpful` (judge, gpt-x): 49 labels of evals/support.yaml, asked 3 times each
    Agrees with people on 47 of 49 answers; beyond chance that is almost perfect (κ 0.90).

    Agreement with people (with 95 % intervals)
      accuracy                     95.9 %   86.3 to 98.9 %
          how often it is right (47 of 49)
      Cohen's kappa                  0.90     0.76 to 1.00
          agreement beyond chance: 1 is all of it, 0 is none
      true positive rate           97.1 %   85.5 to 99.5 %
          of the good answers, the share that it passes (34 of 35)
      true negative rate           92.9 %   68.5 to 98.7 %
          of the bad answers, the share that it fails (13 of 14)
      positive predictive value    97.1 %   85.5 to 99.5 %
          of what it passes, the share that is good (34 of 35)
      negative predictive value    92.9 %   68.5 to 98.7 %
          of what it fails, the share that is bad (13 of 14)
      bias                         +0.0 %
          it passes 71.4 % of the answers and people 71.4 %: above 0 it is milder than they are, below 0
          harder (chance alone does as much with p = 1.000)

                                  judge passes  judge fails
      people pass                           34            1
      people fail                            1           13

    Agreement with itself over 3 repeats
      said the same each time      98.0 %   89.3 to 99.6 %
          answers of which it said one thing every time (48 of 49)
      pairs of repeats that agree  98.6 %
          how often two times agree that are picked at random
      Fleiss' kappa                  0.97
          the same beyond chance: 1 is all of it, 0 is none

    Where it is wrong (2)
      ✗ evals/labels.jsonl:1 mild: people fail it, the judge passes it with 0.90
          answer: An answer\nto mild.
          judge: It is worth 0.9.
      ✗ evals/labels.jsonl:1 wavering\u{1b}[31m: people pass it, the judge fails it with 0.50, not each
        time
          answer: An answer\nto wavering\u{1b}[31m.
          judge: It is worth 0.5.

    Errors: 1 judgement could not be had; such answers are not counted
      ! evals/labels.jsonl:1 broken #3: judge `judge`: it is\ndown

    Asked 0 times
    ");
}

#[test]
fn what_is_not_known_is_said_in_words() {
    let judged = [sample::judged("a", true, &[1.0])];
    let text = sample::measured(1).of(&judged).render(Style { color: false, width: 100 });
    insta::assert_snapshot!(text, @"
    Judge `helpful` (judge, gpt-x): 1 label of evals/support.yaml, asked once
    Agrees with people on 1 of 1 answer; how much of that is chance cannot be known.

    Agreement with people (with 95 % intervals)
      accuracy                    100.0 %  20.7 to 100.0 %
          how often it is right (1 of 1)
      Cohen's kappa                     –
          agreement beyond chance: 1 is all of it, 0 is none; unknown: both said the same of everything
      true positive rate          100.0 %  20.7 to 100.0 %
          of the good answers, the share that it passes (1 of 1)
      true negative rate                –
          of the bad answers, the share that it fails; unknown: there is no such answer
      positive predictive value   100.0 %  20.7 to 100.0 %
          of what it passes, the share that is good (1 of 1)
      negative predictive value         –
          of what it fails, the share that is bad; unknown: there is no such answer
      bias                         +0.0 %
          it passes 100.0 % of the answers and people 100.0 %: above 0 it is milder than they are, below
          0 harder (chance alone does as much with p = 1.000)

                                  judge passes  judge fails
      people pass                            1            0
      people fail                            0            0

    Beware
      ! 1 label is few: with fewer than 30 these numbers say little
      ! only 1 label says pass: its rate is hardly known
      ! no label says fail: whether the judge tells good answers from bad ones is not known

    Asked 0 times
    ");
}

#[test]
fn errors_that_say_the_same_are_told_once_with_their_number() {
    let failing = |id: &str, error: &str| {
        let mut judged = sample::judged(id, true, &[1.0]);
        judged.judgements = vec![Err(error.to_owned())];
        judged
    };
    let judged: Vec<_> = (0..18)
        .map(|slot| failing("down", &format!("HTTP 503 (waited {slot} s)")))
        .chain([failing("other", "HTTP 401")])
        .collect();
    let text = sample::measured(1).of(&judged).render(Style { color: false, width: 100 });
    insta::assert_snapshot!(text, @"
    Judge `helpful` (judge, gpt-x): 0 labels of evals/support.yaml, asked once

    Errors: 19 judgements could not be had; such answers are not counted
      ! evals/labels.jsonl:1 down #1: HTTP 503 (waited 0 s)
          and the same for 17 more
      ! evals/labels.jsonl:1 other #1: HTTP 401

    Beware
      ! nothing was measured: every judgement failed

    Asked 0 times
    ");
}

#[test]
fn a_narrow_window_is_kept_to() {
    let long = "word ".repeat(100);
    let mut judged: Vec<_> = (0..2).map(|_| sample::judged("bad", false, &[0.9, 0.1])).collect();
    for judged in &mut judged {
        judged.answer.clone_from(&long);
    }
    let mut broken = sample::judged("broken", true, &[1.0]);
    broken.judgements = vec![Err(long.clone()), Err(long)];
    judged.push(broken);
    let text = sample::measured(2).of(&judged).render(Style { color: false, width: 60 });
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(60), "{text}");
}
