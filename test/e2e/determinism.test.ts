/** With a seed and a frozen clock, the same script gives the same output twice, byte for byte. */
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { startKycloned } from '../support/kycloned.ts';
import { variedCalls } from './varied-calls.ts';
import '../support/tier-all.ts';

const NOON = '2026-03-01T12:00:00.000Z';

const seeded = (seed: string) => startKycloned({ options: ['--ephemeral', '--seed', seed, '--clock', NOON] });

async function transcript(seed: string): Promise<string[]> {
  const lines = await variedCalls(await seeded(seed));
  return lines.map((line) => JSON.stringify(line));
}

test('determinism: a seed and a frozen clock give the same answers, byte for byte', async () => {
  const [one, other] = [await transcript('seven'), await transcript('seven')];
  expect(one.length).toBeGreaterThanOrEqual(60);
  expect(other).toEqual(one);
});

test('determinism: commands print the same under --json', async () => {
  async function printed(): Promise<string[]> {
    const { home } = await seeded('seven');
    const output: string[] = [];
    const run = async (...argv: string[]) => {
      const { code, stdout, stderr } = await runCli([...argv, '--json'], { home });
      expect(code, stderr).toBe(0);
      output.push(stdout);
      return JSON.parse(stdout) as Record<string, string>;
    };
    const { id = '' } = await run('users', 'create', 'id.first_name=Jane', 'id.email=jane@example.com');
    await run('users', 'list');
    await run('vault', 'get', id);
    await run('businesses', 'create', 'business.name=Acme');
    await run('bank', 'links', 'list');
    await run('clock', 'get');
    return output;
  }
  const [one, other] = [await printed(), await printed()];
  expect(withoutRealTime(other)).toEqual(withoutRealTime(one));
});

/** Removes the machine's time, which `clock` shows beside the instance's. */
function withoutRealTime(output: readonly string[]): string[] {
  return output.map((text) => text.replace(/"(real_now|offset_ms)": ?[^,}\n]+/g, '"$1": 0'));
}
