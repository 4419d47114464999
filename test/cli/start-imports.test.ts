/**
 * A start stays fast: what a command imports before it runs holds none of the large libraries (docs/architecture.md).
 */
import { expect, test } from 'vitest';
import { commandFiles } from '../../src/devtools/command-files.ts';
import { wayTo } from '../support/static-imports.ts';

const LIBRARY = '@sinclair/typebox';
/** These commands only check bodies against the schemas, so they may import them. */
const NEEDS_SCHEMAS = [
  'src/cli/commands/fixtures/check.ts',
  ...['record', 'replay', 'run'].map((verb) => `src/cli/commands/compare/${verb}.ts`),
];

const commands = commandFiles();

test('imports: no command loads the schema library at its start, but those that check by schemas', () => {
  const entries = ['src/cli/main.ts', 'src/client/client.ts', 'src/tui/index.ts', ...commands];
  const ways = entries
    .filter((entry) => !NEEDS_SCHEMAS.includes(entry))
    .flatMap((entry) => wayTo(LIBRARY, entry) ?? []);
  expect(ways).toEqual([]);
});

test('imports: the way to the library is found where there is one', () => {
  for (const entry of NEEDS_SCHEMAS) {
    const way = wayTo(LIBRARY, entry) ?? '';
    expect(way.startsWith(`${entry} > `)).toBe(true);
    expect(way).toMatch(/src\/(?:contract|cli\/compare)\//);
  }
});

test.each([
  // `proxy echo` makes certificates when its sink starts, not at import.
  '@peculiar/x509',
  'reflect-metadata',
  '@faker-js/faker',
  '@inquirer/',
  'conf',
])('imports: no command loads %s at its start', (library) => {
  expect(commands.flatMap((entry) => wayTo(library, entry) ?? [])).toEqual([]);
});
