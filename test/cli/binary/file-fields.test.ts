/** Files under file identifiers, beside text values: `vault set` and `create`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { cliIn, refusal } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';

const FRONT = 'document.id_card.front.image';
const BACK = 'document.id_card.back.image';

const daemon = useDaemon();
/** These bytes aren't valid text; none of them may be lost on the way. */
const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff, 0xfe]);
beforeAll(() => {
  writeFileSync(join(daemon().home, 'front.png'), bytes);
  writeFileSync(join(daemon().home, 'back.png'), bytes);
  writeFileSync(join(daemon().home, 'note.txt'), 'no image');
});

const { run, json } = cliIn(() => daemon().home);
const create = async (kind: string, ...more: string[]) =>
  String((await json([kind, 'create', ...more]))['id']);
const valuesOf = (id: string, ...identifiers: string[]) =>
  json(['vault', 'decrypt', id, ...identifiers, '--reason', 'a test']);

test('vault set: a file under an image is stored byte by byte, beside texts', async () => {
  const id = await create('users');
  const files = [`${FRONT}=@front.png`, `${BACK}=@back.png`];
  const set = await run(['vault', 'set', id, 'id.first_name=Jane', ...files]);
  expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining('Written') as string });
  const image = bytes.toString('base64');
  expect(await valuesOf(id, FRONT, BACK, 'id.first_name', 'document.id_card.front.mime_type')).toEqual({
    [FRONT]: image,
    [BACK]: image,
    'id.first_name': 'Jane',
    'document.id_card.front.mime_type': 'image/png',
  });
});

test('vault set: a business takes files under document.custom, and stdin is one', async () => {
  const id = await create('businesses');
  await json(['vault', 'set', id, 'document.custom.lease=-'], { stdin: 'a lease' });
  const values = await valuesOf(id, 'document.custom.lease');
  expect(values).toEqual({ 'document.custom.lease': Buffer.from('a lease').toString('base64') });
});

test('vault set: a file elsewhere is still the text of it', async () => {
  const id = await create('users');
  await run(['vault', 'set', id, 'custom.note=@note.txt']);
  expect(await valuesOf(id, 'custom.note')).toEqual({ 'custom.note': 'no image' });
});

test('vault set: the error for a refused file lists stored and unstored fields', async () => {
  const id = await create('users');
  const set = await run([
    'vault',
    'set',
    id,
    'id.first_name=Jane',
    `${FRONT}=@front.png`,
    'document.finra_compliance_letter=@note.txt',
    `${BACK}=@back.png`,
  ]);
  expect(set).toMatchObject({ code: 7, stdout: '' });
  expect(set.stderr).toContain(
    `written: id.first_name, ${FRONT}; not written: document.finra_compliance_letter, ${BACK}`,
  );
  expect(await json(['vault', 'get', id])).not.toHaveProperty([BACK]);
});

test('vault set: nothing is written when a text is refused or a file cannot be read', async () => {
  const id = await create('users');
  const refused = await run(['vault', 'set', id, `${FRONT}=@front.png`, 'id.dob=never']);
  expect(refused).toMatchObject({ code: 7 });
  expect(await run(['vault', 'set', id, 'id.first_name=Jane', `${FRONT}=@absent.png`])).toMatchObject(
    refusal(2, `${FRONT}: The file`),
  );
  expect(await run(['vault', 'get', id])).toMatchObject({
    stdout: expect.stringContaining('empty') as string,
  });
});

test.each([
  ['Only one value can come from stdin', [`${FRONT}=-`, `${BACK}=-`]],
  [`${FRONT} is given twice`, [`${FRONT}=@front.png`, `${FRONT}=@back.png`]],
  ['--dry-run shows one request, and this command sends 2', [`${FRONT}=@front.png`, 'id.dob=-', '--dry-run']],
])('vault set: %s is a mistake of usage', async (says, fields) => {
  const set = await run(['vault', 'set', 'fp_id_7p793EF07xKXHqAeg5VGPj', ...fields], { stdin: 'x' });
  expect(set).toMatchObject(refusal(2, says));
});

test('users create: accepts a file with texts; the error for a refused file names the created user', async () => {
  const id = await create('users', 'id.first_name=Jane', `${FRONT}=@front.png`);
  expect(await valuesOf(id, FRONT, 'id.first_name')).toEqual({
    [FRONT]: bytes.toString('base64'),
    'id.first_name': 'Jane',
  });
  const known = ['--external-id', 'cust-4711', 'id.first_name=Jane', `${FRONT}=@front.png`];
  const named = await create('users', ...known);
  expect(await valuesOf(named, FRONT)).toEqual({ [FRONT]: bytes.toString('base64') });
  const refused = await run(['users', 'create', 'id.first_name=Jane', `${FRONT}=@note.txt`]);
  expect(refused.code).toBe(7);
  expect(refused.stderr).toMatch(
    /fp_id_\w+ exists; written: id\.first_name; not written: document\.id_card\.front\.image/,
  );
});

test('users create: an argument that is not UTF-8 is refused, not stored with other letters', async () => {
  const under = ['sh', '-c', String.raw`exec "$@" "id.first_name=$(printf 'Jos\351')"`, 'sh'];
  const refused = await runCli(['users', 'create'], { home: daemon().home, under });
  expect(refused).toEqual(refusal(2, 'An argument is not UTF-8 text'));
  expect(refused.stderr).not.toContain('Jos');
});
