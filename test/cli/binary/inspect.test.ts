/** The inspector as its user runs it: the real binary on a real terminal, with a real daemon. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { aPng } from '../../support/builders.ts';
import { startDaemon, type TestDaemon } from '../../support/daemon.ts';
import { hasTerminal, runOnTerminal } from '../../support/terminal.ts';
import { hasTmux, Tmux } from '../../support/tmux.ts';

async function aUser({ url, apiKey }: TestDaemon, externalId: string): Promise<string> {
  const reply = await fetch(`${url}/users`, {
    method: 'POST',
    headers: { 'x-service-secret-key': apiKey, 'x-external-id': externalId },
  });
  return ((await reply.json()) as { id: string }).id;
}

/** Returns the process of the inspector on the terminal. */
function inspectorOf(terminal: Tmux): number {
  const all = execFileSync('ps', ['-t', terminal.tty(), '-o', 'pid=,args='], { encoding: 'utf8' });
  return Number.parseInt(
    all.split('\n').find((line) => / inspect(?: --readonly)?$/.test(line.trimEnd())) ?? '',
    10,
  );
}

const GIVEN_BACK = { isAlternate: false, hasCursor: true, wraps: true };

test.skipIf(!hasTmux)(
  'inspect: opens, moves, filters, helps, draws what changes, and q gives the terminal back',
  async () => {
    await using daemon = await startDaemon();
    const first = await aUser(daemon, 'ext-first-0001');
    const second = await aUser(daemon, 'ext-second-0002');
    using terminal = new Tmux(daemon.home);
    await terminal.until(/\$/);
    const settings = terminal.settings();
    terminal.kyclone('inspect', '--as', 'Ada');
    await terminal.until(/connected[^]*1 of 2/);
    expect(terminal.modes()).toEqual({ isAlternate: true, hasCursor: false, wraps: false });
    terminal.press('j');
    expect(await terminal.until(/2 of 2/)).toContain(`> ${first}`);
    terminal.press('k', '/');
    terminal.press(...Array.from('ext-first'), 'Enter');
    await terminal.until(new RegExp(`^(?![^]*${second})[^]*${first}[^]*/ext-first`));
    await terminal.until(/1 of 1/);
    terminal.press('Escape');
    await terminal.until(/of 2/);
    terminal.press('?');
    await terminal.until(/next row/);
    terminal.press('?', 'g');
    const third = await aUser(daemon, 'ext-third-0003');
    expect(await terminal.until(/of 3\s*$/)).toContain(third);
    terminal.resize(60, 16);
    const small = await terminal.until(/USER.*\n[^]*of 3\s*$/);
    expect(Math.max(...small.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(small.match(/kyclone {2}default/g)).toHaveLength(1);
    terminal.resize(130, 40);
    await terminal.until(/EXTERNAL ID[^]*ext-third-0003/);
    terminal.resize(30, 8);
    await terminal.until(/^Too small/);
    terminal.resize(31, 9);
    await terminal.until(/^Too small: 31 x 9/);
    terminal.resize(100, 30);
    await terminal.until(/1 of 3|2 of 3|3 of 3/);
    terminal.press('q');
    expect(await terminal.until(/ended \d/)).toContain('ended 0');
    expect(terminal.modes()).toEqual(GIVEN_BACK);
    expect(terminal.settings()).toBe(settings);
  },
);

test.skipIf(!hasTmux)('inspect: stopped and resumed, it draws again and reads keys again', async () => {
  await using daemon = await startDaemon();
  using terminal = new Tmux(daemon.home);
  await terminal.until(/\$/);
  terminal.kyclone('inspect', '--readonly');
  await terminal.until(/read only[^]*connected[^]*No users/);
  process.kill(inspectorOf(terminal), 'SIGSTOP');
  await terminal.until(/Stopped/i);
  // The shell leaves the terminal in raw mode, where Enter doesn't end a line.
  terminal.press('f', 'g', 'C-j');
  await terminal.until(/^(?![^]*Stopped)[^]*connected[^]*No users/);
  terminal.press('?');
  await terminal.until(/next row/);
  expect(terminal.modes()).toEqual({ isAlternate: true, hasCursor: false, wraps: false });
  terminal.press('C-c');
  await terminal.until(/\$\s*$/);
  expect(terminal.modes()).toEqual(GIVEN_BACK);
});

test.skipIf(!hasTmux)('inspect: ctrl-Z gives the terminal back, and fg draws again', async () => {
  await using daemon = await startDaemon();
  using terminal = new Tmux(daemon.home);
  await terminal.until(/\$/);
  const settings = terminal.settings();
  terminal.run('set -m; clear');
  terminal.kyclone('inspect');
  await terminal.until(/connected[^]*No users/);
  terminal.press('C-z');
  await terminal.until(/Stopped/i);
  expect(terminal.modes()).toEqual(GIVEN_BACK);
  expect(terminal.settings()).toBe(settings);
  terminal.run('fg');
  await terminal.until(/^(?![^]*Stopped)[^]*connected[^]*No users/);
  terminal.press('?');
  await terminal.until(/next row/);
  terminal.press('C-c');
  await terminal.until(/\$\s*$/);
  expect(terminal.modes()).toEqual(GIVEN_BACK);
});

test.skipIf(!hasTmux)(
  'inspect: the mouse selects and opens, the wheel moves, y copies through tmux, a pasted text is a filter',
  async () => {
    await using daemon = await startDaemon();
    const users: string[] = [];
    for (let serial = 1; serial <= 5; serial += 1) users.push(await aUser(daemon, `ext-${serial}`));
    using terminal = new Tmux(daemon.home);
    await terminal.until(/\$/);
    terminal.kyclone('inspect', '--as', 'Ada');
    const lines = (await terminal.until(/1 of 5/)).split('\n');
    // The test clicks the second user, because the wheel selects another one.
    const row = lines.findIndex((line) => line.includes('ext-')) + 1;
    const [clicked = ''] = /ext-\d/.exec(lines[row] ?? '') ?? [];
    terminal.sendRaw('\u001b[<65;10;5M');
    await terminal.until(/4 of 5/);
    terminal.sendRaw(`\u001b[<0;10;${row + 1}M\u001b[<0;10;${row + 1}m`);
    await terminal.until(new RegExp(`> fp_id_\\S+.*${clicked}`));
    terminal.sendRaw(`\u001b[<0;10;${row + 1}M`);
    await terminal.until(/Users › User/);
    terminal.press('Escape');
    await terminal.until(/of 5/);
    terminal.press('y');
    const [, id = ''] = /Copied: (fp_id_\S+)/.exec(await terminal.until(/Copied: fp_id_/)) ?? [];
    expect(terminal.buffer(), 'tmux has it without allow-passthrough').toBe(id);
    terminal.paste('ext-4\n');
    await terminal.until(/\/ext-4/);
    terminal.press('Enter');
    // The search finds the user by its external id and says so.
    await terminal.until(new RegExp(`> ${users[3]} .*external id[^]*/ext-4  1 of 1`));
    terminal.press('C-c');
    await terminal.until(/ended 0/);
    expect(terminal.modes()).toEqual(GIVEN_BACK);
  },
);

test.skipIf(!hasTmux).each<[string, (terminal: Tmux) => unknown, number]>([
  ['ctrl-C leaves, whatever is open', (terminal) => terminal.press(':', 'C-c'), 0],
  ['a signal ends it with its code', (terminal) => process.kill(inspectorOf(terminal), 'SIGTERM'), 143],
])('inspect: %s, and the terminal is given back', async (_, act, code) => {
  await using daemon = await startDaemon();
  using terminal = new Tmux(daemon.home);
  await terminal.until(/\$/);
  const settings = terminal.settings();
  terminal.kyclone('inspect');
  await terminal.until(/connected[^]*No users/);
  act(terminal);
  expect(await terminal.until(/ended \d/)).toContain(`ended ${code}`);
  expect(terminal.modes()).toEqual(GIVEN_BACK);
  expect(terminal.settings()).toBe(settings);
});

test.skipIf(!hasTerminal)('inspect: an image takes the place of the window until any key', async () => {
  await using daemon = await startDaemon();
  const id = await aUser(daemon, 'ext-1');
  await fetch(`${daemon.url}/users/${id}/vault/document.passport.front.image/upload`, {
    method: 'POST',
    headers: { 'x-service-secret-key': daemon.apiKey, 'content-type': 'image/png' },
    body: aPng(),
  });
  const { code, screen } = await runOnTerminal(['inspect', '--user', id, '--as', 'Ada'], {
    home: daemon.home,
    environment: { TERM: 'xterm-kitty' },
    typing: [
      { after: /connected/, keys: '\t\t' },
      { after: /\[Documents 1\][^]*x reveal/, keys: 'x' },
      { after: /Reason \(typed below\)/, keys: 'why\r' },
      { after: /\u001b_Ga=T,[^]*any key goes back/, keys: 'j' },
      { after: /\[Documents 1\][^]*The image was shown/, keys: 'q' },
    ],
  });
  expect(code).toBe(0);
  expect(screen.split('\u001b_Ga=T,')).toHaveLength(2);
});
