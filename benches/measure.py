#!/usr/bin/env python3
"""Measures plimsoll, its rivals and the tools that only read, on the same files in one run; called by scripts/bench.

Every round runs each program once, so that noise of the machine hits all alike; the figures are medians of the rounds. Processor time (of
user and system, of all threads) shows how far a wall time is one of a busy machine: a program of two threads should need less wall time
than that. Peak memory is the highest maximum resident set of the rounds, so mapped pages count. Both as GNU time saw them, of rivals with
the start of Python.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
TRENDS = ["oidc_token_duration", "session_add_session_duration", "session_set_session_duration"]
# Sums and quotients in another order differ in the last bits of a double, about 1e-15.
AGREEMENT = 1e-12


@dataclass
class Program:
    name: str
    command: list
    # The per-second rows that it writes, if it does.
    rows: Path | None = None
    # Whether it says on standard error how long it took without its start.
    own_clock: bool = False
    # A folder that is emptied before each run.
    scratch: Path | None = None
    seconds: list = field(default_factory=list)
    processor: list = field(default_factory=list)
    peak: int = 0
    fault: str = ""

    def run(self):
        if self.fault:
            return
        if self.scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)
        with tempfile.NamedTemporaryFile("r") as used:
            start = time.perf_counter()
            done = subprocess.run(
                ["time", "--format=%M %U %S", f"--output={used.name}", "--", *map(str, self.command)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            seconds = time.perf_counter() - start
            if done.returncode != 0:
                self.fault = f"exit {done.returncode}: {(done.stderr.strip() or 'without a word').splitlines()[0]}"
                return
            peak, user, system = used.read().split()
        self.peak = max(self.peak, int(peak) * 1024)
        self.processor.append(float(user) + float(system))
        self.seconds.append(float(done.stderr.rsplit("seconds=", 1)[1]) if self.own_clock else seconds)

    @property
    def median(self):
        return statistics.median(self.seconds)


@dataclass
class Target:
    """A bound on a ratio of two medians (`to` is a program), on a speed or on the peak memory (`to` is GB/s or MB)."""

    what: str
    to: str
    bound: float
    most: bool = True

    def told(self, programs, size):
        what, to = programs[self.what], programs.get(self.to)
        if not what.seconds or (to and not to.seconds):
            return False, f"not measured: {self.what}, {self.to}"
        if self.to == "MB":
            subject, figure = f"peak memory of {self.what} in MB", what.peak / 1e6
        elif self.to == "GB/s":
            subject, figure = f"GB/s of {self.what}", size / what.median / 1e9
        else:
            subject, figure = f"{self.what} / {self.to}", what.median / to.median
        met = figure <= self.bound if self.most else figure >= self.bound
        return met, f"{'met' if met else 'MISSED'}: {subject} = {figure:.2f}, at {'most' if self.most else 'least'} {self.bound:g}"


@dataclass
class Contest:
    """Programs on one file or one content. The first program is what the others are held against."""

    title: str
    file: Path
    programs: list
    targets: list
    # Whose rows all others' must agree with.
    rows_of: str
    # Whether to agree is to be equal byte for byte.
    exact: bool = False

    def hold(self, times):
        print(f"\n### {self.title}: {self.file.name}, {self.file.stat().st_size / 1e9:.2f} GB, {counted(self.file)}\n", flush=True)
        for path in {argument for program in self.programs for argument in program.command if isinstance(argument, Path)}:
            warm(path)
        for turn in range(times):
            print(f"{self.file.name}: round {turn + 1} of {times}", file=sys.stderr, flush=True)
            for program in self.programs:
                program.run()
        self.print_table()
        passed = self.print_agreement()
        for target in self.targets:
            met, told = target.told({program.name: program for program in self.programs}, self.file.stat().st_size)
            print(f"- {told}")
            passed &= met
        return passed

    def print_table(self):
        first = self.programs[0]
        ours = next(program for program in self.programs if program.name.startswith("plimsoll"))
        size = self.file.stat().st_size
        print(f"| program | median s | lowest | highest | processor s | GB/s | / {first.name} | / {ours.name} | peak MB |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for program in self.programs:
            if program.fault:
                print(f"| {program.name} | failed | | | | | | | |")
                continue
            cells = [f"{program.median:.3f}", f"{min(program.seconds):.3f}", f"{max(program.seconds):.3f}"]
            cells += [f"{statistics.median(program.processor):.2f}", f"{size / program.median / 1e9:.2f}"]
            cells += [f"{program.median / other.median:.2f}" if other.seconds else "" for other in (first, ours)]
            print(f"| {program.name} | {' | '.join(cells)} | {program.peak / 1e6:.0f} |")
        print()
        for program in self.programs:
            if program.fault:
                print(f"- failed: {program.name}: {program.fault}")

    def print_agreement(self):
        judge = next(program for program in self.programs if program.name == self.rows_of)
        passed = not any(program.fault for program in self.programs)
        for program in self.programs:
            if program.rows is None or program is judge or program.fault or judge.fault:
                continue
            wanted, given = judge.rows.read_bytes(), program.rows.read_bytes()
            if self.exact:
                fault, told = wanted != given, "other bytes" if wanted != given else "equal bytes"
            else:
                fault, told = compare(json.loads(wanted), json.loads(given))
            print(f"- {program.name} {'DISAGREES' if fault else 'agrees'} with {judge.name}: {told}")
            passed &= not fault
        return passed


def compare(wanted, given):
    """Whether two arrays of per-second rows differ, and in what."""
    keys = [[(row["metric_name"], row["timestamp"]) for row in rows] for rows in (wanted, given)]
    if keys[0] != keys[1]:
        missing, added = (sorted(set(a) - set(b)) for a, b in (keys, keys[::-1]))
        if not missing and not added:
            return True, "the same rows in another order"
        return True, f"{len(missing)} rows missing {missing[:2]}, {len(added)} more {added[:2]}"
    worst = 0.0
    for one, other in zip(wanted, given):
        for share in ("p50", "p95", "p99"):
            scale = max(abs(one[share]), abs(other[share]))
            worst = max(worst, abs(one[share] - other[share]) / scale if scale else 0.0)
    return worst > AGREEMENT, f"{len(wanted)} rows, largest relative difference {worst:.1e}"


def warm(path):
    """The whole file into the page cache."""
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 24):
            pass


def counted(path):
    """What the generator said about the file."""
    made = Path(f"{path}.made")
    counts = dict(word.split("=") for word in made.read_text().split() if word.count("=") == 1) if made.exists() else {}
    return ", ".join(f"{int(counts[key]):,} {key}" for key in ("rows", "requests") if key in counts)


class Contests:
    def __init__(self, plimsoll, data, work):
        self.plimsoll, self.data, self.work = plimsoll, data, work

    def series(self, file, name="plimsoll series"):
        rows = self.work / f"{file}-plimsoll.json"
        return Program(name, [self.plimsoll, "series", self.data / file, "--out", str(rows)], rows=rows)

    def ingest(self, file):
        archive = self.work / "archive"
        words = ["--release", "v1", "--target", "bench", "--archive", str(archive)]
        return Program("plimsoll ingest", [self.plimsoll, "ingest", self.data / file, *words], scratch=archive)

    def rival(self, engine, name, file):
        rows = self.work / f"{file}-{engine}.json"
        command = [sys.executable, str(HERE / "rivals.py"), engine, self.data / file, "--trends", ",".join(TRENDS), "--out", str(rows)]
        return Program(name, command, rows=rows, own_clock=True)

    def lines(self, file):
        return Program("wc -l", ["wc", "-l", self.data / file])

    def of_csv(self, title, file, targets):
        rivals = [self.rival("duckdb", "DuckDB", file), self.rival("polars", "polars", file)]
        programs = [self.lines(file), self.series(file), self.ingest(file), *rivals]
        return Contest(title, self.data / file, programs, targets, rows_of="DuckDB")

    def all(self):
        targets = [
            Target("plimsoll series", "wc -l", 1.5),
            Target("plimsoll ingest", "wc -l", 3.0),
            Target("DuckDB", "plimsoll series", 10, most=False),
            Target("polars", "plimsoll series", 8, most=False),
            Target("plimsoll series", "MB", 64),
        ]
        return self.of_csv("all default columns", "all.csv", targets)

    def runner(self):
        targets = [Target("plimsoll series", "wc -l", 2.5), Target("plimsoll ingest", "wc -l", 5.0)]
        return self.of_csv("the runner's columns", "runner.csv", targets)

    def packed(self):
        file = "all-1g.csv"
        unpackers = [Program("gzip -dc", ["gzip", "-dc", self.data / f"{file}.gz"])]
        unpackers += [Program("zstd -dc", ["zstd", "-dcq", self.data / f"{file}.zst"])]
        # Faster ones for comparison, where they happen to be installed.
        for name in ("igzip", "rapidgzip"):
            if shutil.which(name):
                unpackers.append(Program(f"{name} -dc", [name, "-d", "-c", self.data / f"{file}.gz"]))
        ours = [self.series(file + end, f"plimsoll series, {end or 'plain'}") for end in ("", ".gz", ".zst")]
        targets = [
            Target("plimsoll series, .gz", "gzip -dc", 1.15),
            Target("plimsoll series, .zst", "zstd -dc", 1.15),
        ]
        return Contest("packed", self.data / file, [*unpackers, *ours], targets, rows_of=ours[0].name, exact=True)

    def json(self):
        file = "all.ndjson"
        programs = [self.lines(file), self.series(file), self.ingest(file), self.rival("duckdb", "DuckDB", file)]
        targets = [
            Target("DuckDB", "plimsoll series", 8, most=False),
            Target("plimsoll series", "GB/s", 0.8, most=False),
        ]
        return Contest("NDJSON", self.data / file, programs, targets, rows_of="DuckDB")

    def many(self):
        file = "trends.csv"
        targets = [Target("plimsoll series", "MB", 400), Target("plimsoll ingest", "MB", 400)]
        programs = [self.lines(file), self.series(file), self.ingest(file)]
        return Contest("the trends of many requests", self.data / file, programs, targets, rows_of="plimsoll series")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--plimsoll", required=True, type=Path)
    options.add_argument("--data", required=True, type=Path)
    options.add_argument("--times", type=int, default=5)
    options.add_argument("contests", nargs="+", choices=["all", "runner", "packed", "json", "many"])
    options = options.parse_args()
    os.environ["LC_ALL"] = "C"
    with tempfile.TemporaryDirectory(dir=options.data) as work:
        contests = Contests(options.plimsoll, options.data, Path(work))
        held = [getattr(contests, name)().hold(options.times) for name in options.contests]
    sys.exit(0 if all(held) else 1)


main()
