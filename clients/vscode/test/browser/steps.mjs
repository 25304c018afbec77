// One step after the other, and what the test that started this reads of them.

let passed = 0;

export async function step(name, body) {
  await body();
  passed += 1;
  console.log(`ok ${name}`);
}

/** Takes the steps, a picture of where they fail, and ends: what the editor started would keep this process alive. */
export async function finish(steps, picture, end) {
  try {
    await steps();
    console.log(`${passed} passed, 0 failed`);
  } catch (error) {
    await picture();
    console.log(`not ok after ${passed}: ${error.stack}`);
    process.exitCode = 1;
  } finally {
    await end();
  }
  process.exit();
}
