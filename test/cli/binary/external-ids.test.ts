/** The caller's own ids, wherever a command takes an id, and the message about an id that doesn't exist. */
import { expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { cliIn, refusal, runInProcess } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';

const daemon = useDaemon();
const { run } = cliIn(() => daemon().home);

test('external ids: users create takes values beside one, and doing it again changes nothing', async () => {
  const made = jsonOf(await run('users create --external-id cust-4711 id.first_name=Jane --json'));
  const again = jsonOf(await run('users create --external-id cust-4711 id.first_name=Jane --json'));
  expect(again['id']).toBe(made['id']);
  expect(await run('users create --external-id cust-4712 id.dob=never')).toMatchObject(
    refusal(7, /fp_id_\w+ exists, and none/),
  );
});

test('external ids: commands and flags that take an id take one', async () => {
  const { id } = jsonOf(await run('users get cust-4711 --json'));
  for (const line of ['vault get cust-4711', 'risk-signals list cust-4711', 'audit list --entity cust-4711'])
    expect(await run(line), line).toMatchObject({ code: 0 });
  const sent = await run('webhooks trigger onboarding.completed --fp-id cust-4711 --json');
  expect(sent.stdout).toContain(String(id));
});

test('ids: pasted with quotes, a comma or blanks they are understood, external ones too', async () => {
  const { id } = jsonOf(await run('users get cust-4711 --json'));
  for (const pasted of [`"${String(id)}",`, ` ${String(id)} `, '"cust-4711",']) {
    const found = await runInProcess(['users', 'get', pasted, '--json'], { home: daemon().home });
    expect(jsonOf(found), pasted).toMatchObject({ id });
  }
  expect(await run(`vault decrypt id.dob ${String(id)} --reason test`)).toMatchObject(
    refusal(2, /wrong order.*\n.*vault decrypt FP_ID IDENTIFIERS/),
  );
  for (const line of ['vault decrypt cust-4711 id.dob --reason support case', 'status --as Jane Doe'])
    expect((await run(line)).stderr, line).toMatch(
      /--(?:reason|as) takes one text: put several words in quotes/,
    );
});

test('external ids: owners of a business and rules of outcomes take one', async () => {
  const user = jsonOf(await run('users get cust-4711 --json'))['id'];
  await run('businesses create --external-id firm-4711 business.name=Acme');
  const owners = await run('businesses owners firm-4711 --add cust-4711=60 --json');
  expect(JSON.parse(owners.stdout)).toMatchObject({ data: [{ fp_id: user, ownership_stake: 60 }] });
  expect(await run('businesses owners firm-4711 --add nobody-here=10')).toMatchObject(
    refusal(6, '--add is not an id, and the search finds no user'),
  );
  const rule = jsonOf(await run('outcomes create fail --fp-id cust-4711 --json'));
  expect(rule).toMatchObject({ match: { fp_id: user } });
  const pattern = jsonOf(await run('outcomes create fail --fp-id fp_id_* --json'));
  expect(pattern).toMatchObject({ match: { fp_id: 'fp_id_*' } });
});

test('external ids: are looked for in the environment that is meant', async () => {
  const live = jsonOf(await run('users create --external-id cust-live --live --json'))['id'];
  expect(await run('users get cust-live')).toMatchObject({ code: 6 });
  expect(jsonOf(await run('users get cust-live --live --json'))).toMatchObject({ id: live });
  const rule = jsonOf(await run('outcomes create fail --fp-id cust-live --live --json'));
  expect(rule).toMatchObject({ match: { fp_id: live } });
  expect(await run('audit list --entity cust-live'), 'a command about both').toMatchObject({ code: 0 });

  await run('users create --external-id in-both');
  await run('users create --external-id in-both --live');
  expect(await run('audit list --entity in-both')).toMatchObject(refusal(2, 'more than one: fp_id_'));
});

test.each([
  ['users get nobody-here', 6, 'FP_ID is not an id, and the search finds no user'],
  ['users get x', 6, 'as name it needs 2 letters'],
  ['businesses get cust-4711', 6, 'FP_BID is the external id of a user: fp_id_'],
  ['users get fp_bid_7p793EF07xKXHqAeg5VGPj', 2, 'this is the id of a business'],
  ['bank link --user fp_bid_7p793EF07xKXHqAeg5VGPj', 2, 'this is the id of a business'],
  ['audit list --entity fp_id_zzzzzzzzzzzzzzzzzzzzzz', 6, 'There is no user or business with this id'],
  ['vault get cust-4711 --dry-run', 2, '--dry-run sends nothing'],
  ['vault set cust-4711', 2, 'There is nothing to write'],
  ['users create --external-id x😀xxxx', 7, '--external-id holds a character'],
  ['users create --external-id a', 7, '--external-id must be 5 to 256 letters, digits'],
  ['users create --external-id a', 7, 'Hint: kyclone requests get req_'],
  ['exec -- no-such-command', 127, 'The command no-such-command was not found'],
])('%s: is reported precisely, with exit code %i', async (line, code, says) => {
  expect(await run(line)).toMatchObject(refusal(code, says));
});

test('start, proxy echo: a port of an own instance names it', async () => {
  const { port } = new URL(daemon().url);
  const names: string[] = [];
  for (const line of [`start --instance other --ephemeral --port ${port}`, `proxy echo --port ${port}`]) {
    const refused = await run(line);
    expect(refused, line).toMatchObject({ code: 8 });
    names.push(/^Error: Port (.*)$/m.exec(refused.stderr)?.[1] ?? '');
  }
  expect(new Set(names)).toEqual(new Set([`${port} is taken by your instance default`]));
});
