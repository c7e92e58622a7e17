//! Any bytes as a file of an author; what must hold is said in `crates/agentv-fuzz`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| agentv_fuzz::suite_loader(bytes));
