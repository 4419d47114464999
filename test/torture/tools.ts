/** Programs of the machine that some promises need, each with its Debian package. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const PACKAGES = {
  strace: 'strace',
  faketime: 'faketime',
  prlimit: 'util-linux',
  'dbus-daemon': 'dbus',
  'dbus-send': 'dbus',
  'gnome-keyring-daemon': 'gnome-keyring',
} as const;

export type Tool = keyof typeof PACKAGES;

/** Returns those of `tools` that are not installed. */
export function missingTools(tools: readonly Tool[]): Tool[] {
  return tools.filter((tool) => findProgram(tool) === undefined);
}

export function packagesOf(tools: readonly Tool[]): string {
  return [...new Set(tools.map((tool) => PACKAGES[tool]))].join(' ');
}

/** Returns the path of a program of this machine. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find(canExecute);
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
