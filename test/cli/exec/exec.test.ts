import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { commandOf, catchSignals, isForeground } from '../../../src/cli/exec/command.ts';
import { fixturesFor } from '../../../src/cli/exec/fixtures.ts';
import { injectedVariables, parseTemplates } from '../../../src/cli/exec/plan.ts';
import { noProxyVariables } from '../../../src/cli/shell/environment.ts';
import { UsageError } from '../../../src/cli/shell/failure.ts';
import { withOptionalValues } from '../../../src/cli/shell/command-line.ts';

const ACCESS = {
  baseUrl: 'http://127.0.0.1:4711',
  keys: { sandbox: 'sk_test_a', live: 'sk_live_b' },
  controlToken: 'c',
};

describe('withOptionalValues', () => {
  test.each([
    [
      ['--export-on-exit', '--port', '0'],
      ['--export-on-exit=', '--port', '0'],
    ],
    [
      ['--port', '0', '--export-on-exit'],
      ['--port', '0', '--export-on-exit='],
    ],
    [['--export-on-exit=a=b'], ['--export-on-exit=a=b']],
    [
      ['--export-on-exit', 'a', '--port', '0'],
      ['--export-on-exit', 'a', '--port', '0'],
    ],
    [
      ['--export-on-exit', '--', 'x', '--export-on-exit'],
      ['--export-on-exit=', '--', 'x', '--export-on-exit'],
    ],
    [[], []],
  ])('withOptionalValues: %j', (argv, expected) => {
    expect(withOptionalValues(argv, ['export-on-exit'])).toEqual(expected);
  });
});

describe('commandOf', () => {
  test('commandOf: all behind the first --, another one included', () => {
    expect(commandOf(['--port', '0', '--', 'npm', 'test', '--', '-u'])).toEqual({
      own: ['--port', '0'],
      command: ['npm', 'test', '--', '-u'],
    });
  });

  const FLAGS = new Map([
    ['--port', true],
    ['--json', false],
  ]);

  test.each<[string[], string[], string[]]>([
    [['npm', 'test', '-u'], [], ['npm', 'test', '-u']],
    [
      ['--port', '0', '--json', 'npm', 'test'],
      ['--port', '0', '--json'],
      ['npm', 'test'],
    ],
    [['--port=0', 'npm'], ['--port=0'], ['npm']],
  ])('commandOf: %j, of which a package manager has swallowed --', (argv, own, command) => {
    expect(commandOf(argv, FLAGS)).toEqual({ own, command });
  });

  test.each([
    [['--']],
    [['--', '']],
    [[]],
    [['--port', '0']],
    [['npm', 'test', '--json']],
    [['npm', '--port=0']],
    [['--prot', '0', 'npm']],
  ])('commandOf: refuses %j', (argv) => {
    expect(() => commandOf(argv, FLAGS)).toThrow(UsageError);
  });
});

