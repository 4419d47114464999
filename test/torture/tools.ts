/** Programs of the machine that some promises need, each with its Debian package. */
import { accessSync, constants, existsSync } from 'node:fs';
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
  return tools.filter((tool) => !isInstalled(tool));
}

export function packagesOf(tools: readonly Tool[]): string {
  return [...new Set(tools.map((tool) => PACKAGES[tool]))].join(' ');
}

function isInstalled(tool: Tool): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, tool)) && canExecute(join(folder, tool)));
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
