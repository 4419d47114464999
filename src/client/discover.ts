/**
 * Finds the daemon of an instance. The locator file says where it was; that it is still there, and that it is ours and
 * not whatever got the port or the pid since, it proves by the control token that the locator holds (contract §11).
 * Before the proof nothing secret is sent and no process is signalled.
 */
import { rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator } from '../contract/locator.ts';
import type { InstancePaths } from '../kernel/paths.ts';
import { isStillThere } from '../kernel/processes.ts';
import { UnprovenError, UnreachableError } from './errors.ts';
import { jsonObject, readPrivateFile, readPrivateJson } from './private-file.ts';
import { TIMED_OUT } from './proven-agent.ts';
import { proveDaemon } from './transport.ts';

/**
 * - `absent`: there is no locator.
 * - `damaged`: there is a locator file and it says nothing that can be used.
 * - `dead`: the daemon's process has ended without cleaning up. `isAnswered`: something else has its port.
 * - `silent`: its process is there and doesn't answer: it hangs.
 * - `unproven`: its process is there, and what answers doesn't prove to be it; nothing answers where `isAnswered` is
 *   false, as while it stops.
 */
export type DaemonState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'damaged'; readonly file: string }
  | { readonly kind: 'dead'; readonly locator: Locator; readonly isAnswered: boolean }
  | { readonly kind: 'silent'; readonly locator: Locator }
  | { readonly kind: 'unproven'; readonly locator: Locator; readonly isAnswered: boolean }
  | { readonly kind: 'running'; readonly locator: Locator };

export interface ApiKeys {
  readonly sandbox?: string | undefined;
  readonly live?: string | undefined;
}

/** Longest wait for a daemon's proof; one that is silent for longer counts as hanging. */
export const PROOF_TIMEOUT_MS = 5_000;
/** Longer than a stop takes that waits for no client. */
const SLOW_STOP_MS = 3_000;
/** The longest that a daemon waits for answers that are being read, and time for its export. */
export const STOP_TIMEOUT_MS = 45_000;

const HTTP_PORT = 80;

/** Throws PrivateFileError when the locator could have been written or read by someone else. */
export async function discover(paths: InstancePaths, timeoutMs = PROOF_TIMEOUT_MS): Promise<DaemonState> {
  const locator = readLocator(paths.locatorFile);
  if (locator === undefined) return { kind: 'absent' };
  if (locator === 'damaged') return { kind: 'damaged', file: paths.locatorFile };
  const answer = await askForProof(locator, basename(paths.stateDirectory), timeoutMs);
  if (answer === 'proven') return { kind: 'running', locator };
  const isAnswered = answer !== 'none';
  if (!isThere(locator)) return { kind: 'dead', locator, isAnswered };
  return answer === 'silence' ? { kind: 'silent', locator } : { kind: 'unproven', locator, isAnswered };
}

/** Where a locator says that its daemon is; undefined where it says nothing. Throws PrivateFileError. */
export function locatedAt(locatorFile: string): string | undefined {
  const locator = readLocator(locatorFile);
  return locator === 'damaged' ? undefined : locator?.url;
}

/** The keys of tenant `default`, kept for the local user. Throws PrivateFileError. */
export function readApiKeys(credentialsFile: string): ApiKeys {
  const { sandbox, live } = readPrivateJson(credentialsFile) ?? {};
  return {
    sandbox: typeof sandbox === 'string' ? sandbox : undefined,
    live: typeof live === 'string' ? live : undefined,
  };
}

/** Removes the locator of a process that is gone; any other is left alone. */
export function removeStaleLocator(paths: InstancePaths, state: DaemonState): void {
  if (state.kind === 'dead') rmSync(paths.locatorFile, { force: true });
}

/** Whether the process that wrote the locator is there, whatever it does. */
export function isThere({ pid, process_start }: Locator): boolean {
  return isStillThere({ pid, processStart: process_start });
}

/**
 * Asks a daemon that is `running` to end (SIGTERM) and waits until its process is gone; false when it still runs after
 * `timeoutMs`. It proves itself once more, for a pid may change hands: true without a signal when it doesn't.
 */
export async function terminate(
  locator: Locator,
  { instance, timeoutMs, onSlow }: { instance: string; timeoutMs: number; onSlow?: () => void },
): Promise<boolean> {
  if ((await askForProof(locator, instance, PROOF_TIMEOUT_MS)) !== 'proven' || !isThere(locator)) return true;
  process.kill(locator.pid, 'SIGTERM');
  const slow = onSlow && setTimeout(onSlow, SLOW_STOP_MS);
  return await pollUntil(() => !isThere(locator), { everyMs: 10, timeoutMs }).finally(() =>
    clearTimeout(slow),
  );
}

/** Asks again and again until the answer is yes; false when it wasn't within `timeoutMs`. */
export async function pollUntil(
  isDone: () => boolean | Promise<boolean>,
  { everyMs, timeoutMs }: { everyMs: number; timeoutMs: number },
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isDone())) {
    if (performance.now() >= deadline) return false;
    await sleep(everyMs);
  }
  return true;
}

/** Whether anything takes connections at an address. */
export async function isListening(baseUrl: string): Promise<boolean> {
  const { hostname, port } = new URL(baseUrl);
  const socket = createConnection({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || HTTP_PORT),
  });
  return (await new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy())) as boolean;
}

/** Whether the daemon of this locator answers at its address: with its pid, for the instance whose locator it is. */
async function askForProof(
  locator: Locator,
  instance: string,
  timeoutMs: number,
): Promise<'proven' | 'refuted' | 'silence' | 'none'> {
  try {
    const secret = { kind: 'control_token', token: locator.control_token } as const;
    const proven = await proveDaemon(new URL(locator.url), secret, timeoutMs);
    return proven.pid === locator.pid && proven.instance === instance ? 'proven' : 'refuted';
  } catch (error) {
    if (error instanceof UnprovenError) return 'refuted';
    if (!(error instanceof UnreachableError)) throw error;
    return (error.cause as { code?: unknown } | undefined)?.code === TIMED_OUT ? 'silence' : 'none';
  }
}

function readLocator(file: string): Locator | 'damaged' | undefined {
  const text = readPrivateFile(file);
  if (text === undefined) return undefined;
  const found = jsonObject(text);
  if (found === undefined) return 'damaged';
  const { pid, url, control_token, version, started_at, nonce, process_start } = found;
  if (!Number.isSafeInteger(pid) || (pid as number) < 1) return 'damaged';
  for (const each of [url, control_token, version, started_at, nonce]) {
    if (typeof each !== 'string' || each === '') return 'damaged';
  }
  if (process_start !== undefined && typeof process_start !== 'string') return 'damaged';
  return isHttpAddress(url as string) ? (found as unknown as Locator) : 'damaged';
}

function isHttpAddress(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'http:';
}
