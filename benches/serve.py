#!/usr/bin/env python3
"""Measures what a person waits for: from the writing of a file of one run among a thousand to the event that tells open pages to load again.

    cargo build --release && python3 benches/serve.py [--runs 1000] [--times 9] [--binary target/release/plimsoll]

Starts the real `plimsoll serve --port 0` over an archive that is made of the runs that ship, and listens to its events like a page does. In
every round it changes one run in each way, builds the whole site with `plimsoll build`, and reads all files of the archive with Python, so
that noise of the machine hits all alike. The waiting holds the 50 ms for which nothing must happen until a change counts as done.
"""
import argparse
import http.client
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

HERE = Path(__file__).parent
MODEL = HERE.parent / "data" / "v4"
TARGET = "otp_session"


def scale(value, factor):
    if isinstance(value, float):
        return value * factor
    if isinstance(value, list):
        return [scale(part, factor) for part in value]
    if isinstance(value, dict):
        return {key: scale(part, factor) for key, part in value.items()}
    return value


def vary(record, factor):
    """All trends and counters of a record so many times as large."""
    for metric in record["k6"]["metrics"].values():
        if metric.get("kind") in ("trend", "counter"):
            one = factor()
            metric.update({key: scale(value, one) for key, value in metric.items()})
    return record


def make(folder, runs, releases):
    """Real records and series under other names, with numbers that differ from run to run as repeats do."""
    models = sorted(entry for entry in MODEL.iterdir() if entry.is_dir())
    chance = random.Random(7)
    for nth in range(runs):
        at, place = nth % releases, nth // releases
        model, repeat = models[place % len(models)], place // len(models) + 1
        release = f"v5.{at}.0"
        home = folder / release / (model.name if repeat == 1 else f"{model.name}~{repeat}")
        home.mkdir(parents=True)
        record = json.loads((model / "record.json").read_text())
        record["identity"]["release"] = release
        if repeat > 1:
            record["identity"]["label"] = str(repeat)
        record["window"]["start"] = f"2026-{at // 28 + 1:02}-{at % 28 + 1:02}T{place % 24:02}:{repeat * 7 % 60:02}:00Z"
        vary(record, lambda: chance.uniform(0.97, 1.03))
        (home / "record.json").write_text(json.dumps(record, indent=2) + "\n")
        for file in ("k6.txt", "series.json"):
            shutil.copy(model / file, home / file)


class Pages:
    """A page that is open: it hears of every site."""

    def __init__(self, url):
        place = urlsplit(url)
        self.connection = http.client.HTTPConnection(place.hostname, place.port, timeout=120)
        self.connection.request("GET", "/.plimsoll/events")
        self.answer = self.connection.getresponse()
        self.next()

    def next(self):
        while True:
            line = self.answer.readline().decode()
            if line.startswith("data:"):
                return json.loads(line[5:])


def note(home, nth):
    (home / "run.toml").write_text(f'notes = ["Looked at {nth} times."]\n')


def numbers(home, nth):
    file = home / "record.json"
    factor = 1.01 if nth % 2 == 0 else 1 / 1.01
    file.write_text(json.dumps(vary(json.loads(file.read_text()), lambda: factor), indent=2) + "\n")


def read_all(folder):
    """How many files there are, all of them read."""
    return sum(1 for root, _, files in os.walk(folder) for file in files if Path(root, file).read_bytes() is not None)


# What the server puts into a page: its script, and the policy that allows it.
OF_SERVER = re.compile(rb'<script src="/\.plimsoll/[^>]*></script>\n?|<meta http-equiv="Content-Security-Policy"[^>]*>')


def check(url, site):
    """What is shown is what is built at once from what lies on the disk by now."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=120)
    files = [file for file in sorted(site.rglob("*")) if file.is_file() and not file.name.startswith(".")]
    for file in files:
        connection.request("GET", "/" + quote(file.relative_to(site).as_posix(), safe="/~"))
        shown = connection.getresponse().read()
        assert OF_SERVER.sub(b"", shown) == OF_SERVER.sub(b"", file.read_bytes()), f"{file} is shown otherwise than it is built"
    print(f"{len(files)} files are shown as they are built")


def measure(args, folder):
    make(folder / "data", args.runs, args.releases)
    # In the middle, and one that has repeats.
    home = folder / "data" / f"v5.{args.releases // 2}.0" / TARGET
    note(home, "no")
    (folder / "plimsoll.toml").write_text("schema = 1\n")
    binary = args.binary.resolve()
    rows = {}

    def timed(name, work, files=""):
        start = time.perf_counter()
        told = work()
        rows.setdefault(name, ([], []))[0].append((time.perf_counter() - start) * 1e3)
        rows[name][1].append(told if isinstance(told, int) else files)

    build = [binary, "-q", "--project", folder, "build", "--out", folder / "site"]
    begin = time.perf_counter()
    server = subprocess.Popen([binary, "-q", "--project", folder, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        pages = Pages(url)
        print(f"the first making, until the URL is told: {time.perf_counter() - begin:.1f} s", flush=True)
        for nth in range(args.times):
            for name, change in (("a note in run.toml", note), ("its latencies and counts in record.json", numbers)):
                # Written before the clock starts would not be heard; the making of the text is a part of the figure, under a ms.
                def changed(change=change):
                    change(home, nth)
                    told = pages.next()
                    assert told["faults"] is None and not told["all"], told
                    return len(told["changed"])

                timed(name, changed)
            timed("Python reads all files", lambda: read_all(folder / "data"))
            if nth < args.builds:
                timed("`plimsoll build`", lambda: subprocess.run(build, check=True) and None)
        subprocess.run(build, check=True)
        check(url, folder / "site")
    finally:
        server.terminate()
        server.wait()
    base = statistics.median(rows["`plimsoll build`"][0])
    print("| from the write to the event | lowest, median, highest ms | / build | files |\n| --- | ---: | ---: | ---: |")
    for name, (taken, files) in rows.items():
        middle = statistics.median(taken)
        print(f"| {name} | {min(taken):,.0f}, {middle:,.0f}, {max(taken):,.0f} | {middle / base:.3f} | {files[-1]} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="runs of the archive")
    parser.add_argument("--releases", type=int, default=30, help="releases that share them")
    parser.add_argument("--times", type=int, default=9, help="rounds")
    parser.add_argument("--builds", type=int, default=3, help="rounds that build the whole")
    parser.add_argument("--binary", type=Path, default=HERE.parent / "target" / "release" / "plimsoll")
    args = parser.parse_args()
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        measure(args, Path(folder))
    print(f"load of the machine after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
