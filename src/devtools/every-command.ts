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
  for (const [id, command] of Object.entries(own)) {
    const examples = command.examples.map((example) => wholeExample(example, id));
    Object.assign(command, { isESM: true, relativePath: file.split('/'), examples });
  }
  return Object.entries(own);
}

/** The example as people type it; see BaseCommand. */
function wholeExample(example: string, id: string): string {
  const [words = '', ...title] = example.split('\n').reverse();
  const program = example.includes('<%=') ? [] : ['<%= config.bin %>', ...id.split(':')];
  const line = [...program, words].join(' ').trimEnd();
  return [...title, line].join('\n').replaceAll('…', '7p793EF07xKXHqAeg5VGPj');
}

const found = await Promise.all(commandFiles().map(commandsOf));
const commands = Object.fromEntries(found.flat());

export default commands;
