//! Any bytes as what a tool wrote; what must hold is said in `crates/agentv-fuzz`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| agentv_fuzz::batch_output(bytes));
