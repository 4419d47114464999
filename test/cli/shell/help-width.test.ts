/** The help of every command and topic fits a terminal of 80 columns. */
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../../support/cli-in-process.ts';
import { builtCommands, ROOT } from '../../support/root.ts';
import '../../support/tier-all.ts';

const COLUMNS = 80;
const commands = builtCommands();
const ids = Object.keys(commands);
const topics = [
  ...new Set(
    ids.flatMap((id) =>
      id
        .split(':')
        .slice(0, -1)
        .map((_, n, all) => all.slice(0, n + 1).join(':')),
    ),
  ),
];

async function helpOf(...argv: string[]): Promise<string> {
  const shown = await runInProcess(argv, { home: ROOT, environment: { NO_COLOR: '1' } });
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  return shown.stdout;
}

/** Help doesn't break a command line that is to be copied, nor a word. */
const mayBeLong = (line: string) =>
  /^ +(?:\$ |.*(?:\(|\| )kyclone )/.test(line) || !line.trim().includes(' ');

function expectToFit(help: string): void {
  expect(help.split('\n').filter((line) => line.length > COLUMNS && !mayBeLong(line))).toEqual([]);
  expect(help).not.toMatch(/\u001b|<%/);
}

describe.each(ids)('%s', (id) => {
  test('help: fits 80 columns and says the summary once', async () => {
    const help = await helpOf(...id.split(':'), '--help');
    expectToFit(help);
    const flat = help.replace(/\s+/g, ' ');
    const summary = (commands[id]?.summary ?? '').replace(/\s+/g, ' ');
    expect(flat.split(summary)).toHaveLength(2);
  });

  test("help: the usage has the command's own flags, and one word for the global ones", async () => {
    const [, usage = ''] = /\nUSAGE\n([\s\S]*?)\n\n/.exec(await helpOf(...id.split(':'), '--help')) ?? [];
    if (id !== 'exec') expect(usage).toMatch(/ \[GLOBAL FLAGS\]$/);
    for (const [name, { helpGroup, char, hidden }] of Object.entries(commands[id]?.flags ?? {})) {
      const isShown = new RegExp(`[[( ](?:--${name}|-${char ?? '\\0'})(?=[ \\])]|$)`, 'm').test(usage);
      if (id !== 'exec') expect(isShown, name).toBe(helpGroup !== 'GLOBAL' && hidden !== true);
    }
    // A global flag that another excludes leaves no place.
    expect(usage).not.toMatch(/\|\s*[\])]/);
    // `--as NAME` stays on one line.
    expect(usage).not.toMatch(/-[a-z-]+\n +[^[(|]/);
  });
});

test.each(topics)('help: that of the topic %s fits 80 columns and names its commands', async (topic) => {
  const help = await helpOf('help', ...topic.split(':'));
  expectToFit(help);
  const below = ids.filter(
    (id) => id.startsWith(`${topic}:`) && id.split(':').length === topic.split(':').length + 1,
  );
  for (const id of below.filter((each) => each !== 'completion:ids'))
    expect(help).toContain(`  ${id.replaceAll(':', ' ')} `);
});

test('help: a summary in the list of a topic is wrapped once', async () => {
  expect(await helpOf('help', 'users')).toMatch(/\n +1 when it is not accepted\n/);
});

test('help: that of the program fits 80 columns and names every topic and command', async () => {
  const help = await helpOf('--help');
  expectToFit(help);
  for (const name of new Set(ids.map((id) => id.split(':')[0] ?? '')))
    expect(help).toMatch(new RegExp(`^  ${name} `, 'm'));
});

test.each([
  ['exec', false],
  ['users get', true],
])('help: --dry-run is offered by %s: %s', async (command, isOffered) => {
  expect(/^ +--dry-run /m.test(await helpOf('help', ...command.split(' ')))).toBe(isOffered);
});

test('help: the flags of a command come before the global ones, and choices in lines', async () => {
  const help = await helpOf('help', 'playbooks', 'create');
  expect([...help.matchAll(/^[A-Z ]+$/gm)].map(([heading]) => heading)).toEqual([
    'USAGE',
    'ARGUMENTS',
    'FLAGS',
    'GLOBAL FLAGS',
    'DESCRIPTION',
    'EXAMPLES',
  ]);
  expect(help).toMatch(
    /^ +--kind=<option> +\(required\) kind of the playbook\n +one of: kyc, kyb, document$/m,
  );
  expect(help).toMatch(/\n +passport_card, permit, visa, /);
});
