/** Lists that a program reads: each row is one line, and nothing is cut. */
import { beforeAll, expect, test } from 'vitest';
import { aReadyUser, asFields } from '../../support/builders.ts';
import { cliIn } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';

const daemon = useDaemon();
let user: string;
let link: string;
beforeAll(async () => {
  ({ id: user } = await json<{ id: string }>(['users', 'create', ...asFields(aReadyUser())]));
  ({ id: link } = await json<{ id: string }>(`bank link --user ${user} --persona investor`));
  await json(`users kyc ${user} --result pass`);
});

const { run, json } = cliIn(() => daemon().home);

/** Returns every text under this name in a response, at any depth. */
function textsOf(answer: unknown, member: string): string[] {
  if (typeof answer !== 'object' || answer === null) return [];
  return Object.entries(answer).flatMap(([name, value]) =>
    name === member && typeof value === 'string' ? [value] : textsOf(value, member),
  );
}

test.each([
  ['onboardings list USER', 'playbook_key'],
  ['bank accounts LINK', 'id'],
  ['bank transactions LINK --size 100', 'description'],
  ['bank holdings LINK', 'name'],
  ['bank personas list', 'description'],
  ['playbooks list', 'key'],
])('piped: %s cuts and folds no %s', async (command, member) => {
  const line = command.replace('USER', user).replace('LINK', link);
  const texts = textsOf(await json<unknown>(line), member);
  expect(texts).not.toEqual([]);
  const { stdout } = await run(line);
  expect(stdout).not.toMatch(/…(?:\s|$)/);
  const rows = stdout.split('\n');
  for (const text of texts)
    expect(
      rows.some((row) => row.includes(text)),
      text,
    ).toBe(true);
});
