/**
 * The output contract (docs/architecture.md#command-line), for every command of the manifest in every situation that it
 * can be in: which output goes to which stream, in which form, with which exit code. A planted value or key must not
 * appear in any output.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'shell-quote';
import { parseAllDocuments } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mayRunDry } from '../../src/cli/shell/dry-run-commands.ts';
import { displayWidth } from '../../src/kernel/terminal-text.ts';
import type { CliOutcome } from '../support/cli.ts';
import { runInProcess } from '../support/cli-in-process.ts';
import { ROOT, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { ask, ExampleWorld, PNG, writeExampleFiles } from '../support/example-world.ts';
import { tempDir } from '../support/temp-dir.ts';

interface Manifest {
  commands: Record<
    string,
    { examples: string[]; args: Record<string, unknown>; flags: Record<string, unknown> }
  >;
}
const { commands } = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as Manifest;

const CANARY = 'Zanzibar-4711';
const MODES = [['--json'], []] as const;

/** Commands that other tests run through the binary: the test file, and why they don't run here. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, why: string]>> = {
  start: ['lifecycle', 'starts a daemon'],
  stop: ['lifecycle', 'ends the daemon'],
  restart: ['lifecycle', 'ends the daemon'],
  demo: ['demo', 'has an instance of its own'],
  exec: ['exec', 'its streams and its exit code are those of a child'],
  reset: ['capabilities', 'takes away what the others need'],
  'snapshot:load': ['capabilities', 'takes away what the others need'],
  logs: ['lifecycle', 'the daemon of this test logs elsewhere'],
  'keyring:slots:create': ['terminal', 'asks; changes what opens the vault'],
  'keyring:slots:delete': ['nouns', 'changes what opens the vault'],
  'keyring:rotate': ['nouns', 'changes what opens the vault'],
  'proxy:echo': ['echo', 'serves until it is ended'],
  'partner:echo': ['partner', 'serves until it is ended'],
  'webhooks:listen': ['webhooks', 'serves until it is ended'],
  'webhooks:verify': ['webhooks', 'reads stdin'],
  mcp: ['mcp', 'speaks a protocol until its input ends'],
  'requests:tail': ['requests', 'goes on until it is ended'],
  'bank:import': ['bank-import', 'reads a file that names an account'],
  'compare:run': ['compare', 'asks a remote, too'],
  'compare:record': ['compare', 'asks a remote, and no daemon'],
  'compare:replay': ['compare', 'reads a transcript'],
  init: ['project', 'makes a project of the folder, whose instance the others would speak to'],
  'vault:download': ['files', 'needs a token that is good once'],
};
/** These commands call no daemon, so none can refuse them and none can be missing. */
const LOCAL: ReadonlySet<string> = new Set([
  ...[
    'capabilities',
    'compare:record',
    'completion:install',
    'completion:print',
    'completion:uninstall',
    'doctor',
    'errors',
    'transform',
    'vault:identifiers',
    'webhooks:kinds',
  ],
  ...['config:get', 'config:list', 'config:set', 'config:delete', 'faults:presets', 'fixtures:check', 'init'],
  ...['partner:echo', 'proxy:echo', 'webhooks:verify', 'fake:user', 'fake:business', 'bank:personas:get'],
  ...['exec', 'demo', 'start', 'stop', 'restart', 'logs', 'env', 'risk-signals:catalogue'],
]);
/** The exit codes with refused keys and with a daemon that is gone, for commands that do more than make a call. */
const OTHER_ENDS: Readonly<Record<string, readonly [refused: number, gone: number, why: string]>> = {
  status: [4, 5, 'asks for what the control token opens'],
  docs: [4, 5, 'asks where the instance is'],
  wait: [4, 124, 'what does not prove itself is not waited for; one that is gone may come'],
  'compare:run': [2, 2, 'reads the key of the remote first'],
  'compare:replay': [2, 2, 'reads the transcript first'],
  'completion:ids': [0, 0, 'Tab must not disturb'],
  'requests:tail': [4, 5, 'cannot begin'],
  mcp: [0, 0, 'says so in the results of its tools'],
  inspect: [4, 5, 'asks for what the control token opens'],
  'webhooks:listen': [4, 5, 'cannot begin'],
  report: [4, 5, 'asks for what the control token opens'],
};

/** The exit code of the first example with the streams of this test, and why it isn't 0. */
const OK_CODES: Readonly<Record<string, readonly [code: number, why: string]>> = {
  'users:search': [3, 'asks for the text'],
  'businesses:search': [3, 'asks for the text'],
  'users:verify': [3, 'asks for what was said'],
  'businesses:verify': [3, 'asks for what was said'],
  'vault:set': [3, 'asks for a value'],
  'proxy:send': [1, 'the target of the example is not there'],
  'users:cip': [1, 'the partner of the example is not there'],
  'webhooks:trigger': [1, 'the endpoints that examples register are not there'],
};

