fn main() {
    let raw = r#"a "quoted" { brace and \ slash"#;
    let deeper = r##"contains "# inside"##;
    let bytes = b"bytes\x00\xff";
    let raw_bytes = br#"{"k": 1}"#;
    let c = c"nul-terminated";
    let quote = '\'';
    let brace = '{';
    let byte = b'\'';
    let n = 1_000u64 + 0xff_u64 + 0b1010 + 0o17 + 1e3 as u64;
    let text = "multi
        line \
        continued \u{1F600} }";
    println!("{raw}{deeper}{bytes:?}{raw_bytes:?}{c:?}{quote}{brace}{byte}{n}{text}");
}
