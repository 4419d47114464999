/** The verbs of the command line (docs/glossary.md#verbs), and the former names of commands. */
import { describe, expect, test } from 'vitest';
import { cliIn } from '../support/cli-in-process.ts';
import { builtCommands } from '../support/root.ts';
import { useDaemon } from '../support/use-shared.ts';

const commands = builtCommands();

const OLD_WORDS = {
  'bank personas show': 'bank personas get',
  'clock show': 'clock get',
  'config unset': 'config delete',
  'decisions make': 'decisions create',
  'faults add': 'faults create',
  'faults clear': 'faults delete',
  'keyring add-slot': 'keyring slots create',
  'keyring remove-slot': 'keyring slots delete',
  'keys revoke': 'keys delete',
  'onboardings begin': 'onboardings start',
  'outcomes add': 'outcomes create',
  'outcomes remove': 'outcomes delete',
  'requests clear': 'requests delete',
  'requests show': 'requests get',
  'snapshot save': 'snapshot create',
  'snapshot show': 'snapshot get',
  'tokens revoke': 'tokens delete',
  'webhooks add': 'webhooks create',
  'webhooks endpoints': 'webhooks list',
  'webhooks remove': 'webhooks delete',
};
const OTHER_VERBS = /^(?:add|remove|rm|show|new|make|begin|clear|unset|revoke|save)(?:-|$)/;

test('kept things are listed, got, created, updated and deleted', () => {
  const verbs = Object.keys(commands).filter((id) => OTHER_VERBS.test(id.split(':').at(-1) ?? ''));
  expect(verbs).toEqual([]);
});

test('aliases: the words of before, and none is the name of another command', () => {
  const aliases = Object.entries(commands).flatMap(([id, command]) =>
    command.aliases.map((alias) => [alias.replaceAll(':', ' '), id.replaceAll(':', ' ')]),
  );
  expect(Object.fromEntries(aliases.sort())).toEqual(OLD_WORDS);
  expect(Object.keys(OLD_WORDS).filter((words) => words.replaceAll(' ', ':') in commands)).toEqual([]);
});

describe('old words', () => {
  const daemon = useDaemon();
  const cli = cliIn(() => daemon().home);
  const run = (words: string, ...rest: string[]) => cli.run([...words.split(' '), ...rest]);

  test.each(Object.entries(OLD_WORDS))('%s runs %s', async (before, now) => {
    const help = await run(now, '--help');
    expect(help.code).toBe(0);
    expect(help.stdout).toContain(`$ kyclone ${now}`);
    expect(await run(before, '--help')).toEqual(help);
    // The command itself refuses an unknown flag, so the same refusal shows that both names reach the same command.
    const refused = await run(now, '--no-such-flag');
    expect(refused.code).toBe(2);
    expect(await run(before, '--no-such-flag')).toEqual(refused);
  });

  test('they do what the new ones do, also behind global flags', async () => {
    const made = await cli.run(['--json', 'webhooks', 'add', 'http://127.0.0.1:9/hooks', '--disabled']);
    expect(made.code).toBe(0);
    const { id } = JSON.parse(made.stdout) as { id: string };
    const [before, now] = [await run('webhooks endpoints', '--json'), await run('webhooks list', '--json')];
    expect(before).toEqual(now);
    expect(now.stdout).toContain(id);
    expect((await run('webhooks remove', id)).code).toBe(0);
    expect((await run('webhooks list', '--json')).stdout).not.toContain(id);
  });

  test('the help of a topic lists new words only', async () => {
    const { stdout } = await run('webhooks', '--help');
    expect(stdout).toContain('webhooks create');
    expect(stdout).not.toMatch(/webhooks (?:add|remove|endpoints)\b/);
  });
});
