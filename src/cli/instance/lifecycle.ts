/** Starts, finds and stops the daemon of an instance: shared by `start`, `restart`, `stop` and `demo`. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { createClient } from '../../client/client.ts';
import { discover, isThere, removeStaleLocator, STOP_TIMEOUT_MS, terminate } from '../../client/discover.ts';
import { defined } from '../../kernel/defined.ts';
import { pollUntil } from '../../kernel/time/poll-until.ts';
import { type Locator, exportFailure } from '../../kernel/files/paths.ts';
import { ADDRESS_LIMIT_MS } from '../../kernel/program/start-limits.ts';
import { LOOPBACK_HOSTS } from '../../nouns/requests/facts.ts';
import type { SlotKind } from '../../nouns/control/facts.ts';
import { applyFixtures, NO_FIXTURES } from '../exec/fixtures.ts';
import {
  accessInstance,
  accessOf,
  connectionOf,
  type DaemonAccess,
  notRunning,
} from '../shell/daemon-access.ts';
import { daemonEnvironment, type ChosenInstance } from '../shell/environment.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { startInBackground } from './daemon-process.ts';
import type { StartFlags, StartPlan } from './start-options.ts';
import { type InstanceSummary, type OpenSummary, summarise } from './view.ts';

// Whether a running instance has what a second `kyclone start -d` asks for.

/** Options that a start either had or hadn't. Others have no effect later, or one of their own to compare. */
const COMPARED = [
  'host',
  'seed',
  'clock',
  'import',
  'export-on-exit',
  'data-dir',
  'api-key-file',
  'key-file',
] as const;

/**
 * Compares options of a daemon with those that it runs with: its address, storage and settings as they are, the rest as
 * it was started. Throws a CliError that names each difference. What was not asked for may be anything.
 */
async function requireSameOptions(
  asked: readonly string[],
  access: DaemonAccess,
  running: OpenSummary,
): Promise<void> {
  const wanted = valuesOf(asked);
  const started = valuesOf(access.locator?.options ?? []);
  const port = new URL(running.base_url).port || '80';
  const differences = COMPARED.flatMap((name) =>
    wanted[name] === undefined || wanted[name] === started[name]
      ? []
      : [`--${name} ${shown(wanted[name])} (it was started with ${shown(started[name])})`],
  );
  if (wanted.port !== undefined && wanted.port !== '0' && wanted.port !== port)
    differences.unshift(`--port ${wanted.port} (it serves port ${port})`);
  if (wanted.ephemeral === true && !running.ephemeral) differences.push('--ephemeral (its store is on disk)');
  if (wanted.set !== undefined) differences.push(...(await otherSettings(wanted.set, access)));
  if (differences.length === 0) return;
  throw new CliError(
    `Instance ${running.instance} runs already (pid ${running.pid}), without ${differences.join('; ')}`,
    {
      code: 'instance_differs',
      hint: 'kyclone restart with these options, or --instance NAME for another instance',
    },
  );
}

function valuesOf(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    strict: false,
    options: {
      ...Object.fromEntries(COMPARED.map((name) => [name, { type: 'string' as const }])),
      port: { type: 'string' },
      ephemeral: { type: 'boolean' },
      set: { type: 'string', multiple: true },
    },
  }).values as Partial<
    Record<(typeof COMPARED)[number], string | boolean> &
      Record<'port' | 'data-dir' | 'key-file', string> & { ephemeral: boolean; set: string[] }
  >;
}

const KEY_VARIABLES: ReadonlyMap<SlotKind, string> = new Map([
  ['environment', 'KYCLONE_VAULT_KEY'],
  ['passphrase', 'KYCLONE_VAULT_PASSPHRASE'],
  ['recovery', 'KYCLONE_VAULT_PASSPHRASE'],
]);

/**
 * Where a running daemon has its store and its key, for the start after it. Throws CliError when only variables that
 * aren't set here open its vault.
 */
