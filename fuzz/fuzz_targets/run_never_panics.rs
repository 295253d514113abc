#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ludex_testkit::fuzz::run_never_panics(data));
