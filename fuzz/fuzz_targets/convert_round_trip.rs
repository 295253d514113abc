#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ludex_testkit::fuzz::convert_round_trip(data));
