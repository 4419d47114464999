/** Durations and points of time. Every flag and argument of the command line that takes a duration is read here. */
import type { ManifestFlag } from '../../../src/devtools/command-surface.ts';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/shell/failure.ts';
import {
  byDefault,
  durationFlag,
  durationText,
  parseMoment,
  readDuration,
  resolveMoment,
  writtenDuration,
} from '../../../src/cli/shell/times.ts';
import type { Client } from '../../../src/client/client.ts';
import { builtCommands } from '../../support/root.ts';

const commands = builtCommands();

/** The API counts these in minutes. */
const WHOLE_MINUTES = ['onboardings:token --ttl'];
const SHORT = [
  ['300ms', 300],
  ['1s', 1_000],
] as const;
const NAMED_AS_LENGTHS =
  /timeout|ttl|delay|latency|tolerance|interval|reconnect|every|expir|minutes|seconds|days|wait|after|skew|^by$/;
/** These count a unit that their own name states. */
const COUNTS = ['bank:tick --days', 'onboardings:token --minutes'];
/** These name a point of time, or mention time only in their description. */
const NO_LENGTHS =
  /^(?:\S+ --(?:since|until|at|at-time|clock|wait|no-wait|no-delay|expect|stop-after|drop-first|ephemeral)|logs --.*)$/;

const flagsWhere = (wanted: (name: string, flag: Partial<ManifestFlag>) => boolean) =>
  Object.entries(commands)
    .flatMap(([id, { flags }]) =>
      Object.entries(flags)
        .filter(([name, flag]) => wanted(name, flag))
        .map(([name]) => `${id} --${name}`),
    )
    .sort();

/** Every flag of the command line that takes a duration. */
const DURATIONS = flagsWhere((_name, { helpValue }) => helpValue === 'DURATION');

type Parse = (text: string, context: unknown, options: unknown) => Promise<unknown>;

async function parseOf(where: string): Promise<(text: string) => Promise<unknown>> {
  const [id = '', flag = ''] = where.split(' --');
  const { default: found } = await import('../../../src/devtools/every-command.ts');
  const flags = found[id]?.flags as Record<string, { parse: Parse; name?: string }> | undefined;
  const definition = flags?.[flag];
  if (definition === undefined) throw new Error(`${id} has no --${flag}`);
  return async (text) => await definition.parse(text, {}, { ...definition, name: flag });
}

const BARE =
  /^--[a-z-]+ takes a length of time with its unit, such as 300ms, 1s, 5m, 2h or 3d(?:, in steps of 1m)?(?:, \d+d at most)?; a bare number has none$/;

describe('the flags of the command line', () => {
  test('no other flag is named or described as one that takes a length of time', () => {
    expect(DURATIONS.length).toBeGreaterThan(20);
    const suspects = flagsWhere(
      (name, { type, summary = '', description = '', helpValue = '' }) =>
        type === 'option' &&
        (NAMED_AS_LENGTHS.test(name) ||
          /\b(?:milliseconds|seconds|minutes|hours|how long)\b/.test(`${summary} ${description}`) ||
          /^(?:MS|SECONDS|MINUTES|HOURS)$/.test(helpValue)),
    );
    const others = suspects.filter((flag) => !DURATIONS.includes(flag) && !NO_LENGTHS.test(flag));
    expect(others.filter((flag) => !COUNTS.includes(flag))).toEqual([]);
  });

  test.each(DURATIONS.filter((flag) => flag !== 'clock:offset --by'))(
    '%s reads what all read',
    async (where) => {
      const parse = await parseOf(where);
      for (const [text, ms] of [
        ...(WHOLE_MINUTES.includes(where) ? [] : SHORT),
        ['5m', 300_000],
        ['2h', 7_200_000],
        ['1d', 86_400_000],
      ] as const) {
        expect(await parse(text)).toBe(ms);
      }
      for (const text of ['10', '1500', '-3', '1.5']) {
        const failure = await parse(text).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(UsageError);
        expect((failure as Error).message).toMatch(BARE);
      }
    },
  );

  test('arguments: clock advance and clock offset take lengths of time', () => {
    const takers = Object.entries(commands).flatMap(([id, { args }]) =>
      Object.values(args).some(({ description }) => /300ms/.test(description ?? '')) ? [id] : [],
    );
    expect(takers.sort()).toEqual(['clock:advance', 'clock:offset']);
  });
});

test.each([
  ['300ms', 300],
  ['1.5h', 5_400_000],
  ['3d', 259_200_000],
  ['-10m', -600_000],
  ['PT2M', 120_000],
  ['P1M', 31 * 86_400_000],
  ['0', 0],
  ['-0', 0],
])('readDuration: %s', (text, ms) => {
  expect(readDuration(text)).toBe(ms);
});

test.each(['', 'm', '10', '+5', '00', '1e3', '30 m', '30min', 'soon', '9999999999999999d'])(
  'readDuration: %j is no length of time',
  (text) => {
    expect(readDuration(text)).toBeUndefined();
  },
);

test('writtenDuration: stays as it was written, since months depend on the calendar', () => {
  expect(writtenDuration('P1M', 'BY')).toBe('P1M');
  expect(writtenDuration('0', 'BY')).toBe('0s');
  expect(() => writtenDuration('90000', 'BY')).toThrow(
    /^BY takes a length of time with its unit, such as 300ms, 1s, 5m, 2h or 3d; a bare number has none$/,
  );
  expect(() => writtenDuration('219-09-9999', 'BY')).toThrow(/^BY takes a length of time .* or 3d$/);
});

test('durationFlag: within its limits, which the refusal names', async () => {
  const parse = durationFlag({}).parse as Parse;
  const options = { name: 'timeout', min: 1, max: 86_400_000 };
  expect(await parse('1d', {}, options)).toBe(86_400_000);
  for (const text of ['25h', '0', '-1s']) {
    await expect(parse(text, {}, options)).rejects.toThrow(/ 3d, 1d at most/);
  }
});

test('durationFlag: in steps, where the API counts in a larger unit', async () => {
  const parse = durationFlag({}).parse as Parse;
  const options = { name: 'ttl', step: 60_000 };
  expect(await parse('120s', {}, options)).toBe(120_000);
  await expect(parse('90s', {}, options)).rejects.toThrow(/ 3d, in steps of 1m$/);
});

test('byDefault: the help shows the default as it would be typed', async () => {
  const { default: ms, defaultHelp } = byDefault(90_000);
  expect([ms, await defaultHelp()]).toEqual([90_000, '1m30s']);
});

test.each([
  [0, '0s'],
  [1, '1ms'],
  [90_000, '1m 30s'],
  [-93_784_005, '1d 2h 3m 4s 5ms'],
])('durationText: %i', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

describe('moments', () => {
  const client = { call: () => Promise.resolve({ now: '2030-03-31T12:00:00.000Z' }) } as unknown as Client;

  test.each([
    ['10m', '2030-03-31T11:50:00.000Z'],
    ['P1M', '2030-02-28T12:00:00.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T12:00:00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
  ])('resolveMoment: %s is %s by the clock of the instance', async (text, expected) => {
    const moment = parseMoment(text);
    expect(moment && (await resolveMoment(moment, client))).toBe(expected);
  });

  test.each(['', 'yesterday', '10', '-10m', '2026-13-01', '2026-02-30', '2026-01-31T25:00', 'Jan 1 2026'])(
    'parseMoment: %j is neither a time nor a duration back',
    (text) => {
      expect(parseMoment(text)).toBeUndefined();
    },
  );
});
