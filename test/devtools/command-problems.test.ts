import { expect, test } from 'vitest';
import { commandProblems } from '../../src/devtools/command-problems.ts';

const examples = ['a', 'b'];

test('commandProblems: a command that has everything has none', () => {
  const commands = {
    'users:list': { id: 'users:list', examples },
    // Left out of --dry-run on purpose.
    'requests:tail': { id: 'requests:tail', examples },
    status: { id: 'status', examples },
  };
  expect(commandProblems({ commands }, { users: {}, requests: {} })).toEqual([]);
});

test('commandProblems: says what is missing, of which command, and where it belongs', () => {
  const commands = {
    'notes:old:list': { id: 'notes:old:list', examples: ['a'] },
    'users:list': { id: 'users:list' },
  };
  expect(commandProblems({ commands }, { users: {}, notes: {} })).toEqual([
    'notes old list: say in src/cli/capabilities/outputs.ts what it prints under --json',
    'notes old list: its help needs 2 examples',
    'users list: its help needs 2 examples',
    'notes:old: describe this topic in package.json, under oclif.topics',
  ]);
});

test('commandProblems: a command that calls the API has a topic that --dry-run is for', () => {
  const commands = { 'notes:list': { id: 'notes:list', examples } };
  expect(commandProblems({ commands }, { notes: {} }, { 'notes:list': 'GET /notes' })).toEqual([
    'notes list: calls the API and refuses --dry-run: name its topic in src/cli/shell/dry-run-commands.ts',
  ]);
  expect(commandProblems({ commands }, { notes: {} }, { 'notes:list': 'made_up' })).toEqual([]);
});
