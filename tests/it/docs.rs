//! Documents that the code writes are what stands in the tree; `SHARDWRIGHT_WRITE=1` writes them.

use std::path::Path;

#[test]
fn targets_document_is_what_the_engines_say() {
    is_current("docs/targets.md", &shardwright::target::targets_markdown());
}

fn is_current(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var("SHARDWRIGHT_WRITE").is_ok_and(|it| it == "1") {
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be made");
        std::fs::write(&path, text).expect("the document can be written");
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(stands == text, "{name} is out of date: run the tests with SHARDWRIGHT_WRITE=1");
}
