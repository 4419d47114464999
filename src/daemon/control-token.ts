/**
 * The control token of an instance. It lasts as long as the data, so that a shell that has it keeps working after the
 * daemon restarts. It is stored beside the API keys of the local user. An instance in memory gets a new one at each
 * start.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { InstancePaths } from '../kernel/paths.ts';
import { secretBytes } from '../kernel/random.ts';
import { writePrivateFile } from '../kernel/private-write.ts';

const BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface ControlToken {
  readonly token: string;
  /** Removes the file that this call created, when the start fails. */
  undo(): void;
}

/** The stored token if the store exists already, otherwise a new one. Call it before the store is created. */
export function controlTokenOf(
  paths: InstancePaths,
  { isEphemeral }: { isEphemeral: boolean },
): ControlToken {
  const file = paths.controlTokenFile;
  if (isEphemeral) {
    // The token file of data on disk under this name stays as it is.
    return { token: newToken(), undo: () => undefined };
  }
  const kept = existsSync(paths.storeFile) ? readKept(file) : undefined;
  if (kept !== undefined) return { token: kept, undo: () => undefined };
  const token = newToken();
  writePrivateFile(file, `${token}\n`);
  return { token, undo: () => rmSync(file, { force: true }) };
}

function readKept(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return TOKEN.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function newToken(): string {
  return Buffer.from(secretBytes(BYTES)).toString('base64url');
}
