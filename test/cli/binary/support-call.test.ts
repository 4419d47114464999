/**
 * One support call under tmux, from the phone number to the traces: the number as people write it finds the caller, who
 * is verified, compared with a duplicate and decided on. What was said and searched for is nowhere afterwards.
 */
import { expect, test } from 'vitest';
import { filesWith } from '../../e2e/canary.ts';
import { jsonOf, runCli } from '../../support/cli.ts';
import { startDaemon } from '../../support/daemon.ts';
import { hasTmux, Tmux } from '../../support/tmux.ts';

const TAX = '618-45-6743';
const PHONE = '(415) 555-0100';
const NAME = 'Quillonda';
const WRONG_DAY = '11/30/1971';
const CALLER = {
  ...{ 'id.first_name': NAME, 'id.last_name': 'Doe', 'id.dob': '1990-01-09', 'id.ssn9': TAX },
  ...{ 'id.phone_number': '+14155550100', 'id.email': 'quillonda@doe.example' },
  ...{ 'id.address_line1': '1 Main St', 'id.city': 'Enclave', 'id.state': 'CA', 'id.zip': '94117' },
  'id.country': 'US',
};
const TWIN = { ...CALLER, 'id.phone_number': '+14155550199', 'id.email': 'other@doe.example' };
/** Each form in which what was typed or found could stand somewhere. */
const SECRETS = [TAX, TAX.replaceAll('-', ''), PHONE, '4155550100', NAME, WRONG_DAY, '1971-11-30'];

test.skipIf(!hasTmux)('a support call: from the phone number to a decision and its traces', async () => {
  await using daemon = await startDaemon({ isDurable: true });
  const { home } = daemon;
  const kyclone = async (argv: readonly string[], stdin = '') => await runCli([...argv], { home, stdin });
  const create = async (data: object, externalId: string) => {
    const argv = ['users', 'create', '--external-id', externalId, '--data', '-', '--json'];
    return String(jsonOf(await kyclone(argv, JSON.stringify(data)))['id']);
  };
  const caller = await create(CALLER, 'ext-caller-1');
  const twin = await create(TWIN, 'ext-twin-1');
  await kyclone(['users', 'kyc', caller, '--result', 'manual_review']);

  using terminal = new Tmux(home, { columns: 100, rows: 40 });
  const shown: string[] = [];
  const until = async (what: RegExp) => shown.push(await terminal.until(what));
  const enter = (text: string) => {
    terminal.sendRaw(text);
    terminal.press('Enter');
  };
  const row = (id: string) => `> \\S*${id.slice(-12)} `;
  terminal.kyclone('inspect', '--as', '"Ada Desk"');
  await until(/connected[^]*of 2/);

  terminal.press('/');
  enter(TAX);
  await until(/Looked for as [^]*tax number[^]*\/\*{5}6743 .*of 2/);
  terminal.press(':');
  enter(PHONE);
  await until(new RegExp(`Looked for as phone[^]*${row(caller)}.*fail, review +phone[^]*1 of 1`));
  terminal.press('Enter');
  await until(/Waits for a decision by hand[^]*date of birth +1990-\*\*-\*\*[^]*because of +\S/);

  terminal.press('2');
  await until(/\[Vault/);
  terminal.press('/');
  enter('dob');
  await until(/> .*id\.dob[^]*1 of 1/);
  for (const [said, result] of [
    [WRONG_DAY, 'does NOT match'],
    ['01/09/1990', 'matches'],
  ] as const) {
    terminal.press('v');
    await until(/^What is said:/m);
    enter(said);
    await until(/^Reason:/m);
    enter('call 4711');
    await until(new RegExp(`id\\.dob: ${result}`));
  }
  terminal.press('7');
  await until(new RegExp(row(twin)));
  terminal.press('=');
  await until(/\d+ same[^]*\d+ different/);
  terminal.press('Escape');
  await until(/\[Duplicates/);
  terminal.press('d');
  await until(/> 1 pass/);
  terminal.press('Enter');
  await until(/^Annotation:/m);
  enter('the hit is another person');
  await until(new RegExp(`${caller} gets the status pass by hand[^]*the reviewer is Ada Desk`));
  terminal.press('y');
  await until(/Decided: pass/);
  terminal.press('q');
  await until(/ended 0/);

  const audit = await kyclone(['audit', 'list']);
  expect(audit.stdout).toMatch(/ compare +granted .*Ada Desk/);
  expect(audit.stdout).toMatch(new RegExp(` verify +granted +${caller} +id\\.dob +Ada Desk .*call 4711`));
  expect(audit.stdout).toMatch(/ search +granted +- .*id\.ssn9.*Ada Desk/);
  expect(audit.stdout).toMatch(/ search +granted +- +id\.phone_number .*Ada Desk/);
  const decisions = await kyclone(['decisions', 'list', caller]);
  expect(decisions.stdout).toMatch(/pass.*Ada Desk/);
  const timeline = await kyclone(['users', 'timeline', caller]);
  expect(timeline.stdout).toMatch(/pass/);
  const journal = await kyclone(['requests', 'list']);
  const typing = shown.map((screen) => screen.replaceAll(/^[:/].*$|^ *What is said: .*$/gm, ''));
  const texts = [...typing, ...[audit, decisions, timeline, journal].map(({ stdout }) => stdout)].join('\n');
  for (const secret of SECRETS.filter((each) => each !== PHONE)) expect(texts).not.toContain(secret);
  expect(filesWith(home, 'ext-caller-1'), 'what is not sealed is found by this').not.toEqual([]);
  for (const secret of SECRETS) expect(filesWith(home, secret), secret).toEqual([]);
});
