#!/usr/bin/env python3
"""Runs real libraries against a server that always fails, and holds squall's figures to the requests that arrive.

    run.py [--squall PATH] [--subset] [--only TEXT] [--jobs N] [--no-install] [--report FILE]

Every program under programs/ begins with a line `# oracle: ENVIRONMENT; FAILURES` (`//` in JavaScript and Rust). For each
failure (a status, with `ra` a status and Retry-After: 1, `drop`, `refuse`) it is run once with waits fast-forwarded, and the requests are counted; squall analyses
the very same text beside the pins that the program ran with, and says how many there are at worst. Both must be equal; an
unbounded figure must reach the cap. Environments are made under target/oracle on first use, from the pinned lists beside
this file. Exit status: 0 all equal, 1 a disagreement or a program that does not run, 2 nothing could be run.
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server import Server, closed_port

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = ROOT / "target" / "oracle"
CAP = 120
SECONDS = 60
CLASSES = {"refuse": "connect", "drop": "disconnect", "429": "rate-limit", "503": "overloaded", "529": "overloaded",
           "409": "conflict", "408": "conflict"}
KEYS = {name: "test-key" for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GROQ_API_KEY", "REPLICATE_API_TOKEN")}
KEYS.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_DEFAULT_REGION="us-east-1", AWS_REGION="us-east-1",
            AWS_EC2_METADATA_DISABLED="true")


def failure_class(failure):
    failure = failure.removesuffix("ra")
    if failure in CLASSES:
        return CLASSES[failure]
    return "server" if failure.startswith("5") else "permanent"


class Program:
    """A program, its environment and the ways in which it is failed."""

    def __init__(self, file):
        self.file, self.name, self.language = file, file.stem, file.parent.name
        head = file.read_text().splitlines()[0]
        _, _, settings = head.partition("oracle:")
        parts = [p.strip() for p in settings.split(";")]
        if len(parts) < 2:
            sys.exit(f"{file}:1: expected `oracle: ENVIRONMENT; FAILURES`")
        self.environment, self.failures = parts[0], parts[1].split()
        self.accel = next((p.split()[1] for p in parts[2:] if p.startswith("accel ")), "100")
        self.path = next((p.split()[1] for p in parts[2:] if p.startswith("path ")), "")


# ---- environments ----

def install(programs, allowed):
    """Makes the environments that the programs need. Gives those that there are."""
    ready = {}
    for language, environment in sorted({(p.language, p.environment) for p in programs}):
        make = {"python": python_environment, "javascript": node_environment, "rust": rust_environment}[language]
        ready[language, environment] = make(environment, allowed)
    return ready


def missing(what, why):
    print(f"SKIPPED: {what}: {why}", file=sys.stderr)


def stale(stamp, source):
    return not stamp.exists() or stamp.read_text() != source.read_text()


def step(command, folder=None, env=None):
    done = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout[-3000:], file=sys.stderr)
    return done.returncode == 0


def python_environment(environment, allowed):
    pins = HERE / "python" / f"requirements-{environment}.txt"
    folder = TARGET / f"python-{environment}"
    stamp = folder / "pins.txt"
    if stale(stamp, pins):
        if not allowed:
            return missing(f"Python programs of `{environment}`", "not installed")
        print(f"installing {pins.name} …", file=sys.stderr)
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = (folder / "bin" / "python").exists() or step([sys.executable, "-m", "venv", str(folder)])
        if not made or not step([folder / "bin" / "python", "-m", "pip", "install", "-q", "-r", pins]):
            return missing(f"Python programs of `{environment}`", "pip could not install the pinned packages")
        shutil.copy(pins, stamp)
    return folder


def node_environment(environment, allowed):
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return missing("JavaScript programs", "Node.js is not installed")
    pins = HERE / "javascript" / "package.json"
    folder = TARGET / "javascript"
    stamp = folder / "pins.txt"
    if stale(stamp, pins):
        if not allowed:
            return missing("JavaScript programs", "not installed")
        print("installing package.json …", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(pins, folder / "package.json")
        if not step([npm, "install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"], folder):
            return missing("JavaScript programs", "npm could not install the pinned packages")
        shutil.copy(pins, stamp)
    return folder


def rust_environment(environment, allowed):
    cargo = shutil.which("cargo")
    if not cargo:
        return missing("Rust programs", "cargo is not installed")
    folder = TARGET / "rust"
    (folder / "src" / "bin").mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "rust" / "Cargo.toml", folder / "Cargo.toml")
    for program in (HERE / "programs" / "rust").glob("*.rs"):
        there = folder / "src" / "bin" / program.name
        # Cargo builds anew what is newer than its binary.
        if not there.exists() or there.read_text() != program.read_text():
            shutil.copy(program, there)
    if not allowed and not (folder / "target" / "debug").exists():
        return missing("Rust programs", "not built")
    print("building the Rust programs …", file=sys.stderr)
    env = {k: v for k, v in os.environ.items() if k != "CARGO_TARGET_DIR"}
    return folder if step([cargo, "build", "--quiet"], folder, env) else missing("Rust programs", "they do not build")


# ---- what squall says ----

def predict(program, squall):
    """Attempts by class of failure; None is unbounded. Raises if squall sees no outbound call where it should."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        shutil.copy(program.file, tree / f"main{program.file.suffix}")
        (tree / "squall.toml").write_text("include-infrastructure = true\n")
        if program.language == "python":
            shutil.copy(HERE / "python" / f"requirements-{program.environment}.txt", tree / "requirements.txt")
        elif program.language == "javascript":
            shutil.copy(HERE / "javascript" / "package.json", tree / "package.json")
        else:
            (tree / "src").mkdir()
            (tree / "main.rs").rename(tree / "src" / "main.rs")
            shutil.copy(HERE / "rust" / "Cargo.toml", tree / "Cargo.toml")
        done = subprocess.run([squall, "check", "--format", "json", "."], cwd=tree, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip()[-300:])
    report = json.loads(done.stdout)
    most, versions = {}, []
    for chain in report["chains"]:
        for name, count in chain["attempts"]["by_failure"].items():
            old = most.get(name, 1)
            most[name] = None if count is None or old is None else max(old, count)
        for layer in chain["layers"]:
            version = layer.get("version")
            if version and version["origin"] != "catalogue":
                versions.append(f"{layer['library']} {version['version']}")
    return most, " ".join(dict.fromkeys(versions))


