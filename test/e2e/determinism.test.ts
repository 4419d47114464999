/** With a seed and a frozen clock, the same calls and commands give the same output twice, byte for byte. */
import { expect, test } from 'vitest';
import { endpoints } from '../../src/contract/registry.ts';
import { runCli } from '../support/cli.ts';
import { startKycloned } from '../support/kycloned.ts';
import { samples, setStage } from '../support/samples.ts';
import { sampleResolve } from '../support/sample-target.ts';
import { asRaw, startService, type Reply } from '../support/service.ts';
import '../support/tier-all.ts';

/** Secrets never follow from the seed, nor what is only of a search; times and the process are those of the machine. */
const LEFT_OUT = new Set([
  'token',
  'intent_token',
  'validation_token',
  'secret',
  'key',
  'prefix',
  'recovery_code',
  'resume_key',
  'search_id',
  'ms',
  'real_now',
  'offset_ms',
  'started_at',
  'pid',
  'bytes',
  'hash',
  'prev_hash',
  'head',
]);

/** Keeps the order of members, so that a different order shows as a difference. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => [
      name,
      LEFT_OUT.has(name) && !String(member).startsWith('pb_') ? '***' : withoutSecrets(member),
    ]),
  );
}

/** Leaves out tokens of links, slots of keys, fingerprints, which depend on the vault's key, and what is no JSON. */
function shown({ status, headers, body }: Reply): string {
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(?:content-length|set-cookie)$|date$/.test(name),
  );
  return JSON.stringify([status, kept, withoutSecrets(body)])
    .replace(/#(?:\w+tok|blit|code)[_=]\w+/g, '#***')
    .replace(/"(?:slot_\w+|[0-9a-f]{64})"/g, '"***"');
}

async function transcript(): Promise<Record<string, string>> {
  await using service = await startService({ outside: { resolve: sampleResolve } });
  const answers: Record<string, string> = {};
  for (const { key } of endpoints) {
    await service.call('POST /_kyclone/reset', { body: { hard: true, seed: 'seven' } });
    const request = asRaw(key, await samples[key](await setStage(service)));
    answers[key] = shown(await service.send(request));
  }
  return answers;
}

test('determinism: a seed and a frozen clock give the same answers of every endpoint', async () => {
  const [one, other] = [await transcript(), await transcript()];
  for (const [key, answer] of Object.entries(one)) expect.soft(other[key], key).toBe(answer);
});

test('determinism: commands print the same under --json', async () => {
  async function printed(): Promise<string[]> {
    const options = ['--ephemeral', '--seed', 'seven', '--clock', '2026-03-01T12:00:00.000Z'];
    const { home } = await startKycloned({ options });
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
