import type { Client } from '../client/client.ts';

/** Runs the fixture files one after another. Throws FixtureError. */
export async function runFixtureFiles(files: readonly string[], client: Client): Promise<void> {
  if (files.length === 0) return;
  // Loaded on demand: most tests have no fixtures.
  const { loadFixture, runFixture } = await import('../client/fixtures/index.ts');
  for (const file of files) await runFixture(loadFixture(file), { client });
}
