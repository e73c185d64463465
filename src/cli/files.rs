//! The only place that reads and writes files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::diag::Finding;
use crate::input::Loader;
use crate::session::file_finding;
use crate::source::{FileId, Files};

/// The largest file that is read.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Folders that hold nobody's own files.
const SKIPPED: [&str; 2] = ["node_modules", "target"];

/// Files of one design as they lie on the disk.
#[derive(Debug, Default)]
pub(super) struct Disk {
    /// The folder that includes must stay inside of.
    root: Option<PathBuf>,
    /// Where each file lies, symbolic links resolved.
    paths: BTreeMap<FileId, PathBuf>,
    /// Files that others include.
    pub(super) included: BTreeSet<PathBuf>,
    /// What is wrong with the files themselves.
    pub(super) findings: Vec<Finding>,
    /// Files that were named and could not be read.
    pub(super) failed: Vec<FileId>,
}

impl Disk {
    /// Reads a file that the user names. One that can't be read is empty, and a finding says why.
    pub(super) fn open(&mut self, path: &Path, files: &mut Files) -> FileId {
        let name = shown(path);
        let text = read(path);
        let id = self.add(name, text, files);
        if let Ok(path) = fs::canonicalize(path) {
            let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
            self.root.get_or_insert_with(|| git_root(&folder).unwrap_or(folder));
            self.paths.insert(id, path);
        }
        id
    }

    /// Reads standard input under a name.
    pub(super) fn open_stdin(&mut self, name: Option<&str>, files: &mut Files) -> FileId {
        let text = limited(io::stdin().lock());
        let name = name.map_or_else(
            || match &text {
                Ok(it) if is_sql_design(&String::from_utf8_lossy(it)) => "stdin.sql".to_owned(),
                _ => "stdin.yaml".to_owned(),
            },
            str::to_owned,
        );
        let id = self.add(name, text, files);
        if let Ok(folder) = std::env::current_dir().and_then(fs::canonicalize) {
            self.paths.insert(id, folder.join("stdin"));
            self.root.get_or_insert_with(|| git_root(&folder).unwrap_or(folder));
        }
        id
    }

    fn add(&mut self, name: String, bytes: io::Result<Vec<u8>>, files: &mut Files) -> FileId {
        match bytes.map(decode) {
            Ok((text, problem)) => {
                let id = files.add(name, text);
                self.findings.extend(problem.map(|(at, message)| file_finding(id, at, message)));
                id
            }
            Err(error) => {
                let id = files.add(name, "");
                self.failed.push(id);
                self.findings.push(file_finding(id, 0, format!("can't be read: {}", in_words(&error))));
                id
            }
        }
    }
}

impl Loader for Disk {
    fn load(&mut self, from: FileId, path: &str, files: &mut Files) -> Result<FileId, String> {
        let (Some(root), Some(includer)) = (&self.root, self.paths.get(&from)) else {
            return Err("there is no folder to look in".to_owned());
        };
        let relative = Path::new(path);
        if !relative
            .components()
            .all(|it| matches!(it, Component::Normal(_) | Component::CurDir | Component::ParentDir))
        {
            return Err("only relative paths are included".to_owned());
        }
        let found = includer.parent().unwrap_or(root).join(relative);
        let found = fs::canonicalize(found).map_err(|it| in_words(&it))?;
        if !found.starts_with(root) {
            return Err(format!("it lies outside of {}", shown(root)));
        }
        self.included.insert(found.clone());
        if let Some((id, _)) = self.paths.iter().find(|(_, it)| **it == found) {
            return Ok(*id);
        }
        let bytes = read(&found).map_err(|it| in_words(&it))?;
        let name = match Path::new(files.name(from)).parent() {
            Some(folder) if !folder.as_os_str().is_empty() => shown(&folder.join(relative)),
            _ => shown(relative),
        };
        let id = self.add(name, Ok(bytes), files);
        self.paths.insert(id, found);
        Ok(id)
    }
}

/// A path with forward slashes, as it is written everywhere.
fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The system's words without its error number.
fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}", first.to_lowercase(), chars.as_str()))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    limited(file)
}

fn limited(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if LARGEST < bytes.len() as u64 {
        return Err(io::Error::other("it is larger than 64 MiB"));
    }
    Ok(bytes)
}