describe('injectedVariables', () => {
  test('injectedVariables: the four of ours, and templates filled in', () => {
    const templates = parseTemplates([
      'API={url}/v1?p={port}',
      'KEYS={api_key},{live_api_key},{control_token}',
      'X=',
    ]);
    expect(injectedVariables(ACCESS, templates)).toEqual({
      KYCLONE_BASE_URL: 'http://127.0.0.1:4711',
      KYCLONE_API_KEY: 'sk_test_a',
      KYCLONE_LIVE_API_KEY: 'sk_live_b',
      KYCLONE_CONTROL_TOKEN: 'c',
      API: 'http://127.0.0.1:4711/v1?p=4711',
      KEYS: 'sk_test_a,sk_live_b,c',
      X: '',
    });
  });

  test('injectedVariables: braces that are no placeholder stay', () => {
    const templates = parseTemplates(['J={"url":"{url}"}']);
    expect(injectedVariables(ACCESS, templates)).toMatchObject({ J: '{"url":"http://127.0.0.1:4711"}' });
  });

  test.each<[Record<string, string>, Record<string, string>]>([
    [{ NO_PROXY: 'a.example' }, {}],
    [{ https_proxy: 'http://proxy' }, {}],
    [{ HTTP_PROXY: 'http://proxy' }, { NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost' }],
    [
      { all_proxy: 'http://proxy', NO_PROXY: 'a.example, b.example' },
      {
        NO_PROXY: 'a.example,b.example,127.0.0.1,localhost',
        no_proxy: 'a.example,b.example,127.0.0.1,localhost',
      },
    ],
    [
      { http_proxy: 'http://proxy', NO_PROXY: '*', no_proxy: 'localhost' },
      { no_proxy: 'localhost,127.0.0.1' },
    ],
  ])('noProxyVariables: in %j the instance is reached without a proxy', (env, expected) => {
    expect(noProxyVariables(ACCESS.baseUrl, env)).toEqual(expected);
  });

  test('injectedVariables: keep the calls of the command from a proxy, unless --env is of another mind', () => {
    vi.stubEnv('http_proxy', 'http://proxy');
    onTestFinished(() => void vi.unstubAllEnvs());
    const given = injectedVariables(ACCESS, parseTemplates(['NO_PROXY=']));
    expect(given['NO_PROXY']).toBe('');
    expect(given['no_proxy']).toMatch(/(?:^|,)127\.0\.0\.1,/);
  });

  test.each(['{secret}', '=x', '1A=x', 'A-B=x', 'A=\0', 'A={toString}x{constructor}'])(
    'parseTemplates: refuses %j without repeating it',
    (text) => {
      expect(() => parseTemplates([text])).toThrow(
        /^--env number 1 (?:is not of the form|has an unknown placeholder)/,
      );
    },
  );
});

describe('signals', () => {
  const stat = (name: string, group: number, foreground: number) =>
    `42 (${name}) S 41 ${group} 41 34816 ${foreground} 4194304 0`;

  test.each([
    ['node', 42, 42, true],
    ['node', 42, 7, false],
    ['node', 42, -1, false],
    ['odd) S 1 (name', 42, 42, true],
  ])('isForeground: %s in group %i, %i in front: %s', (name, group, foreground, expected) => {
    expect(isForeground(stat(name, group, foreground))).toBe(expected);
  });

  test.each([
    [true, ['SIGTERM']],
    [false, ['SIGINT', 'SIGTERM']],
  ])('catchSignals: what was typed (%s) is not sent twice', (isTyped, expected) => {
    const signals = catchSignals(() => isTyped);
    const sent: string[] = [];
    try {
      signals.passTo({ kill: (signal) => sent.push(signal) > 0 });
      process.emit('SIGINT', 'SIGINT');
      process.emit('SIGTERM', 'SIGTERM');
    } finally {
      signals.release();
    }
    expect(sent).toEqual(expected);
    expect(signals).toMatchObject({ first: 'SIGINT', wasInterrupted: true });
  });
});

describe('fixturesFor', () => {
  const project = { fixtures: ['/p/a.yaml'], set: { N: '1' }, settings: {} };

  test('fixturesFor: those of the project come before those that are named', () => {
    expect(fixturesFor({ fixture: ['/x/b.yaml'] }, project, true)).toEqual({
      files: ['/p/a.yaml', '/x/b.yaml'],
      ofProject: 1,
      set: {},
      projectSet: { N: '1' },
    });
  });

  test('fixturesFor: variables for fixtures where there are none are a usage error', () => {
    const flags = { 'fixture-set': ['A=secret'] };
    expect(fixturesFor(flags, project, true).set).toEqual({ A: 'secret' });
    expect(() => fixturesFor(flags, undefined, true)).toThrow('--fixture-set needs a fixture');
    expect(() => fixturesFor({ 'fixture-set': ['secret'] }, project, true)).toThrow(
      '--fixture-set number 1 is not of the form NAME=VALUE',
    );
  });

  test.each([
    ['what an earlier start has left', {}, false],
    ['what a snapshot holds', { import: 's.snap' }, true],
  ])('fixturesFor: the project’s do not run on %s', (_what, flags, isEmpty) => {
    expect(fixturesFor(flags, project, isEmpty).files).toEqual([]);
  });
});
