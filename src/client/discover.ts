/**
 * Finds the daemon of an instance. The locator file says where the daemon was. The daemon then proves, with the
 * control token from the locator, that it still runs and is ours (contract §11): another process may have taken its
 * port or pid. Before the proof, nothing secret is sent and no process is signalled.
 */
import { rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { basename, dirname } from 'node:path';
import { folderNumber, type InstancePaths, type Locator } from '../kernel/files/paths.ts';
import { isStillThere } from '../kernel/program/processes.ts';
import { UnprovenError, UnreachableError } from './errors.ts';
import { jsonObject, readPrivateFile, readPrivateJson } from './private-file.ts';
import { TIMED_OUT } from './proven-agent.ts';
import { proveDaemon } from './transport.ts';
import { pollUntil } from '../kernel/time/poll-until.ts';
import { realTime } from '../kernel/time/real-time.ts';

/**
 * - `absent`: there is no locator.
 * - `damaged`: the locator file exists but its content is unusable.
 * - `dead`: the daemon's process ended without cleaning up. `isAnswered`: something else uses its port.
 * - `silent`: the process exists but does not respond; it hangs.
 * - `unproven`: the process exists, but the server at its address does not prove to be the daemon. `isAnswered` is
 *   false when nothing responds there, for example while the daemon stops.
 */
export type DaemonState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'damaged'; readonly file: string }
  | { readonly kind: 'dead'; readonly locator: Locator; readonly isAnswered: boolean }
  | { readonly kind: 'silent'; readonly locator: Locator }
  | { readonly kind: 'unproven'; readonly locator: Locator; readonly isAnswered: boolean }
  | { readonly kind: 'running'; readonly locator: Locator };

export interface LocalApiKeys {
  readonly sandbox?: string | undefined;
  readonly live?: string | undefined;
}

/** Longest wait for a daemon's proof. A daemon that takes longer counts as hanging. */
const PROOF_TIMEOUT_MS = 5_000;
/** A stop that waits for no client takes less than this. */
const SLOW_STOP_MS = 3_000;
/** The longest that a daemon waits for clients to read responses, plus time for its export. */
export const STOP_TIMEOUT_MS = 45_000;

const HTTP_PORT = 80;

/** Throws PrivateFileError when someone else could have written or read the locator. */
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

/** The daemon's address according to a locator; undefined if the locator is unusable. Throws PrivateFileError. */
export function locatedAt(locatorFile: string): string | undefined {
  const locator = readLocator(locatorFile);
  return locator === 'damaged' ? undefined : locator?.url;
}

/** The API keys of tenant `default`, kept for the local user. Throws PrivateFileError. */
export function readApiKeys(credentialsFile: string): LocalApiKeys {
  const { sandbox, live } = readPrivateJson(credentialsFile) ?? {};
  return {
    sandbox: typeof sandbox === 'string' ? sandbox : undefined,
    live: typeof live === 'string' ? live : undefined,
  };
}

/** Removes the locator of a process that no longer exists. Keeps any other locator. */
export function removeStaleLocator(paths: InstancePaths, state: DaemonState): void {
  if (state.kind === 'dead') rmSync(paths.locatorFile, { force: true });
}

/** Whether the process that wrote the locator exists, even if it hangs. */
export function isThere({ pid, process_start }: Locator): boolean {
  return isStillThere({ pid, processStart: process_start });
}

/**
 * Sends SIGTERM to a daemon that is `running` and waits until its process ends. Returns false if the process runs
 * after `timeoutMs`. The daemon has to prove itself again first, because another process may have its pid by now;
 * without the proof, no signal is sent and the result is true.
 */
export async function terminate(
  locator: Locator,
  { instance, timeoutMs, onSlow }: { instance: string; timeoutMs: number; onSlow?: () => void },
): Promise<boolean> {
  if ((await askForProof(locator, instance, PROOF_TIMEOUT_MS)) !== 'proven' || !isThere(locator)) return true;
  process.kill(locator.pid, 'SIGTERM');
  const slow = onSlow && realTime.setTimeout(onSlow, SLOW_STOP_MS);
  return await pollUntil(() => !isThere(locator), { everyMs: 10, timeoutMs }).finally(() =>
    realTime.clearTimeout(slow),
  );
}

/** Whether anything accepts connections at an address. */
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

/** Whether the daemon of this locator responds at its address, with the same pid and instance. */
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
  const { pid, url, control_token, version, started_at, nonce, process_start, options, folder } = found;
  if (!Number.isSafeInteger(pid) || (pid as number) < 1) return 'damaged';
  for (const each of [url, control_token, version, started_at, nonce]) {
    if (typeof each !== 'string' || each === '') return 'damaged';
  }
  if (process_start !== undefined && typeof process_start !== 'string') return 'damaged';
  if (options !== undefined && !isTextList(options)) return 'damaged';
  // Whoever acts in a copied home must not act on the original.
  if (folder !== undefined && folder !== folderNumber(dirname(file))) return undefined;
  const isHttp = URL.canParse(url as string) && new URL(url as string).protocol === 'http:';
  return isHttp ? (found as unknown as Locator) : 'damaged';
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
