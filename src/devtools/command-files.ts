/**
 * Where commands are: the default export of a file in `nouns/<noun>/commands` or `cli/commands` is a table of commands
 * by their ids. A file of `cli/commands` may have one command instead, named by the file's path.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const NAMED = 'src/cli/commands/';

/** The files with commands, from `src/` on. */
export function commandFiles(): string[] {
  return readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((name) => /^src\/(?:cli\/commands\/.*|nouns\/[^/]+\/commands(?:\/.*)?)\.ts$/.test(name))
    .filter((name) => readFileSync(root + name, 'utf8').includes('\nexport default '))
    .sort();
}

/** The id of the command that a file has unless it has a table; undefined for a file of a noun. */
export function namedCommand(file: string): string | undefined {
  return file.startsWith(NAMED) ? file.slice(NAMED.length, -'.ts'.length).replaceAll('/', ':') : undefined;
}
