// Checks of one script: counted, failed ones told, and the exit status that follows.
let passed = 0;
let failed = 0;

/** Counts a check; tells a failed one. */
export function check(name, holds, detail = "") {
  if (holds) passed += 1;
  else {
    failed += 1;
    console.log(`FAILED ${name}${detail ? `: ${detail}` : ""}`);
  }
}

/** Tells how many passed, and makes a failed one the script's failure. */
export function conclude() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