export async function placesOf(access: DaemonAccess): Promise<{ 'data-dir'?: string; 'key-file'?: string }> {
  const { slots } = await createClient(connectionOf(access, false)).call('GET /_kyclone/keyring');
  const environment = daemonEnvironment();
  const variables = slots.map(({ kind }) => KEY_VARIABLES.get(kind));
  if (
    variables.length > 0 &&
    variables.every((name) => name !== undefined && environment[name] === undefined)
  ) {
    throw new CliError(
      `${[...new Set(variables)].join(' or ')} is not set here, and nothing else opens the vault`,
      { code: 'sealed', exitCode: EXIT.credential, hint: 'nothing was stopped; set it, and restart again' },
    );
  }
  const { 'data-dir': data, 'key-file': key } = valuesOf(access.locator?.options ?? []);
  return defined({ 'data-dir': data, 'key-file': key });
}

/**
 * Throws what would refuse a start with these flags after the stop of a running daemon, so that nothing is stopped for
 * it.
 */
export async function requireStartable(
  flags: Pick<StartFlags, 'port' | 'host' | 'allow-remote' | 'key-file' | 'import' | 'ephemeral'>,
  access: DaemonAccess,
): Promise<void> {
  const { port, host = '127.0.0.1', 'key-file': keyFile } = flags;
  const refuse = (message: string, code: string, exitCode: number) => {
    throw new CliError(message, { code, exitCode, hint: 'nothing was stopped' });
  };
  if (!LOOPBACK_HOSTS.includes(host === '::1' ? '[::1]' : host) && !flags['allow-remote'])
    refuse('--host with another address than loopback needs --allow-remote', 'usage', EXIT.usage);
  if (keyFile !== undefined && !existsSync(keyFile))
    refuse(`The key file ${keyFile} does not exist`, 'key_file_refused', EXIT.credential);
  const isOwnPort = String(port) === (new URL(access.baseUrl).port || '80');
  if (port !== undefined && port !== 0 && !isOwnPort && !(await isFree(port, host)))
    refuse(`Port ${port} is taken by another program`, 'port_taken', EXIT.conflict);
  if (flags.import === undefined || flags.ephemeral) return;
  const client = createClient(connectionOf(access, false));
  const { data } = await client.call('GET /_kyclone/entities', { query: { page_size: 1 } });
  if (data.length > 0) refuse('--import is for an instance without entities', 'conflict', EXIT.conflict);
}

/** Whether nothing listens there. */
export function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

const shown = (value: string | boolean | undefined) =>
  value === undefined ? 'none' : value === true ? 'no value' : value;

async function otherSettings(assignments: readonly string[], access: DaemonAccess): Promise<string[]> {
  const settings = await createClient(connectionOf(access, false)).call('GET /_kyclone/settings');
  // Imported here because it loads the schemas.
  const { mergedSettings, settingsFromOptions } = await import('../../nouns/settings/endpoints/values.ts');
  const has = (assignment: string) =>
    isDeepStrictEqual(mergedSettings(settings, settingsFromOptions([assignment])), settings);
  return assignments.filter((each) => !has(each)).map((each) => `--set ${each}`);
}

const STILL_STOPPING =
  'The daemon is still stopping: it finishes responses that clients are reading (at most 30 s) and writes the requested export';

const IN_MEMORY =
  'Its data is in memory, as it was started; to keep data on disk, stop it and start it again';

/** What happens to an instance with failed fixtures. */
export const STOPPED_AGAIN = 'the instance was stopped again';

/**
 * Starts the daemon in the background. If one of this `version` runs already with the options `asked`, returns that; one
 * of another version or with other options is a conflict (CliError 8). Fixtures run only on a daemon started here; if
 * they fail, it is stopped again.
 */
export async function ensureRunning(
  instance: ChosenInstance,
  version: string,
  { start, asked = [], fixtures = NO_FIXTURES, markFile }: Pick<StartPlan, 'start'> & Partial<StartPlan>,
): Promise<InstanceSummary> {
  const running = await findRunning(instance, version, asked);
  if (running) return withoutFixtures(running, fixtures.files.length);
  try {
    const { notices } = await startInBackground(start);
    const access = await accessInstance(instance);
    await runOrStop(instance, async () => {
      await applyFixtures(fixtures, access, { consequence: STOPPED_AGAIN, markFile });
    });
    return { ...(await summarise(access)), notices };
  } catch (error) {
    const isBeaten = error instanceof CliError && error.code === 'instance_running';
    const winner = isBeaten ? await awaitRunning(instance, version, asked) : undefined;
    if (winner) return withoutFixtures(winner, fixtures.files.length);
    throw error;
  }
}

