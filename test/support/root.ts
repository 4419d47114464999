import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandManifest, ManifestFlag } from '../../src/devtools/command-surface.ts';

/** The folder of the package. */
export const ROOT = join(import.meta.dirname, '..', '..');

type Command = Required<Omit<CommandManifest['commands'][string], 'args'>> & {
  readonly args: Readonly<Record<string, Partial<ManifestFlag>>>;
};

/** Returns the commands of the built package by their ids, such as `users:create`. */
export const builtCommands = () =>
  (
    JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as {
      commands: Readonly<Record<string, Command>>;
    }
  ).commands;
