/**
 * The output contract (DESIGN §8), for every command of the manifest in every situation that it can have: what stands on
 * which stream, in which form, with which exit code; and that a value or key planted where it may be seen is not seen.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mayRunDry } from '../../src/cli/dry-run/commands.ts';
import type { CliOutcome } from '../support/cli.ts';
import { runInProcess } from '../support/cli-in-process.ts';
import { cleanEnvironment, ROOT, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { ExampleWorld, PNG, writeExampleFiles } from '../support/example-world.ts';

interface Manifest {
  commands: Record<
    string,
    { examples: string[]; args: Record<string, unknown>; flags: Record<string, unknown> }
  >;
}
const { commands } = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as Manifest;

const CANARY = 'Zanzibar-4711';
const MODES = [['--json'], []] as const;

/** They start, end or replace the daemon, serve until they are ended, or ask: run by tests of their own. */
const NOT_IN_PROCESS =
  /^(?:start|stop|restart|demo|exec|reset|logs|snapshot:load|keyring:.*|proxy:echo|partner:echo|webhooks:listen|requests:tail|record:.*|bank:import|init|completion:install|fixtures:run|vault:download)$/;
/** The exit code of their first example as the streams are here, and why it isn't 0. */
const OK_CODES: Readonly<Record<string, readonly [code: number, why: string]>> = {
  'users:search': [3, 'asks for the text'],
  'vault:set': [3, 'asks for a value'],
  'proxy:send': [1, 'the target of the example is not there'],
  'users:cip': [1, 'the partner of the example is not there'],
  'webhooks:trigger': [1, 'the endpoints that examples register are not there'],
};

let daemon: TestDaemon;
let environment: NodeJS.ProcessEnv;
let callsMade = 0;
beforeAll(async () => {
  daemon = await startDaemon({ options: ['--log-file', '/dev/null'] }).catch(() => startDaemon());
  environment = cleanEnvironment(daemon.home, {
    KYCLONE_PARTNER_API_KEY: 'key-value',
    KYCLONE_PARTNER_API_SECRET: 'secret-value',
  });
  await new ExampleWorld(daemon).request();
  writeExampleFiles(daemon.home, '');

  process.chdir(daemon.home);
});
afterAll(async () => {
  process.chdir(ROOT);
  await daemon[Symbol.asyncDispose]();
});

/** The first example that is one plain call, its words as sh splits them. */
async function wordsOf(id: string): Promise<string[]> {
  const lines = (commands[id]?.examples ?? []).flatMap((example) =>
    example.replaceAll('<%= config.bin %>', 'kyclone').split('\n'),
  );
  const calls = lines.flatMap((line) => /^(?:\w+=\$\()?(kyclone [^|<>]*?)\)?$/.exec(line)?.[1] ?? []);
  const call = calls.find((line) => line.startsWith(`kyclone ${id.replaceAll(':', ' ')}`)) ?? lines[0] ?? '';
  // Uploaded from there by one, downloaded to there by another.
  const image = join(daemon.home, 'front.png');
  if (id === 'vault:download') rmSync(image, { force: true });
  else writeFileSync(image, PNG);
  const world = new ExampleWorld(daemon);
  if (/^(?:decisions:make|users:cip|users:cip-report)$/.test(id)) await world.onboarding(call);
  const unique = call.replaceAll('customer-4711', `customer-${++callsMade}`);
  const filled = await world.filled(unique);
  const printed = execFileSync('sh', ['-c', `kyclone() { printf '%s\\0' "$@"; }\n${filled}`], {
    env: {
      ...process.env,
      TOKEN: call.includes('$TOKEN') ? await world.session() : '',
      VALIDATION: call.includes('$VALIDATION') ? await world.validation() : '',
    },
  });
  const words = printed.toString().split('\0').slice(0, -1);
  if (commands[id]?.flags['yes'] !== undefined && !words.includes('--yes')) words.push('--yes');
  return words.filter((word) => word !== '--json' && word !== '--dry-run' && word !== '-i');
}

const IDS = /\b(fp_id|fp_bid|ob|link|tok|key|whk|evt|rule|req|flt)_[0-9A-Za-z]{22}\b/g;

function expectFailure(outcome: CliOutcome, mode: readonly string[], code: number | readonly number[]): void {
  const shown = JSON.stringify(outcome);
  expect([code].flat(), shown).toContain(outcome.code);
  expect(outcome.stdout, shown).toBe('');
  expect(shown).not.toContain(CANARY);
  expect(shown).not.toContain('\u001b');
  if (mode.length === 0) expect(outcome.stderr).toMatch(/^(?:[^\n]+\n)*?Error: [^\n]+\n/);
  else {
    expect(outcome.stderr.trimEnd(), shown).not.toContain('\n');
    const {
      message,
      code: name,
      exit_code: exitCode,
      context,
      request_id: requestId,
      ...rest
    } = JSON.parse(outcome.stderr) as Record<string, unknown>;
    expect({ message, name }).toEqual({
      message: expect.any(String) as string,
      name: expect.any(String) as string,
    });
    expect(exitCode).toBe(outcome.code);
    expect(rest).toEqual({});
    if (requestId !== undefined) expect(requestId).toMatch(/^req_\w{22}$/);
    if (context !== undefined) expect(context).toEqual(expect.any(Object));
  }
}

