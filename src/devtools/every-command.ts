/**
 * Every command by its id, for oclif's manifest. A file of `cli/commands` has one command, named by the file's path,
 * or a table of commands by their ids. The manifest then says where each is.
 */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { BaseCommand } from '../cli/shell/base-command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'src/cli/commands');

type Command = typeof BaseCommand<unknown>;

/** Whether a command is in a table, rather than in the file of its name. */
export function isTable(file: string, id: string): boolean {
  return !file.endsWith(`/commands/${id.replaceAll(':', '/')}.ts`);
}

async function commandsOf(path: string): Promise<[string, Command][]> {
  const { default: content } = (await import(pathToFileURL(path).href)) as {
    default: Command | Readonly<Record<string, Command>>;
  };
  const id = relative(folder, path).replace(/\.ts$/, '').replaceAll(/[\\/]/g, ':');
  const own: [string, Command][] = typeof content === 'function' ? [[id, content]] : Object.entries(content);
  for (const [, command] of own)
    Object.assign(command, { isESM: true, relativePath: relative(root, path).split(/[\\/]/) });
  return own;
}

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort();
const found = await Promise.all(files.map(async (name) => await commandsOf(join(folder, name))));
const commands = Object.fromEntries(found.flat());

export default commands;
