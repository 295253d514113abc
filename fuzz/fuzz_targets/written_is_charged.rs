#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ludex_testkit::fuzz::written_is_charged(data));