const run = (words: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  runInProcess(words, { ...environment, ...more });

const ids = Object.keys(commands);

describe.each(ids)('%s', (id) => {
  const words = id.split(':');

  test('usage: an unknown flag is exit 2, and its value is not shown', async () => {
    for (const mode of MODES)
      expectFailure(await run([...words, ...mode, `--no-such-flag=${CANARY}`]), mode, 2);
  });

  test('usage: outputs that contradict each other are exit 2', async () => {
    if (id === 'exec') return;
    const argv = await wordsOf(id);
    expectFailure(await run([...argv, '--json', '--output', 'yaml']), ['--json'], 2);
  });

  test.runIf(mayRunDry(id))('credentials: keys that are refused are exit 4, and are not shown', async () => {
    const argv = await wordsOf(id);
    for (const mode of MODES) {
      const outcome = await run([...argv, ...mode], {
        KYCLONE_BASE_URL: daemon.url,
        KYCLONE_API_KEY: `sk_test_${CANARY}`,
        KYCLONE_CONTROL_TOKEN: CANARY,
      });
      expectFailure(outcome, mode, ASKS.test(id) ? 3 : 4);
    }
  });

  test.runIf(mayRunDry(id))('unreachable: a daemon that is gone is exit 5', async () => {
    const argv = await wordsOf(id);
    for (const mode of MODES) {
      const outcome = await run([...argv, ...mode], {
        KYCLONE_BASE_URL: 'http://127.0.0.1:1',
        KYCLONE_API_KEY: `sk_test_${CANARY}`,
        KYCLONE_CONTROL_TOKEN: CANARY,
      });
      expectFailure(outcome, mode, ASKS.test(id) ? 3 : 5);
    }
  });

  test.runIf(mayRunDry(id))('not found: ids that name nothing are exit 6', async () => {
    const argv = await wordsOf(id);
    const strange = argv.map((word) => word.replace(IDS, `$1_${'0'.repeat(22)}`));
    if (strange.join() === argv.join() || LENIENT.test(id)) return;
    for (const mode of MODES)
      expectFailure(await run([...strange, ...mode]), mode, ASKS.test(id) ? 3 : [6, 7]);
  });

  test.runIf(commands[id]?.args['fields'] !== undefined)(
    'validation: a value that is not valid is exit 7, and is not shown',
    async () => {
      const argv = (await wordsOf(id)).filter((word) => !/^[a-z]+\.[\w.]+:?=/.test(word));
      for (const mode of MODES) expectFailure(await run([...argv, `id.dob=${CANARY}`, ...mode]), mode, 7);
    },
  );

  test.runIf(mayRunDry(id) && !NOT_IN_PROCESS.test(id))('ok: the result stands on stdout alone', async () => {
    const [code = 0] = OK_CODES[id] ?? [];
    for (const mode of [['--json'], [], ['--output', 'yaml']]) {
      const argv = await wordsOf(id);
      const outcome = await run([...argv, ...mode]);
      const shown = `${argv.join(' ')} ${JSON.stringify(outcome)}`;
      expect(outcome.code, shown).toBe(code);
      expect(shown).not.toContain('\u001b');
      if (code !== 0) continue;
      if (mode.length > 0) expect(outcome.stderr, shown).toBe('');
      if (mode[0] === '--json') {
        for (const line of outcome.stdout.trimEnd().split('\n'))
          expect(() => JSON.parse(line) as unknown, shown).not.toThrow();
      }
      if (mode[0] === '--output') {
        for (const document of parseAllDocuments(outcome.stdout)) {
          expect('errors' in document ? document.errors : [], shown).toEqual([]);
          expect(typeof document.toJS(), shown).not.toBe('string');
        }
      }
    }
  });

  test.runIf(mayRunDry(id))('--dry-run: a curl command, and nothing is sent', async () => {
    const argv = await wordsOf(id);
    if (commands[id]?.flags['dry-run'] === undefined || id === 'bank:import') return;
    const nowhere = { KYCLONE_BASE_URL: 'http://127.0.0.1:1' };
    const outcome = await run([...argv, '--dry-run'], nowhere);
    if (ASKS.test(id)) {
      expectFailure(outcome, [], 3);
      return;
    }
    expect(outcome, argv.join(' ')).toMatchObject({ code: 0 });
    expect(outcome.stdout).toMatch(/^(?:printf '[\\\d]*' \| )?curl /);
    const asJson = await run([...argv, '--dry-run', '--json'], nowhere);
    expect(asJson).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(asJson.stdout)).toHaveProperty(['requests', 0, 'method']);
  });

  test.runIf(!mayRunDry(id))('--dry-run: is refused where more than calls is done', async () => {
    if (id === 'exec') return;
    for (const mode of MODES)
      expectFailure(await run([...(await wordsOf(id)), ...mode, '--dry-run']), mode, 2);
  });
});

/** Their first example has something asked for, which comes before anything is sent. */
const ASKS = /^(?:users:search|vault:set)$/;
/** They filter by an id, send it on, or don't mind that it is gone. */
const LENIENT =
  /^(?:audit:list|proxy:render|proxy:send|api|webhooks:(?:events|deliveries)|bank:links:list|requests:list|bank:import)$/;
