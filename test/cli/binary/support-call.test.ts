/**
 * One support call under tmux. The number in the form in which people write it finds the caller, whom the operator then
 * verifies. Afterwards no file, no command line and no response holds what was said or searched for.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesWith, formsOf, leaksBelow, leaksIn } from '../../e2e/canary.ts';
import { aReadyUser } from '../../support/builders.ts';
import { jsonOf, runCli } from '../../support/cli.ts';
import { startDaemon, type TestDaemon } from '../../support/daemon.ts';
import { ask } from '../../support/example-world.ts';
import { canRecordStarts, recordStarts } from '../../support/started-programs.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { hasTmux, Tmux } from '../../support/tmux.ts';

const TAX = '618-45-6743';
const PHONE = '(415) 555-0100';
const NAME = 'Quillonda';
const FULL_NAME = `${NAME} Doemont`;
const MAIL = 'caller.canary@doe.example';
const WRONG_DAY = '11/30/1971';
const CALLER = aReadyUser({
  'id.first_name': NAME,
  'id.last_name': 'Doemont',
  'id.dob': '1990-01-09',
  'id.ssn9': TAX,
  'id.phone_number': '+14155550100',
  'id.email': MAIL,
});
const TWIN = { ...CALLER, 'id.phone_number': '+14155550199', 'id.email': 'other@doe.example' };
/**
 * What a caller says, and as which kind of value the search finds it. `isOnes` is false when the twin has the same
 * value.
 */
const STATED = [
  { value: TAX, as: 'tax number', isOnes: false },
  { value: MAIL, as: 'e-mail', isOnes: true },
  { value: FULL_NAME, as: 'name', isOnes: false },
  { value: PHONE, as: 'phone', isOnes: true },
] as const;
/** Everything that was typed or found, in the forms in which it could be written down. */
const SECRETS = [
  TAX,
  TAX.replaceAll('-', ''),
  PHONE,
  '4155550100',
  NAME,
  'Doemont',
  MAIL,
  WRONG_DAY,
  '1971-11-30',
];
/** The lines in which the inspector shows what its user types and by what a list is filtered. */
const TYPED = /^[:/].*$|^ *What the caller says: .*$| \/\S.*$/gm;
const FORMS = SECRETS.flatMap(formsOf);

interface Journal {
  readonly data: readonly { readonly id: string; readonly path: string }[];
  readonly meta: { readonly next: string | null };
}

/** Returns all requests of the journal, newest first. */
async function journalOf(daemon: TestDaemon): Promise<Journal['data']> {
  const requests: Journal['data'][number][] = [];
  for (let next: string | null = ''; next !== null;) {
    const cursor = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
    const path = `/_kyclone/requests?control=true&page_size=100${cursor}`;
    const { data, meta } = (await ask(daemon, 'GET', path)) as unknown as Journal;
    requests.push(...data);
    next = meta.next;
  }
  return requests;
}

