/** Every flag of a command that makes one call changes that call, or there is a reason why not. */
import { expect, test } from 'vitest';
import commands from '../../src/devtools/every-command.ts';

interface Declared {
  readonly type?: 'boolean' | 'option';
  readonly required?: boolean;
  readonly multiple?: boolean;
  readonly options?: readonly string[];
}
interface Derived {
  new (argv: string[], config: object): { run(): Promise<unknown> };
  readonly endpoint?: string;
  readonly args: Readonly<Record<string, Declared>>;
  readonly flags: Readonly<Record<string, Declared>>;
}
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
async function callOf(command: Derived, args: Values, flags: Values): Promise<string> {
  const calls: unknown[] = [];
  const call = (...request: unknown[]) => Promise.reject(new Error(`call ${calls.push(request)}`));
  const stood = {
    ...{ client: { call }, operator: 'Ada', access: Promise.resolve({ controlToken: 't', keys: {} }) },
    input: { secret: (text: string) => Promise.resolve(text), line: () => Promise.resolve('asked') },
    ...{ parse: () => Promise.resolve({ args, flags }), confirmLoss: () => Promise.resolve() },
  };
  const tried = new command([], { root: '/', version: '1' });
  for (const [name, value] of Object.entries(stood)) Object.defineProperty(tried, name, { value });
  const error: unknown = await tried.run().catch(String);
  return JSON.stringify([calls, error]);
}

const derived = Object.entries(commands as unknown as Record<string, Derived>).filter(
  ([, { endpoint }]) => endpoint !== undefined,
);

test.each(derived)('commands: each flag of %s changes its call', async (id, command) => {
  const args = Object.fromEntries(
    Object.entries(command.args).map(([name, arg]) => [name, arg.multiple ? sampleOf(arg) : 'id.a']),
  );
  const declared = Object.entries(command.flags);
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
  const filters = derived.flatMap(([id, command]) =>
    Object.entries(command.flags)
      .filter(([name, { type, options }]) => type === 'option' && options === undefined && name !== 'cursor')
      .filter(() => command.endpoint?.startsWith('GET '))
      .map(([name, { multiple }]) => ({ id, command, name, value: multiple ? [''] : '' })),
  );
  expect(filters.length).toBeGreaterThan(50);
  for (const { id, command, name, value } of filters) {
    const args = Object.fromEntries(Object.keys(command.args).map((arg) => [arg, 'id.a']));
    expect(await callOf(command, args, { [name]: value }), `${id} --${name}`).toMatch(/^\[\[\],/);
  }
});

test('commands: so is an empty tenant', async () => {
  type Parsed = { parse: (text: string, context: object, options: object) => Promise<unknown> };
  const tenants = Object.entries(
    commands as unknown as Record<string, { flags?: Record<string, Parsed> }>,
  ).flatMap(([id, { flags = {} }]) =>
    flags['tenant'] === undefined ? [] : [{ id, tenant: flags['tenant'] }],
  );
  expect(tenants.length).toBeGreaterThan(30);
  for (const { id, tenant } of tenants)
    await expect(tenant.parse('', {}, { name: 'tenant' }), id).rejects.toThrow('--tenant is empty');
});

test('commands: each reason is about a flag', () => {
  const flags = derived.flatMap(([id, command]) =>
    Object.keys(command.flags).map((name) => `${id} --${name}`),
  );
  expect(derived.length).toBeGreaterThan(80);
  for (const each of Object.keys(WITHOUT)) expect(flags).toContain(each);
});