/// The text without a byte order mark, and the first place that is not UTF-8.
fn decode(bytes: Vec<u8>) -> (String, Option<(usize, String)>) {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return (String::new(), Some((0, "the file is UTF-16; save it as UTF-8".to_owned())));
    }
    let bytes = match bytes.strip_prefix(&[0xef, 0xbb, 0xbf]) {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            (text, Some((at, "this is not UTF-8".to_owned())))
        }
    }
}

/// The nearest folder upwards that Git keeps.
fn git_root(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|it| it.join(".git").exists()).map(Path::to_path_buf)
}

fn is_yaml_design(text: &str) -> bool {
    text.lines().any(|it| it.trim_start_matches('\u{feff}').starts_with("shardwright:"))
}

fn is_sql_design(text: &str) -> bool {
    text.lines().any(|it| it.contains("-- @"))
}

/// Whether a text holds a plan and nothing that it could be a plan for.
fn is_plan_alone(text: &str) -> bool {
    let tops = ["tables:", "patterns:", "include:", "layout:", "ids:", "cache:", "target:"];
    let has = |top: &str| text.lines().any(|it| it.starts_with(top));
    has("plan:") && !tops.into_iter().any(has)
}

/// Whether a file looks like a design; one that can't be read does not.
fn is_design(path: &Path) -> bool {
    let holds = |is: fn(&str) -> bool| read(path).is_ok_and(|it| is(&String::from_utf8_lossy(&it)));
    match path.extension().and_then(|it| it.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("yaml" | "yml") => holds(is_yaml_design),
        Some("sql") => holds(is_sql_design),
        _ => false,
    }
}

/// The design files below a folder, by name. Links to folders are not followed.
fn designs_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("can't read the folder {}", shown(&folder)))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("can't read the folder {}", shown(&folder)))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                if !SKIPPED.contains(&name.as_ref()) {
                    folders.push(entry.path());
                }
            } else if is_design(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    Ok(found)
}

/// Files as named, folders as the designs in them; by name, each once. Plans
/// without a workload that lie in the folders are apart: they can't be judged alone.
pub(super) fn expanded(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut all, mut plans) = (Vec::new(), Vec::new());
    let alone = |it: &PathBuf| read(it).is_ok_and(|it| is_plan_alone(&String::from_utf8_lossy(&it)));
    for path in paths {
        if path.is_dir() {
            let found = designs_below(path)?;
            if found.is_empty() {
                bail!("no design files in {}", shown(path));
            }
            let (apart, designs): (Vec<_>, Vec<_>) = found.into_iter().partition(alone);
            all.extend(designs);
            plans.extend(apart);
        } else {
            all.push(path.clone());
        }
    }
    for list in [&mut all, &mut plans] {
        list.sort();
        list.dedup();
    }
    Ok((all, plans))
}

/// The design of the current folder: `shardwright.yaml`, else the only one. `None` if there is none.
pub(super) fn design_here() -> Result<Option<PathBuf>> {
    let usual = PathBuf::from("shardwright.yaml");
    if usual.is_file() {
        return Ok(Some(usual));
    }
    let Ok(entries) = fs::read_dir(".") else { return Ok(None) };
    let names = entries.filter_map(Result::ok).map(|it| PathBuf::from(it.file_name()));
    let is_yaml = |it: &PathBuf| it.extension().is_some_and(|it| it == "yaml" || it == "yml");
    let mut found: Vec<PathBuf> = names.filter(|it| is_yaml(it) && it.is_file() && is_design(it)).collect();
    found.sort();
    if let [_, _, ..] = found.as_slice() {
        let names: Vec<String> = found.iter().map(|it| format!("  {}", shown(it))).collect();
        bail!("several designs in this folder, name one:\n{}", names.join("\n"));
    }
    Ok(found.pop())
}

