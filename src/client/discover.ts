/**
 * Finds the daemon of an instance. The locator file says where it was; that it is still there, and that it is ours and
 * not whatever got the port or the pid since, is proven by the nonce which only that daemon's health answer repeats
 * (contract §11). Before the proof nothing secret is sent and no process is signalled.
 */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator } from '../contract/locator.ts';
import type { InstancePaths } from '../kernel/paths.ts';
import { UnreachableError } from './errors.ts';
import { readPrivateJson } from './private-file.ts';
import { send } from './transport.ts';

/** `stale`: there is a locator, and what it describes doesn't answer with its nonce. */
export type DaemonState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'stale'; readonly locator: Locator; readonly isProcessAlive: boolean }
  | { readonly kind: 'running'; readonly locator: Locator };

export interface ApiKeys {
  readonly sandbox?: string | undefined;
  readonly live?: string | undefined;
}

const HEALTH_TIMEOUT_MS = 2_000;

/** Throws PrivateFileError when the locator could have been written or read by someone else. */
export async function discover(paths: InstancePaths, timeoutMs = HEALTH_TIMEOUT_MS): Promise<DaemonState> {
  const locator = readLocator(paths.locatorFile);
  if (locator === undefined) return { kind: 'absent' };
  if (await hasIdentity(locator, timeoutMs)) return { kind: 'running', locator };
  return { kind: 'stale', locator, isProcessAlive: isProcessAlive(locator.pid) };
}

/** The keys of tenant `default`, kept for the local user. Throws PrivateFileError. */
export function readApiKeys(credentialsFile: string): ApiKeys {
  const { sandbox, live } = readPrivateJson(credentialsFile) ?? {};
  return {
    sandbox: typeof sandbox === 'string' ? sandbox : undefined,
    live: typeof live === 'string' ? live : undefined,
  };
}

/** Removes a locator whose process is gone; one whose process lives is left alone. */
export function removeStaleLocator(paths: InstancePaths, state: DaemonState): void {
  if (state.kind === 'stale' && !state.isProcessAlive) rmSync(paths.locatorFile, { force: true });
}

/** Whether the daemon of this locator, and no other, answers at its address. */
export async function hasIdentity(locator: Locator, timeoutMs = HEALTH_TIMEOUT_MS): Promise<boolean> {
  try {
    const url = new URL('/_kyclone/health', locator.url);
    const answer = await send({ method: 'GET', url, headers: {}, timeoutMs });
    if (answer.status !== 200) return false;
    const health = JSON.parse(answer.body.toString('utf8')) as { nonce?: unknown };
    return health.nonce === locator.nonce;
  } catch (error) {
    if (error instanceof UnreachableError || error instanceof SyntaxError || error instanceof TypeError) {
      return false;
    }
    throw error;
  }
}

/**
 * Asks a daemon to end (SIGTERM) and waits until its process is gone; false when it still runs after `timeoutMs`.
 * Does nothing and answers true when the identity can't be proven: the pid may be anyone's by now.
 */
export async function terminate(locator: Locator, timeoutMs: number): Promise<boolean> {
  if (!(await hasIdentity(locator))) return true;
  process.kill(locator.pid, 'SIGTERM');
  return await pollUntil(() => !isProcessAlive(locator.pid), { everyMs: 10, timeoutMs });
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

function readLocator(file: string): Locator | undefined {
  const found = readPrivateJson(file);
  if (found === undefined) return undefined;
  const { pid, url, control_token, version, started_at, nonce } = found;
  if (!Number.isSafeInteger(pid) || (pid as number) < 1) return undefined;
  for (const text of [url, control_token, version, started_at, nonce]) {
    if (typeof text !== 'string' || text === '') return undefined;
  }
  return found as unknown as Locator;
}

/** Signal 0 asks whether a process exists and sends nothing; EPERM means that it does, under another user. */
function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
