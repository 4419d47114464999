import { expect, test } from 'vitest';
import { commandProblems } from '../../src/devtools/generate.ts';

const examples = ['a', 'b'];

test('commandProblems: a command that has everything has none', () => {
  const commands = {
    'users:list': { id: 'users:list', examples },
    // `requests:tail` lacks --dry-run on purpose.
    'requests:tail': { id: 'requests:tail', examples },
    status: { id: 'status', examples },
  };
  expect(commandProblems({ commands }, { users: {}, requests: {} })).toEqual([]);
});

test('commandProblems: says what is missing, of which command, and where it belongs', () => {
  const commands = {
    'stamps:old:list': { id: 'stamps:old:list', examples: ['a'] },
    'users:list': { id: 'users:list' },
  };
  expect(commandProblems({ commands }, { users: {}, stamps: {} })).toEqual([
    'stamps old list: say in src/cli/capabilities/outputs.ts what it prints under --json',
    'stamps old list: its help needs 2 examples; add them where the command is, then build',
    'users list: its help needs 2 examples; add them where the command is, then build',
    'stamps:old: describe this topic in package.json, under oclif.topics',
  ]);
});

test('commandProblems: a command that calls the API has a topic that --dry-run is for', () => {
  const commands = {
    'stamps:list': { id: 'stamps:list', examples, endpoint: 'GET /stamps' },
    'fake:user': { id: 'fake:user', examples },
  };
  expect(commandProblems({ commands }, { stamps: {}, fake: {} })).toEqual([
    'stamps list: calls the API and refuses --dry-run: add its topic to src/cli/shell/dry-run-commands.ts',
  ]);
});