test.skipIf(!hasTmux)('a support call: from the phone number to its traces', async () => {
  using folder = tempDir();
  const home = folder.path;
  const environment = { TMPDIR: join(home, 'tmp') };
  mkdirSync(environment.TMPDIR);
  const log = join(home, 'daemon.log');
  await using daemon = await startDaemon({
    home,
    environment,
    isDurable: true,
    options: ['--log-file', log],
  });
  const kyclone = async (argv: readonly string[], stdin = '') =>
    await runCli([...argv], { home, environment, stdin });
  const create = async (data: object, externalId: string) => {
    const argv = ['users', 'create', '--external-id', externalId, '--data', '-', '--json'];
    return String(jsonOf(await kyclone(argv, JSON.stringify(data)))['id']);
  };
  const caller = await create(CALLER, 'ext-caller-1');
  await create(TWIN, 'ext-twin-1');
  await kyclone(['users', 'kyc', caller, '--result', 'manual_review']);

  const started = join(home, 'started');
  using terminal = new Tmux(home, {
    columns: 100,
    rows: 40,
    environment,
    before: canRecordStarts ? recordStarts(started) : [],
  });
  const shown: string[] = [];
  const until = async (what: RegExp) => shown.push(await terminal.until(what));
  const enter = (text: string) => {
    terminal.sendRaw(text);
    terminal.press('Enter');
  };
  const row = (id: string) => `> \\S*${id.slice(-12)} `;
  terminal.kyclone('inspect', '--as', '"Ada Desk"');
  await until(/connected[^]*of 2/);

  for (const key of ['/', ':']) {
    for (const { value, as, isOnes } of STATED) {
      terminal.press(key, 'C-u');
      enter(value);
      await until(new RegExp(`Looked for as [^]*${as}[^]*${isOnes ? '1 of 1' : 'of 2'}`));
    }
  }
  await until(new RegExp(`${row(caller)}.*fail, review +phone`));
  terminal.press('Enter');
  await until(/Waits for a decision by hand[^]*date of birth +1990-\*\*-\*\*[^]*because of +\S/);

  terminal.press('2');
  await until(/\[Vault/);
  terminal.press('/');
  enter('dob');
  await until(/> .*id\.dob[^]*1 of 1/);
  for (const [value, result] of [
    [WRONG_DAY, 'does NOT match'],
    ['01/09/1990', 'matches'],
  ] as const) {
    terminal.press('v');
    await until(/^What the caller says:/m);
    enter(value);
    await until(/^Reason:/m);
    enter('call 4711');
    await until(new RegExp(`id\\.dob: ${result}`));
    // The result stays on the screen after the next keys.
    terminal.press('j', 'k', '?');
    await until(/next row/);
    terminal.press('?');
    await until(new RegExp(`id\\.dob: ${result} \\(escape clears this\\)`));
  }
  terminal.press('q');
  await until(/ended 0/);

  terminal.kyclone('inspect', '--as', '"Ada Desk"', '--user', '?');
  await until(/User or business \(--user\)/);
  enter(MAIL);
  await until(/because of +\S/);
  terminal.press('q');
  await until(/ended 0/);

  const audit = await kyclone(['audit', 'list', '--page-size', '100']);
  expect(audit.stdout).toMatch(
    new RegExp(` verify +granted +${caller} +id\\.dob: match +Ada Desk .*call 4711`),
  );
  for (const by of ['id.ssn9', 'id.phone_number', 'id.email', 'id.last_name'])
    expect(audit.stdout).toMatch(new RegExp(` search +granted +- .*${by.replace('.', '\\.')}.*Ada Desk`));
  const rows = await ask(daemon, 'GET', '/_kyclone/access-log?page_size=100');
  const printed: string[] = [];
  const requests = await journalOf(daemon);
  expect(requests.filter(({ path }) => path.startsWith('/_kyclone/search')).length).toBeGreaterThan(8);
  for (const { id } of requests)
    printed.push(JSON.stringify(await ask(daemon, 'GET', `/_kyclone/requests/${id}`)));
  const typing = shown.map((screen) => screen.replaceAll(TYPED, ''));
  const texts = [...typing, audit.stdout, ...printed, JSON.stringify([rows, requests])].join('\n');
  expect(leaksIn('what was shown', Buffer.from(texts), FORMS)).toEqual([]);

  // The list of started programs is one of these files.
  if (canRecordStarts) expect(readFileSync(started, 'utf8')).toContain('kyclone.js", "inspect"');
  expect(readFileSync(log, 'utf8')).toContain('search');
  expect(filesWith(home, 'ext-caller-1'), 'what is not sealed is found by this').not.toEqual([]);
  expect(leaksBelow(home, FORMS), 'while the daemon runs').toEqual([]);
  await daemon.end();
  expect(leaksBelow(home, FORMS), 'after it has stopped').toEqual([]);
});
