/** Every flag of a command that makes one call changes that call, or there is a reason why not. */
import { expect, test } from 'vitest';
import {
  type Command,
  type Declared,
  derivedCommands,
  everyCommand,
  runOn,
} from '../support/derived-commands.ts';

type Values = Readonly<Record<string, unknown>>;

/** Flags that don't change the first call. */
const WITHOUT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['users:kyc', 'businesses:kyb'].flatMap((id) =>
      ['expect', 'timeout', 'wait'].map((flag) => [
        `${id} --${flag}`,
        'it is about what comes after the call',
      ]),
    ),
  ),
  'users:cip-report --approver': 'the word of the partner is asked for first',
};

/** Flags of the question before a call, and those that BaseCommand itself reads. */
const COMMON = new Set(['yes', 'live']);

const samplesOf = ({ type, multiple = false, options = ['id.a=y'] }: Declared) =>
  type === 'boolean' ? [true] : options.map((each) => (multiple ? [each] : each));
const sampleOf = (flag: Declared) => samplesOf(flag)[0];

/** The call of a command with these values, and the error that ended it. */
async function callOf(command: Command, args: Values, flags: Values): Promise<string> {
  const calls: unknown[] = [];
  const call = (...request: unknown[]) => Promise.reject(new Error(`call ${calls.push(request)}`));
  const parse = () => Promise.resolve({ args, flags });
  const error = await runOn(command, { client: { call }, parse }).catch(String);
  return JSON.stringify([calls, error]);
}

test.each(derivedCommands)('commands: each flag of $id changes its call', async ({ id, command, ...own }) => {
  const args = Object.fromEntries(
    Object.entries(own.args).map(([name, arg]) => [name, arg.multiple ? sampleOf(arg) : 'id.a']),
  );
  const declared = Object.entries(own.flags);
  const usual = Object.fromEntries(
    declared.map(([name, flag]) => [name, flag.required ? sampleOf(flag) : undefined]),
  );
  // Some flags mean something only beside another one.
  const bases = [usual, ...declared.map(([name, flag]) => ({ ...usual, [name]: sampleOf(flag) }))];
  const before = await Promise.all(bases.map((flags) => callOf(command, args, flags)));
  for (const [name, flag] of declared) {
    if (COMMON.has(name) || WITHOUT[`${id} --${name}`] !== undefined) continue;
    for (const value of flag.required ? [undefined] : samplesOf(flag)) {
      const after = await Promise.all(
        bases.map((flags) => callOf(command, args, { ...flags, [name]: value })),
      );
      const what = `--${name} ${String(value)}`;
      expect(after, `send ${what} in commands.ts of the noun, or add a reason to WITHOUT`).not.toEqual(
        before,
      );
    }
  }
});

test('commands: an empty filter is refused, since it would be none', async () => {
  const filters = derivedCommands.flatMap((each) =>
    Object.entries(each.flags)
      .filter(([name, { type, options }]) => type === 'option' && options === undefined && name !== 'cursor')
      .filter(() => each.key.startsWith('GET '))
      .map(([name, { multiple }]) => ({ ...each, name, value: multiple ? [''] : '' })),
  );
  expect(filters.length).toBeGreaterThan(50);
  for (const { id, command, args, name, value } of filters) {
    const given = Object.fromEntries(Object.keys(args).map((arg) => [arg, 'id.a']));
    expect(await callOf(command, given, { [name]: value }), `${id} --${name}`).toMatch(/^\[\[\],/);
  }
});

test('commands: so is an empty tenant', async () => {
  const tenants = everyCommand.flatMap(([id, { flags }]) =>
    flags?.['tenant'] ? [{ id, ...flags['tenant'] }] : [],
  );
  expect(tenants.length).toBeGreaterThan(30);
  for (const { id, parse } of tenants)
    await expect(parse?.('', {}, { name: 'tenant' }), id).rejects.toThrow('--tenant is empty');
});

test('commands: each reason is about a flag', () => {
  const flags = derivedCommands.flatMap(({ id, flags: own }) =>
    Object.keys(own).map((name) => `${id} --${name}`),
  );
  expect(derivedCommands.length).toBeGreaterThan(80);
  for (const each of Object.keys(WITHOUT)) expect(flags).toContain(each);
});