# ---- what the wire says ----

def command_of(program, environment, scratch):
    if program.language == "python":
        # Alone in a folder: beside each other the programs would shadow the packages they are named after.
        there = scratch / "main.py"
        shutil.copy(program.file, there)
        return [environment / "bin" / "python", HERE / "boot.py", there], scratch
    if program.language == "javascript":
        # Beside its node_modules, so that imports are found.
        there = environment / f"oracle-{program.name}{program.file.suffix}"
        shutil.copy(program.file, there)
        return ["node", "--no-warnings", "--import", HERE / "boot.mjs", there], environment
    return [environment / "target" / "debug" / program.name], environment


def measure(program, environment, failure):
    server, refusing = Server("500" if failure == "refuse" else failure, path=program.path, cap=CAP), closed_port()
    scratch = Path(tempfile.mkdtemp(prefix="oracle-"))
    out = scratch / "out.json"
    base = f"http://127.0.0.1:{refusing if failure == 'refuse' else server.port}"
    env = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    env.update(KEYS, ORACLE_PORT=str(server.port), ORACLE_REFUSING=str(refusing), ORACLE_MODE=failure, ORACLE_CAP=str(CAP),
               ORACLE_OUT=str(out), ORACLE_ACCEL=program.accel, BASE_URL=base, ANTHROPIC_BASE_URL=base,
               OPENAI_BASE_URL=base + "/v1", GROQ_BASE_URL=base, AWS_ENDPOINT_URL=base, NO_PROXY="*", HOME=str(scratch),
               PYTHONDONTWRITEBYTECODE="1", PYTHONWARNINGS="ignore", LITELLM_LOCAL_MODEL_COST_MAP="True")
    command, folder = command_of(program, environment, scratch)
    try:
        running = subprocess.Popen([str(c) for c in command], cwd=folder, env=env, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, start_new_session=True)
        said = []
        reader = threading.Thread(target=lambda: said.append(running.stdout.read()), daemon=True)
        reader.start()
        until, stopped = time.monotonic() + SECONDS, None
        while running.poll() is None:
            if server.full.is_set():
                stopped = "cap"
            elif time.monotonic() > until:
                stopped = "time"
            if stopped:
                break
            time.sleep(0.01)
        try:
            os.killpg(running.pid, signal.SIGKILL)  # the program's own session
        except (ProcessLookupError, PermissionError):
            pass
        running.wait()
        reader.join(2)
        seen = json.loads(out.read_text()) if out.exists() else {}
        if seen.get("stopped"):
            stopped = "cap"
        count = seen.get("connects", 0) if failure == "refuse" else server.count
        if program.language == "rust" and failure == "refuse":
            # The refusing port is counted by the program itself, on its last line.
            count = int((said or ["0"])[0].strip().rsplit(" ", 1)[-1] or 0)
        return count, stopped, (said or [""])[0]
    finally:
        server.close()
        shutil.rmtree(scratch, ignore_errors=True)


