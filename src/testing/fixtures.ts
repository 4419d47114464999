import type { Client } from '../client/client.ts';

/** Makes the calls of each file, one after the other. Throws FixtureError. */
export async function runFixtureFiles(files: readonly string[], client: Client): Promise<void> {
  if (files.length === 0) return;
  // Read when it is wanted: most tests have none.
  const { loadFixture, runFixture } = await import('../client/fixtures/index.ts');
  for (const file of files) await runFixture(loadFixture(file), { client });
}
