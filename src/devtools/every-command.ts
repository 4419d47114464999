/** Every command by its id, for oclif's manifest, which also has the file of each. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { BaseCommand } from '../cli/shell/base-command.ts';
import { commandFiles, namedCommand } from './command-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

type Command = typeof BaseCommand<unknown>;

async function commandsOf(file: string): Promise<[string, Command][]> {
  const { default: content } = (await import(pathToFileURL(join(root, file)).href)) as {
    default: Command | Readonly<Record<string, Command>>;
  };
  const own = typeof content === 'function' ? { [namedCommand(file) ?? '']: content } : content;
  for (const command of Object.values(own))
    Object.assign(command, { isESM: true, relativePath: file.split('/') });
  return Object.entries(own);
}

const found = await Promise.all(commandFiles().map(commandsOf));
const commands = Object.fromEntries(found.flat());

export default commands;