def settle(program, environment, squall):
    """Rows of one program: failure, predicted, measured, whether they agree, what the program said."""
    try:
        most, versions = predict(program, squall)
    except (RuntimeError, ValueError) as error:
        return [(program, "-", "?", "?", False, str(error), "")]
    runs = [(failure, *measure(program, environment, failure)) for failure in program.failures]
    # A figure is the worst of its class: one status of the class must reach it, none may pass it.
    worst = {}
    for failure, count, stopped, _ in runs:
        name = failure_class(failure)
        worst[name] = max(worst.get(name, 0), float("inf") if stopped == "cap" else count)
    rows = []
    for failure, count, stopped, said in runs:
        wanted = most.get(failure_class(failure), 1)
        reached = worst[failure_class(failure)]
        agrees = stopped != "time" and count > 0 and reached == (float("inf") if wanted is None else wanted)
        measured = f"{count}+" if stopped == "cap" else f"{count} (stopped)" if stopped else str(count)
        rows.append((program, failure, "unbounded" if wanted is None else str(wanted), measured, agrees, said, versions))
    return rows


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--squall", default=None, help="the binary (default: the newest under target/)")
    options.add_argument("--subset", action="store_true", help="Python `core` and JavaScript `core` programs, two classes of failure each")
    options.add_argument("--only", help="programs whose language/name contains this")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    options.add_argument("--no-install", action="store_true", help="run what is installed, install nothing")
    options.add_argument("--report", help="write the table to this file too")
    options = options.parse_args()
    built = [ROOT / "target" / profile / "squall" for profile in ("release", "quick", "debug")]
    built = sorted((b for b in built if b.exists()), key=lambda b: b.stat().st_mtime)
    squall = os.path.abspath(options.squall) if options.squall else (str(built[-1]) if built else None)
    if not squall:
        sys.exit("no squall: build it (`cargo build --release`) or give --squall")
    programs = [Program(f) for f in sorted((HERE / "programs").glob("*/*")) if f.suffix in (".py", ".mjs", ".rs")]
    if options.only:
        programs = [p for p in programs if options.only in f"{p.language}/{p.name}"]
    if options.subset:
        programs = [p for p in programs if p.environment == "core" and p.language != "rust"]
        for program in programs:
            # Whole classes: a figure is the worst of its class.
            classes = list(dict.fromkeys(map(failure_class, program.failures)))[:2]
            program.failures = [f for f in program.failures if failure_class(f) in classes]
    ready = install(programs, not options.no_install)
    programs = [p for p in programs if ready[p.language, p.environment]]
    if not programs:
        print("nothing could be run", file=sys.stderr)
        return 2
    started = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda p: settle(p, ready[p.language, p.environment], squall), programs)
        rows = [row for rows in found for row in rows]
    lines = [f"{'library':<42}{'failure':<9}{'predicted':>10}{'measured':>10}"]
    for program, failure, predicted, measured, agrees, said, versions in rows:
        name = f"{program.language}/{program.name}"
        lines.append(f"{name:<42}{failure:<9}{predicted:>10}{measured:>10}{'' if agrees else '  DIFFERS'}  {versions}".rstrip())
        if not agrees:
            lines.extend(f"    {line}" for line in said.strip().splitlines()[-4:])
    wrong = [r for r in rows if not r[4]]
    libraries = len({f"{r[0].language}/{r[0].name}" for r in rows})
    lines.append(f"{libraries} programs, {len(rows)} runs in {time.monotonic() - started:.0f} s: "
                 f"{len(rows) - len(wrong)} equal, {len(wrong)} differ")
    print("\n".join(lines))
    if options.report:
        Path(options.report).write_text("\n".join(lines) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
