// Tests inside VS Code's extension host, one after the other, in the order of their files.

import { tests } from './harness';
import './bar';
import './session';
import './palette';
import './related';
import './history';
import './answers';
import './commands';
import './lenses';
import './rest';
import './version';
import './panel';
import './models'; // last: it changes the settings of the machine

export async function run(): Promise<void> {
  let failed = 0;
  for (const { name, body } of tests) {
    try {
      await body();
      console.log(`ok ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`not ok ${name}\n${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  console.log(`${tests.length - failed} passed, ${failed} failed`);
  if (failed) {
    throw new Error(`${failed} failed`);
  }
}
