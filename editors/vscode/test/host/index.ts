// What the editor runs: every test, one after the other.

import { tests } from "./tests";

/** Runs all tests; fails if one does. */
export async function run(): Promise<void> {
  const failed: string[] = [];
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok     ${name}`);
    } catch (error) {
      failed.push(name);
      console.log(`FAILED ${name}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  if (failed.length > 0) {
    throw new Error(`${failed.length} tests failed: ${failed.join(", ")}`);
  }
}