/**
 * Stops the daemon of an instance; returns false if none ran. Calls `notify` with the reason when it takes longer
 * than usual. Throws CliError: 124 if it doesn't end in time; 1 if it hangs, doesn't prove itself or its locator is
 * unusable, because no process is signalled then.
 */
export async function stopInstance(
  { name, paths }: ChosenInstance,
  notify: (line: string) => void = () => undefined,
): Promise<boolean> {
  const state = await discover(paths);
  removeStaleLocator(paths, state);
  if (state.kind === 'absent' || state.kind === 'dead') return false;
  if (state.kind !== 'running') {
    if (state.kind === 'unproven' && (await stopsByItself(state))) return false;
    throw notRunning(name, state);
  }
  const onSlow = () => notify(STILL_STOPPING);
  if (await terminate(state.locator, { instance: name, timeoutMs: STOP_TIMEOUT_MS, onSlow })) {
    requireExport(paths);
    return true;
  }
  throw new CliError(`The daemon of instance ${name} (pid ${state.locator.pid}) still runs after 45 s`, {
    code: 'timed_out',
  });
}

/** Throws CliError when the daemon has stopped without its export. */
function requireExport(paths: ChosenInstance['paths']): void {
  const path = exportFailure(paths);
  if (!existsSync(path)) return;
  const message = readFileSync(path, 'utf8');
  rmSync(path, { force: true });
  throw new CliError(`It was stopped, but: ${message}`, { code: 'export_failed' });
}

/** Whether the daemon was already stopping: its port is closed, and its process ends soon. */
async function stopsByItself({
  locator,
  isAnswered,
}: {
  readonly locator: Locator;
  readonly isAnswered: boolean;
}): Promise<boolean> {
  // Without its start time, the pid may belong to another process.
  if (isAnswered || locator.process_start === undefined) return false;
  return await pollUntil(() => !isThere(locator), { everyMs: 10, timeoutMs: STOP_TIMEOUT_MS });
}

/** A hanging daemon blocks its instance: another can't replace it. Throws CliError 8. */
export async function refuseHanging({ name, paths }: ChosenInstance): Promise<void> {
  const state = await discover(paths);
  if (state.kind === 'silent') throw notRunning(name, state, EXIT.conflict);
}

/** Adds a note for a caller with fixtures: a running instance was not changed. */
function withoutFixtures(running: InstanceSummary, count: number): InstanceSummary {
  if (count === 0) return running;
  const { notices = [] } = running;
  return {
    ...running,
    notices: [...notices, 'It runs already, so no fixture was run; kyclone fixtures run can do that'],
  };
}

/** Stops an instance whose fixtures failed: the next start would otherwise use its partial data. */
async function runOrStop(instance: ChosenInstance, fill: () => Promise<void>): Promise<void> {
  try {
    await fill();
  } catch (error) {
    await stopInstance(instance);
    throw error;
  }
}

/** If two starts run at the same time, one wins. It holds the lock before it has an address. */
async function awaitRunning(
  instance: ChosenInstance,
  version: string,
  asked: readonly string[],
): Promise<InstanceSummary | undefined> {
  let running: InstanceSummary | undefined;
  const isRunning = async () => (running = await findRunning(instance, version, asked)) !== undefined;
  await pollUntil(isRunning, { everyMs: 25, timeoutMs: ADDRESS_LIMIT_MS });
  return running;
}

async function findRunning(
  { name, paths }: ChosenInstance,
  version: string,
  asked: readonly string[],
): Promise<InstanceSummary | undefined> {
  const state = await discover(paths);
  removeStaleLocator(paths, state);
  if (state.kind === 'silent') throw notRunning(name, state, EXIT.conflict);
  if (state.kind !== 'running') return undefined;
  if (state.locator.version !== version) {
    throw new CliError(
      `Instance ${name} runs version ${state.locator.version} (pid ${state.locator.pid}); this is ${version}`,
      { code: 'version_conflict', hint: 'kyclone restart' },
    );
  }
  const access = accessOf(state.locator, paths);
  const running = await summarise(access);
  await requireSameOptions(asked, access, running);
  const isUnasked = running.ephemeral && valuesOf(asked).ephemeral !== true;
  return { ...running, already_running: true, ...(isUnasked && { notices: [IN_MEMORY] }) };
}