let daemon: TestDaemon;
let callsMade = 0;
let home: ReturnType<typeof tempDir>;
const logFile = () => join(home.path, 'daemon.log');
beforeAll(async () => {
  home = tempDir();
  daemon = await startDaemon({ home: home.path, isDurable: true, options: ['--log-file', logFile()] });
  await new ExampleWorld(daemon).request();
  writeExampleFiles(daemon.home, '');
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

/** Writes the canary into the vaults that commands touch. */
async function plant(world: ExampleWorld): Promise<void> {
  await ask(daemon, 'PATCH', `/users/${await world.user()}/vault`, { 'custom.canary': CANARY });
  await ask(daemon, 'PATCH', `/businesses/${await world.business()}/vault`, { 'custom.canary': CANARY });
}

async function configured(): Promise<void> {
  await run(['config', 'set', 'egress.policy', 'strict']);
}

/** What else a command needs. */
const PREPARED: Readonly<Record<string, (world: ExampleWorld) => Promise<void>>> = {
  'proxy:explain': async (world) => {
    await world.request();
  },
  'snapshot:delete': (world) => world.snapshots(),
  'snapshot:diff': (world) => world.snapshots(),
  'snapshot:get': (world) => world.snapshots(),
  'snapshot:create': async (world) => {
    await world.snapshots();
    await ask(daemon, 'DELETE', '/_kyclone/snapshots/before-migration');
  },
  'config:get': configured,
  'config:delete': configured,
  'record:start': (world) => world.recording(false),
  'record:stop': async (world) => {
    await world.recording(true);
    rmSync(join(daemon.home, 'signup.yaml'), { force: true });
  },
};

/** Returns the words of the first example that is one plain call. */
async function wordsOf(id: string): Promise<string[]> {
  const lines = (commands[id]?.examples ?? []).flatMap((example) =>
    example.replaceAll('<%= config.bin %>', 'kyclone').split('\n'),
  );
  const calls = lines.flatMap(
    (line) => /^(?:(?:eval "|\w+=)\$\()?(kyclone [^|<>]*?)(?:\)"?)?$/.exec(line)?.[1] ?? [],
  );
  const call = calls.find((line) => line.startsWith(`kyclone ${id.replaceAll(':', ' ')}`)) ?? lines[0] ?? '';
  // One command uploads this file; another one downloads to it.
  const image = join(daemon.home, 'front.png');
  if (id === 'vault:download') rmSync(image, { force: true });
  else writeFileSync(image, PNG);
  const world = new ExampleWorld(daemon);
  await ask(daemon, 'DELETE', '/_kyclone/faults');
  if (/\bfp_b?id_/.test(call)) await plant(world);
  await PREPARED[id]?.(world);
  if (/^(?:decisions:create|risk-signals:review|users:cip|users:cip-report)$/.test(id))
    await world.onboarding(call);
  const unique = call.replaceAll('customer-4711', `customer-${++callsMade}`);
  const filled = await world.filled(unique);
  const words = shellWords(filled, {
    TOKEN: call.includes('$TOKEN') ? await world.session() : '',
    VALIDATION: call.includes('$VALIDATION') ? await world.validation() : '',
  }).slice(1);
  if (commands[id]?.flags['yes'] !== undefined && !words.includes('--yes')) words.push('--yes');
  // What --wait waits for takes seconds, and is in binary/bank.
  return words.filter((word) => !['--json', '--dry-run', '-i', '--wait'].includes(word));
}

/** Splits a plain command as sh does. Starting sh takes longer than most commands. */
function shellWords(line: string, variables: Readonly<Record<string, string>>): string[] {
  return parse(line, variables).map((word) => {
    if (typeof word === 'string') return word;
    if ('pattern' in word) return word.pattern;
    throw new Error(`Not a plain command: ${line}`);
  });
}

const known = new Map<string, Promise<string[]>>();

/**
 * Returns the same words each time, for calls that are refused or not sent. Making the things that they name takes
 * longer than the command.
 */
async function knownWordsOf(id: string): Promise<string[]> {
  const words = known.get(id) ?? wordsOf(id);
  known.set(id, words);
  return [...(await words)];
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

const PARTNER = { KYCLONE_PARTNER_API_KEY: 'key-value', KYCLONE_PARTNER_API_SECRET: 'secret-value' };

const run = (words: readonly string[], more: Readonly<Record<string, string>> = {}, columns?: number) =>
  runInProcess(words, {
    home: daemon.home,
    environment: { ...PARTNER, ...more },
    ...(columns !== undefined && { columns }),
  });

const ids = Object.keys(commands);

/** Defines the test only when the command can be in this situation. */
const testIf = (canBe: unknown) =>
  (canBe ? test : () => undefined) as (name: string, run: () => Promise<void>) => void;

describe.each(ids)('%s', (id) => {
  const words = id.split(':');

  test('usage: an unknown flag is exit 2, and its value is not shown', async () => {
    for (const mode of MODES)
      expectFailure(await run([...words, ...mode, `--no-such-flag=${CANARY}`]), mode, 2);
  });

  test('usage: outputs that contradict each other are exit 2', async () => {
    if (id === 'exec') return;
    const argv = await knownWordsOf(id);
    expectFailure(await run([...argv, '--json', '--output', 'yaml']), ['--json'], 2);
  });

  testIf(callsInstance(id))('credentials: keys that are refused are exit 4, and are not shown', async () => {
    const argv = await knownWordsOf(id);
    for (const mode of MODES) {
      const outcome = await run([...argv, ...mode], {
        KYCLONE_BASE_URL: daemon.url,
        KYCLONE_API_KEY: `sk_test_${CANARY}`,
        KYCLONE_CONTROL_TOKEN: CANARY,
      });
      expectFailure(outcome, mode, ASKS.test(id) ? 3 : (REFUSED[id]?.[0] ?? 4));
    }
  });

  testIf(callsInstance(id))('unreachable: a daemon that is gone is exit 5', async () => {
    const argv = await knownWordsOf(id);
    for (const mode of MODES) {
      const outcome = await run([...argv, ...mode], {
        KYCLONE_BASE_URL: 'http://127.0.0.1:1',
        KYCLONE_API_KEY: `sk_test_${CANARY}`,
        KYCLONE_CONTROL_TOKEN: CANARY,
      });
      expectFailure(outcome, mode, ASKS.test(id) ? 3 : 5);
    }
  });

  testIf(OTHER_ENDS[id])('credentials, unreachable: it ends as it should', async () => {
    const [refused = 0, gone = 0] = OTHER_ENDS[id] ?? [];
    const argv = await knownWordsOf(id);
    if (id === 'wait') argv.splice(1, Infinity, '--timeout', '0');
    for (const mode of MODES) {
      for (const [code, url] of [
        [refused, daemon.url],
        [gone, 'http://127.0.0.1:1'],
      ] as const) {
        const outcome = await run([...argv, ...mode], {
          KYCLONE_BASE_URL: url,
          KYCLONE_API_KEY: `sk_test_${CANARY}`,
          KYCLONE_CONTROL_TOKEN: CANARY,
        });
        if (code !== 0) expectFailure(outcome, mode, code);
        else expect(outcome).toMatchObject({ code: 0, stderr: '' });
        expect(JSON.stringify(outcome)).not.toContain(CANARY);
      }
    }
  });

  // `snapshot create` names a new snapshot, so it is left out.
  testIf(mayRunDry(id) && id !== 'snapshot:create' && NAMES_SOMETHING.test(commands[id]?.examples[0] ?? ''))(
    'not found: names of nothing are exit 6',
    async () => {
      const argv = await knownWordsOf(id);
      const strange = argv.map((word) =>
        word
          .replace(IDS, `$1_${'0'.repeat(22)}`)
          .replace(/^(?:before-migration|pb_test_mine)$/, (name) =>
            name.startsWith('pb') ? 'pb_test_none' : 'none',
          ),
      );
      const [code = 6] = LENIENT[id] ?? [];
      for (const mode of MODES) {
        const outcome = await run([...strange, ...mode]);
        if (code !== 0) expectFailure(outcome, mode, ASKS.test(id) ? 3 : code);
        else expect(outcome, strange.join(' ')).toMatchObject({ code: 0 });
      }
    },
  );

  testIf(commands[id]?.args['fields'] !== undefined)(
    'validation: a value that is not valid is exit 7, and is not shown',
    async () => {
      const argv = (await knownWordsOf(id)).filter((word) => !/^[a-z]+\.[\w.]+:?=/.test(word));
      for (const mode of MODES) expectFailure(await run([...argv, `id.dob=${CANARY}`, ...mode]), mode, 7);
    },
  );

  testIf(ELSEWHERE[id] === undefined)('ok: the result stands on stdout alone', async () => {
    const [code = 0] = OK_CODES[id] ?? [];
    for (const mode of [['--json'], [], ['--output', 'yaml']]) {
      const argv = await wordsOf(id);
      const outcome = await run([...argv, ...mode]);
      const shown = `${argv.join(' ')} ${JSON.stringify(outcome)}`;
      expect(outcome.code, shown).toBe(code);
      expect(shown).not.toContain('\u001b');
      if (code !== 0) continue;
      if (mode.length > 0) expect(outcome.stderr, shown).toBe('');
      else if (TABLE.test(outcome.stdout)) await expectFitting(await wordsOf(id));
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

  testIf(mayRunDry(id))('--dry-run: a curl command, and nothing is sent', async () => {
    const argv = await wordsOf(id);
    if (commands[id]?.flags['dry-run'] === undefined || id === 'bank:import') return;
    if (id.startsWith('fake:')) argv.push('--create');
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

  testIf(!mayRunDry(id))('--dry-run: is refused where more than calls is done', async () => {
    if (id === 'exec') return;
    for (const mode of MODES)
      expectFailure(await run([...(await knownWordsOf(id)), ...mode, '--dry-run']), mode, 2);
  });
});

/** A line of headings. */
const TABLE = /^[A-Z][A-Z()]*(?: [A-Z(][A-Z()]*)*(?: {2,}[A-Z][A-Z()]*(?: [A-Z(][A-Z()]*)*)+$/m;

/** Every line of a table, which ends at an empty line, fits a terminal of 80 columns. */
async function expectFitting(argv: readonly string[]): Promise<void> {
  const outcome = await run(argv, { NO_COLOR: '1' }, 80);
  const [, ...tables] = outcome.stdout.split(new RegExp(TABLE, 'gm'));
  const lines = tables.flatMap((part) => part.slice(0, `${part}\n\n`.indexOf('\n\n')).split('\n'));
  const isOfTable = (line: string) => !line.includes('; continue with --cursor ');
  for (const line of [...lines, ...(new RegExp(TABLE, 'gm').exec(outcome.stdout) ?? [])].filter(isOfTable))
    expect(displayWidth(line), `${argv.join(' ')}\n${outcome.stdout}`).toBeLessThanOrEqual(80);
}

/** The first example of these asks for input, before anything is sent. */
const ASKS = /^(?:vault:set|(?:users|businesses):(?:search|verify))$/;
/** The exit code with refused keys where it isn't 4, and why. */
const REFUSED: Readonly<Record<string, readonly [code: number, why: string]>> = {};
/** An id, or a name that a person chose. */
const NAMES_SOMETHING =
  /\b(?:fp_id|fp_bid|ob|link|tok|key|whk|evt|rule|req|flt)_[0-9A-Za-z]{22}\b|before-migration|pb_test_mine/;
/** The exit code with unknown ids where it isn't 6, and why. */
const LENIENT: Readonly<Record<string, readonly [code: number, why: string]>> = {
  'proxy:send': [1, 'the target of the example is not there'],
};
const callsInstance = (id: string) => mayRunDry(id) && !LOCAL.has(id);

test('every command has its situations, or a reason not to', () => {
  const without = ids.filter((id) => !callsInstance(id) && !LOCAL.has(id) && OTHER_ENDS[id] === undefined);
  expect(without).toEqual([]);
  for (const [id, [file]] of Object.entries(ELSEWHERE)) {
    const path = join(ROOT, 'test', 'cli', 'binary', `${file}.test.ts`);
    expect(ids).toContain(id);
    expect(existsSync(path) && readFileSync(path, 'utf8').includes(id.split(':').at(-1) ?? ''), id).toBe(
      true,
    );
  }
});

test.each(['env', 'status', 'logs', 'users:list', 'wait'])(
  '%s: an instance that does not run',
  async (id) => {
    const codes: Readonly<Record<string, number>> = { logs: 6, wait: 124 };
    const more = id === 'wait' ? ['--timeout', '0'] : [];
    for (const mode of MODES) {
      const argv = [...id.split(':'), ...more, '--instance', 'none', ...mode];
      expectFailure(await run(argv), mode, codes[id] ?? 5);
    }
  },
);

test('canary: it is in the vault, and neither in the log nor in the journal nor in any file', async () => {
  const world = new ExampleWorld(daemon);
  await plant(world);
  const reading = { fields: ['custom.canary'], reason: 'a test' };
  const path = `/users/${await world.user()}/vault/decrypt`;
  expect(await ask(daemon, 'POST', path, reading)).toEqual({ 'custom.canary': CANARY });
  const log = readFileSync(logFile(), 'utf8');
  expect(log.length).toBeGreaterThan(1_000);
  expect(log).not.toContain(CANARY);
  for (const list of ['requests', 'access-log', 'events', 'deliveries']) {
    const shown = JSON.stringify(await ask(daemon, 'GET', `/_kyclone/${list}?page_size=100`));
    expect(shown.length, list).toBeGreaterThan(20);
    expect(shown, list).not.toContain(CANARY);
  }
  const files = readdirSync(daemon.home, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  const holding = files.filter((file) => readFileSync(join(file.parentPath, file.name)).includes(CANARY));
  // A fixture that was recorded without --mask may hold values, because it must run again.
  expect(holding.map(({ name }) => name).filter((name) => name !== 'signup.yaml')).toEqual([]);
});
