//! Completions, the manual, and the descriptions for registries and hosts.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use serde_json::{Value, json};

use crate::support::mcp::Client;
use crate::support::program::Place;

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn packaged(name: &str) -> Value {
    serde_json::from_str(&file(&format!(".packaging/{name}"))).unwrap()
}

#[test]
fn completions_know_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = place.run(&["completions", shell]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{shell}");
        for word in ["get-file", "serve", "print-config"] {
            assert!(run.stdout.contains(word), "{shell} {word}");
        }
    }
    assert_eq!(place.run(&["completions", "tcsh"]).status, 1);
}

#[test]
fn the_manual_has_a_page_for_the_program_and_for_each_command() {
    let place = Place::new();
    let program = place.run(&["man"]);
    assert!(program.stdout.contains(".TH pagewise 1") && program.stdout.contains("get\\-file"), "{}", program.stdout);
    let command = place.run(&["man", "get-file"]);
    assert!(command.stdout.contains(".TH pagewise-get-file 1") && command.stdout.contains("pdf\\-page"));
    let sections = |page: &str| {
        let sections = page.lines().filter_map(|line| line.strip_prefix(".SH ")).map(|name| name.trim_matches('"'));
        sections.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(sections(&command.stdout), "NAME, SYNOPSIS, DESCRIPTION, OPTIONS, OPTIONS OF EVERY COMMAND, EXAMPLES");
    let whole = "NAME, SYNOPSIS, DESCRIPTION, OPTIONS, OPTIONS OF EVERY COMMAND, SUBCOMMANDS, EXAMPLES, DOCUMENTS, EXIT STATUS, \
                 SETTINGS, VERSION";
    assert_eq!(sections(&program.stdout), whole);
    assert!(command.stdout.contains(".nf\npagewise get\\-file report.pdf\n.fi\n"), "{}", command.stdout);
    let attached = ".nf\npagewise get\\-file \\(aqreport.pdf#attachment=data.xls\\(aq \\-\\-emit raw > data.xls\n.fi\n";
    assert!(command.stdout.contains(attached), "{}", command.stdout);
    let usage = place.run(&["man", "search"]).stdout;
    assert!(usage.contains("\n.SH SYNOPSIS\n.nf\npagewise search [OPTIONS] <PATH>... <QUERY>\n.fi\n"), "{usage}");
    assert_eq!(place.run(&["man", "fly"]).status, 1);
    assert_eq!(place.run(&["man", "worker"]).status, 1, "nobody types it");
}

/// The required fields and bounds of the registry's schema of 2025-12-11.
#[test]
fn the_description_for_the_registry_is_one() {
    let server = packaged("mcp/server.json");
    let text = |key: &str| server[key].as_str().unwrap_or_else(|| panic!("{key}")).to_owned();
    assert!(text("$schema").ends_with("/2025-12-11/server.schema.json"));
    let (space, name) = text("name").split_once('/').map(|(space, name)| (space.to_owned(), name.to_owned())).unwrap();
    let is_plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    assert!(is_plain(&space) && is_plain(&name) && space.contains('.'), "{space}/{name}");
    assert!((3..=200).contains(&text("name").len()));
    assert!((1..=100).contains(&text("description").chars().count()));
    assert!((1..=100).contains(&text("title").chars().count()));
    assert_eq!(text("version"), env!("CARGO_PKG_VERSION"));
    for package in server["packages"].as_array().unwrap() {
        assert_eq!(package["transport"], json!({ "type": "stdio" }));
    }
    // The registry looks for this in what the package's page shows.
    assert!(file("README.md").contains(&format!("`mcp-name: {}`", text("name"))));
}

/// Cargo.toml holds the version; the files that cannot take it from there repeat it.
#[test]
fn every_package_has_the_version_of_the_program() {
    let version = env!("CARGO_PKG_VERSION");
    let server = packaged("mcp/server.json");
    let packages = server["packages"].as_array().unwrap();
    let kinds: Vec<&str> = packages.iter().map(|package| package["registryType"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["npm", "pypi", "oci", "cargo"], "bundles are added when their hashes are known");
    for package in packages {
        let tag = package["identifier"].as_str().unwrap().split_once(':').map(|(_, tag)| tag);
        assert_eq!(tag.or(package["version"].as_str()), Some(version), "{package}");
    }
    assert_eq!(packaged("mcp/manifest.json")["version"], version);
    assert!(file("README.md").contains(packages[2]["identifier"].as_str().unwrap()));
}

/// What a package promises and what the workflow builds.
#[test]
fn a_release_builds_each_platform_that_packages_name() {
    let platforms = packaged("platforms.json");
    let targets = platforms.as_array().unwrap().iter().map(|platform| platform["target"].as_str().unwrap());
    let workflow = file(".github/workflows/release.yml");
    let built = workflow.lines().filter_map(|line| line.trim().strip_prefix("- target: "));
    assert_eq!(targets.collect::<Vec<_>>(), built.collect::<Vec<_>>());
}

/// A file of 64 bits for Linux: its header, and one header of a part.
#[cfg(target_os = "linux")]
#[test]
fn a_packaged_program_for_linux_is_static_and_has_no_fixed_address() {
    let place = Place::new();
    let refusal = |kind: u8, part: u8| {
        let mut program = [0; 64 + 56];
        program[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        for (offset, byte) in [(16, kind), (18, 62), (20, 1), (32, 64), (52, 64), (54, 56), (56, 1), (64, part)] {
            program[offset] = byte;
        }
        let name = place.file("program", program);
        let script = format!("{}/.packaging/linkage.sh", env!("CARGO_MANIFEST_DIR"));
        let run = std::process::Command::new(script).arg(&name).current_dir(place.folder()).output().unwrap();
        (!run.status.success()).then(|| String::from_utf8(run.stderr).unwrap())
    };
    let (fixed, any, loadable, loader) = (2, 3, 1, 3);
    assert_eq!(refusal(any, loadable), None);
    assert!(refusal(fixed, loadable).unwrap().ends_with("program has a fixed address\n"));
    assert!(refusal(any, loader).unwrap().ends_with("program is not static\n"));
}

/// The registry compares the image's label and the package of npm with the name of the server.
#[test]
fn the_image_is_of_the_server_and_the_repository_that_are_described() {
    let image = file(".packaging/image/Containerfile");
    let server = packaged("mcp/server.json");
    let name = server["name"].as_str().unwrap();
    assert!(image.contains(&format!("io.modelcontextprotocol.server.name=\"{name}\"")));
    assert!(image.contains(&format!("image.source=\"{}\"", env!("CARGO_PKG_REPOSITORY"))));
    assert_eq!(server["repository"]["url"], env!("CARGO_PKG_REPOSITORY"));
}

/// The described command starts a server.
#[test]
fn the_arguments_that_the_registry_knows_are_taken() {
    let server = packaged("mcp/server.json");
    let mut words = Vec::new();
    for argument in server["packages"][0]["packageArguments"].as_array().unwrap() {
        match argument["type"].as_str().unwrap() {
            "positional" => words.push(argument["value"].as_str().unwrap()),
            _ => words.extend([argument["name"].as_str().unwrap(), "."]),
        }
    }
    let place = Place::new();
    for variable in server["packages"][0]["environmentVariables"].as_array().unwrap() {
        let setting = variable["name"].as_str().unwrap().strip_prefix("PAGEWISE_").unwrap().to_lowercase();
        assert!(place.run(&["--print-config"]).stdout.contains(&setting), "{setting}");
    }
    assert_eq!(words.remove(0), "serve");
    let mut client = Client::start_with(&place, &words, "tester", json!({}));
    assert!(client.request("tools/list", json!({}))["tools"].is_array());
}

/// The required fields of the bundle's manifest, version 0.3.
#[test]
fn the_manifest_of_the_bundle_is_one_and_lists_the_tools() {
    let manifest = packaged("mcp/manifest.json");
    assert_eq!(manifest["manifest_version"], "0.3");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    for key in ["name", "description"] {
        assert!(manifest[key].is_string(), "{key}");
    }
    assert!(manifest["author"]["name"].is_string());
    let server = &manifest["server"];
    assert_eq!(server["type"], "binary");
    let entry = server["entry_point"].as_str().unwrap();
    assert_eq!(server["mcp_config"]["command"], format!("${{__dirname}}/{entry}"));
    assert_eq!(server["mcp_config"]["args"][0], "serve");
    // `pdf` is there only where a model is configured.
    assert_eq!(manifest["tools_generated"], true);
    for (name, setting) in manifest["user_config"].as_object().unwrap() {
        assert!(["string", "number", "boolean", "directory", "file"].contains(&setting["type"].as_str().unwrap()));
        assert!(setting["title"].is_string() && setting["description"].is_string(), "{name}");
        let used = server["mcp_config"]["args"].as_array().unwrap();
        assert!(used.contains(&json!(format!("${{user_config.{name}}}"))), "{name}");
    }
    let place = Place::new();
    let listed = Client::start(&place, "tester").request("tools/list", json!({}));
    let names = |tools: &Value| tools.as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>();
    assert_eq!(names(&manifest["tools"]), names(&listed["tools"]));
}

/// The service and the container name settings that exist.
#[test]
fn the_examples_of_a_server_set_what_can_be_set() {
    let listed = Place::new().json(&["settings"]).1;
    let names: Vec<&str> =
        listed["settings"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    for example in ["pagewise.service", "compose.yaml"] {
        let text = file(&format!("examples/server/{example}"));
        let set: Vec<String> = text
            .split(|c: char| !c.is_ascii_uppercase() && c != '_')
            .filter_map(|word| Some(word.strip_prefix("PAGEWISE_")?.to_lowercase()))
            .collect();
        assert!(set.len() >= 2, "{example}");
        set.iter().for_each(|name| assert!(names.contains(&name.as_str()), "{example}: {name}"));
    }
}
