// Counts what was looked at, and keeps what is wrong.

/** A list of faults with its counts. */
export function tally() {
  const faults = [];
  const counts = {};
  return {
    faults,
    counts,
    /** Counts something that was looked at. */
    count: (what, many = 1) => (counts[what] = (counts[what] ?? 0) + many),
    /** Notes a fault of a page. */
    fault: (page, words) => faults.push(`${page}: ${words}`),
    /** Prints all of it; the exit status. */
    report(name) {
      const most = 40;
      for (const fault of faults.slice(0, most)) console.log(`  ${fault}`);
      if (faults.length > most) console.log(`  and ${faults.length - most} more`);
      const said = Object.entries(counts).map(([what, many]) => `${many} ${what}`);
      console.log(`${name}: ${said.join(", ")}; ${faults.length} faults`);
      return faults.length > 0 ? 1 : 0;
    },
  };
}
