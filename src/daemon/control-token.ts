/**
 * The control token of an instance lasts as long as its data, so that a shell that has it goes on working after a
 * restart of the daemon. It is kept beside the API keys of the local user; data in memory has one for each start.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { InstancePaths } from '../kernel/paths.ts';
import { secretBytes } from '../kernel/random.ts';
import { writePrivateFile } from '../kernel/private-write.ts';

const BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface ControlToken {
  readonly token: string;
  /** Takes away what was kept by this, where the start fails. */
  undo(): void;
}

/** The kept one where the store is there already, else a new one. Call it before the store is made. */
export function controlTokenOf(
  paths: InstancePaths,
  { isEphemeral }: { isEphemeral: boolean },
): ControlToken {
  const file = paths.controlTokenFile;
  if (isEphemeral) {
    // That of data on disk under this name stays as it is.
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