/// Whether two paths are one file.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// Where a file lies, symbolic links resolved.
pub(super) fn resolved(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Writes a file as a whole or not at all: beside it first, then renamed.
pub(super) fn write_whole(path: &Path, text: &[u8]) -> Result<()> {
    let what = || format!("can't write {}", shown(path));
    if fs::metadata(path).is_ok_and(|it| !it.is_file()) {
        // A device or a pipe; renaming would replace it.
        return fs::write(path, text).with_context(what);
    }
    let name = path.file_name().with_context(what)?.to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written =
        File::create(&beside).and_then(|mut it| it.write_all(text)).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written.with_context(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder of this test's own.
    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("shardwright-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::canonicalize(path).unwrap()
    }

    #[test]
    fn includes_stay_inside_the_folder() {
        let outside = folder("outside");
        let root = outside.join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(root.join("a.yaml"), "shardwright: 1\n").unwrap();
        fs::write(root.join("sub/b.sql"), "-- @table rows=1\n").unwrap();
        fs::write(outside.join("c.sql"), "secret").unwrap();
        let (mut disk, mut files) = (Disk::default(), Files::default());
        let a = disk.open(&root.join("a.yaml"), &mut files);
        let b = disk.load(a, "sub/b.sql", &mut files).unwrap();
        assert_eq!(files.text(b), "-- @table rows=1\n");
        assert!(files.name(b).ends_with("/root/sub/b.sql"), "{}", files.name(b));
        assert_eq!(disk.load(b, "../a.yaml", &mut files), Ok(a), "one file has one id");
        assert!(disk.load(a, "../c.sql", &mut files).unwrap_err().contains("outside"));
        assert!(disk.load(a, "/etc/passwd", &mut files).unwrap_err().contains("relative"));
        assert_eq!(disk.load(a, "none.sql", &mut files).unwrap_err(), "no such file or directory");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.join("c.sql"), root.join("link.sql")).unwrap();
            assert!(disk.load(a, "link.sql", &mut files).unwrap_err().contains("outside"));
        }
        fs::remove_dir_all(outside).unwrap();
    }

    #[test]
    fn a_file_of_a_git_folder_may_include_from_all_of_it() {
        let root = folder("git");
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::create_dir_all(root.join("designs")).unwrap();
        fs::write(root.join("designs/a.yaml"), "shardwright: 1\n").unwrap();
        fs::write(root.join("schema.sql"), "x").unwrap();
        let (mut disk, mut files) = (Disk::default(), Files::default());
        let a = disk.open(&root.join("designs/a.yaml"), &mut files);
        assert!(disk.load(a, "../schema.sql", &mut files).is_ok());
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn texts_are_utf_8_without_a_mark_or_a_finding_says_where_not() {
        assert_eq!(decode(b"\xef\xbb\xbfa: 1".to_vec()), ("a: 1".to_owned(), None));
        let (text, problem) = decode(b"ab\xffc".to_vec());
        assert_eq!((text.as_str(), problem.unwrap().0), ("ab\u{fffd}c", 2));
        assert!(decode(b"\xff\xfea\0".to_vec()).1.unwrap().1.contains("UTF-16"));
        assert!(limited(io::repeat(b'x')).unwrap_err().to_string().contains("64 MiB"));
    }

    #[test]
    fn folders_give_their_designs_and_nothing_else() {
        let root = folder("walk");
        for (name, text) in [
            ("b.yaml", "shardwright: 1\n"),
            ("p.yaml", "shardwright: 1\nplan:\n  nodes: 4\n"),
            ("other.yaml", "services:\n  shardwright: 1\n"),
            ("a/q.sql", "-- @pattern name=x rate=1/s\nSELECT 1;\n"),
            ("a/plain.sql", "SELECT 1;\n"),
            ("a/notes.txt", "shardwright: 1\n"),
            (".hidden/c.yaml", "shardwright: 1\n"),
            ("node_modules/d.yaml", "shardwright: 1\n"),
        ] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = expanded(&[root.clone(), root.join("b.yaml")]).unwrap();
        assert_eq!(found, (vec![root.join("a/q.sql"), root.join("b.yaml")], vec![root.join("p.yaml")]));
        assert!(expanded(&[root.join(".hidden/none")]).is_ok(), "a missing file is reported when it is read");
        fs::create_dir(root.join("empty")).unwrap();
        assert!(expanded(&[root.join("empty")]).is_err());
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let root = folder("write");
        let path = root.join("plan.yaml");
        write_whole(&path, b"one").unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(&root).unwrap().count(), 1);
        assert!(write_whole(&root.join("no/such/folder"), b"x").is_err());
        fs::remove_dir_all(root).unwrap();
    }
}
