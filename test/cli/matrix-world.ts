/**
 * What the tests of the output contract share: a daemon with the things that the examples of commands name, the words of
 * each command's first example, and a value that no output may show.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'shell-quote';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CliOutcome } from '../support/cli.ts';
import { runInProcess } from '../support/cli-in-process.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { ask, ExampleWorld, PNG, writeExampleFiles } from '../support/example-world.ts';
import { builtCommands } from '../support/root.ts';
import { tempDir } from '../support/temp-dir.ts';

export const commands = builtCommands();

export const ids = Object.keys(commands);

export const CANARY = 'Zanzibar-4711';
export const MODES = [['--json'], []] as const;

/** Commands that other tests run through the binary: the test file, and why they don't run here. */
export const ELSEWHERE: Readonly<Record<string, readonly [file: string, why: string]>> = {
  start: ['lifecycle', 'starts a daemon'],
  stop: ['lifecycle', 'ends the daemon'],
  restart: ['lifecycle', 'ends the daemon'],
  demo: ['demo', 'has an instance of its own'],
  exec: ['exec', 'its streams and its exit code are those of a child'],
  reset: ['nouns', 'takes away what the others need'],
  'snapshot:load': ['snapshots', 'takes away what the others need'],
  logs: ['lifecycle', 'the daemon of this test logs elsewhere'],
  'keyring:slots:create': ['terminal', 'asks; changes what opens the vault'],
  'keyring:slots:delete': ['nouns', 'changes what opens the vault'],
  'keyring:rotate': ['nouns', 'changes what opens the vault'],
  'proxy:echo': ['echo', 'serves until it is ended'],
  'partner:echo': ['partner', 'serves until it is ended'],
  'webhooks:listen': ['webhooks', 'serves until it is ended'],
  'webhooks:verify': ['examples', 'reads stdin'],
  mcp: ['mcp', 'speaks a protocol until its input ends'],
  'requests:tail': ['requests', 'goes on until it is ended'],
  'bank:import': ['bank-import', 'reads a file that names an account'],
  'compare:run': ['compare', 'asks a remote, too'],
  'compare:record': ['compare', 'asks a remote, and no daemon'],
  'compare:replay': ['compare', 'reads a transcript'],
  init: ['project', 'makes a project of the folder, whose instance the others would speak to'],
  'vault:download': ['files', 'needs a token that is good once'],
};
/** The exit code of the first example with the streams of this test, and why it isn't 0. */
export const OK_CODES: Readonly<Record<string, readonly [code: number, why: string]>> = {
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
/** Starts a daemon for the tests of a file, and ends it after them. */
export function useMatrixWorld(): void {
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
}

/** The daemon of the running test file. */
export const theDaemon = (): TestDaemon => daemon;

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

const linesOf = (id: string) =>
  (commands[id]?.examples ?? []).flatMap((example) =>
    example.replaceAll('<%= config.bin %>', 'kyclone').split('\n'),
  );

/** Returns the first example that is one plain call of the command. */
export const callOf = (id: string) =>
  linesOf(id)
    .flatMap((line) => /^(?:(?:eval "|\w+=)\$\()?(kyclone [^|<>]*?)(?:\)"?)?$/.exec(line)?.[1] ?? [])
    .find((line) => line.startsWith(`kyclone ${id.replaceAll(':', ' ')}`));

/** Returns the words of that example, with real ids in place of its placeholders. */
export async function wordsOf(id: string): Promise<string[]> {
  const call = callOf(id) ?? linesOf(id)[0] ?? '';
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
export function shellWords(line: string, variables: Readonly<Record<string, string>>): string[] {
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
export async function knownWordsOf(id: string): Promise<string[]> {
  const words = known.get(id) ?? wordsOf(id);
  known.set(id, words);
  return [...(await words)];
}

export function expectFailure(
  outcome: CliOutcome,
  mode: readonly string[],
  code: number | readonly number[],
): void {
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

export const run = (
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
  columns?: number,
) =>
  runInProcess(words, {
    home: daemon.home,
    environment: { ...PARTNER, ...more },
    ...(columns !== undefined && { columns }),
  });

/** Defines the test only when the command can be in this situation. */
export const testIf = (canBe: unknown) =>
  (canBe ? test : () => undefined) as (name: string, run: () => Promise<void>) => void;

/** The first example of these asks for input, before anything is sent. */
export const ASKS = /^(?:vault:set|(?:users|businesses):(?:search|verify))$/;
/** The value is in the vault, and neither in the log nor in the journal nor in any file. */
export async function expectCanaryInVaultOnly(): Promise<void> {
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
}
