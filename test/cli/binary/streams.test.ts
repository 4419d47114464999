/** The contract of streams and exit codes (docs/architecture.md#command-line), with the real binary. */
import { closeSync, existsSync, openSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonOf, runCli, spawnCli, type CliOptions, type CliOutcome } from '../../support/cli.ts';
import { cliIn, refusal } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';
import '../../support/tier-all.ts';

const SECRET = '219-09-9999';

const daemon = useDaemon();
let id: string;
const run = (argv: readonly string[], options: Partial<CliOptions> = {}): Promise<CliOutcome> =>
  runCli(argv, { home: daemon().home, ...options });
const { run: inProcess } = cliIn(() => daemon().home);

beforeAll(async () => {
  id = String(jsonOf(await run(['users', 'create', 'id.first_name=Jane', '--json']))['id']);
});

describe('results', () => {
  test('--json: stdout is the body of the API, unchanged, on one line', async () => {
    const cli = await run(['users', 'get', id, '--json']);
    const answer = await fetch(`${daemon().url}/users/${id}`, {
      headers: { authorization: `Basic ${btoa(`${daemon().apiKey}:`)}` },
    });
    expect(cli).toEqual({ code: 0, stdout: `${await answer.text()}\n`, stderr: '' });
  });

  test('api: prints the body as it came; -i the head before it', async () => {
    expect(await run(['api', 'GET', `/users/${id}/vault`])).toEqual({
      code: 0,
      stdout: '{"id.first_name":true}\n',
      stderr: '',
    });
    const head = await run(['api', 'get'.toUpperCase(), '/users', '-i']);
    expect(head.stdout).toMatch(/^HTTP\/1\.1 200 OK\n(?:.+\n)+\n\{"data":/);
  });
});

describe('failures', () => {
  /** The arguments, the exit code, and the error code. */
  const FAILURES: readonly [string[], number, string][] = [
    [
      ['vault', 'decrypt', 'ID', 'id.first_name', '--reason', 'r', '--transform', 'nope'],
      7,
      'transform_invalid',
    ],
    [['vault', 'decrypt', 'ID', 'id.first_name'], 3, 'input_needed'],
    [['vault', 'integrity', 'ID', 'id.first_name'], 3, 'input_needed'],
    [['users', 'get', 'ID', 'ID'], 2, 'usage'],
    [['keyring', 'slots', 'create', 'passphrase', '--passphrase', 'open sesame'], 2, 'usage'],
    [['transform', 'nope', 'x'], 7, 'transform_invalid'],
    [['status', '--instance', '../x'], 2, 'usage'],
  ];

  test.each(FAILURES)(
    '%j: ends with %i, stdout empty, one JSON line on stderr',
    async (argv, exitCode, code) => {
      const failed = await inProcess([...argv.map((word) => (word === 'ID' ? id : word)), '--json']);
      expect(failed).toMatchObject({ code: exitCode, stdout: '' });
      expect(failed.stderr.trimEnd()).not.toContain('\n');
      expect(JSON.parse(failed.stderr)).toMatchObject({
        code,
        exit_code: exitCode,
        message: expect.any(String) as string,
      });
    },
  );

  test('--json: a failure of the daemon names the request, one of the command line has none', async () => {
    const failed = await run(['api', 'GET', '/nowhere', '--json', '-i']);
    const [, requestId] = /^x-request-id: (\S+)$/m.exec(failed.stdout) ?? [];
    expect(JSON.parse(failed.stderr)).toHaveProperty('request_id', requestId);
    const mistake = await run(['users', 'nothing', '--json']);
    expect(JSON.parse(mistake.stderr)).not.toHaveProperty('request_id');
  });

  test('for people: the message of the daemon, each identifier, the hint', async () => {
    const failed = await run(['users', 'create', 'id.dob=1988-02-30', 'id.ssn9=12']);
    expect(failed.stdout).toBe('');
    expect(failed.stderr).toMatch(
      /^Error: Vault data is not valid: id\.dob, id\.ssn9\n {2}id\.dob: must be a real date.*\n {2}id\.ssn9: .*\nHint: kyclone vault identifiers shows the rule of each identifier \(request req_\w{22}\)\n$/,
    );
  });
});

describe('output that nothing takes', () => {
  const runInto = async (stdout: number | 'pipe', argv: readonly string[]) => {
    const { child, ended } = spawnCli(argv, { home: daemon().home, stdio: ['ignore', stdout, 'pipe'] });
    child.stdout?.destroy();
    return await ended;
  };

  test
    .runIf(existsSync('/dev/full'))
    .each([[['users', 'list', '--json']], [['--help']], [['api', 'GET', '/users', '-i']]])(
    '%j: output that cannot be written is one line on stderr and 1',
    async (argv) => {
      const full = openSync('/dev/full', 'w');
      const { code, stderr } = await runInto(full, argv).finally(() => closeSync(full));
      expect(code).toBe(1);
      if (argv.includes('--json')) {
        expect(JSON.parse(stderr)).toMatchObject({ code: 'output_failed', exit_code: 1 });
      } else expect(stderr).toBe('Error: The output cannot be written: the disk is full (ENOSPC)\n');
    },
  );

  test('a reader that is gone is no failure', async () => {
    expect(await runInto('pipe', ['users', 'list'])).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('argv', () => {
  /** Each passes a social security number where it doesn't belong; test/cli/matrix-flags.test.ts has each flag. */
  const LEAKS: readonly string[][] = [
    ['users', 'create', `--id.ssn9=${SECRET}`],
    ['users', 'create', `-${SECRET}`],
    ['users', 'list', `--page-size=${SECRET}`, '--page-size=2'],
    ['start', '-d', '--port', SECRET],
    ['start', '-d', '--set', SECRET],
    ['start', '-d', '--instance', `SSN ${SECRET}`],
  ];

  test.each(LEAKS.flatMap((argv) => [[argv], [[...argv, '--json']]]))(
    '%j: a usage error repeats no argument',
    async (argv) => {
      const failed = await inProcess(argv);
      expect(failed.code).not.toBe(0);
      expect(failed.stdout).toBe('');
      expect(failed.stderr).not.toMatch(/\b9999\b/);
      expect(failed.stderr).not.toBe('');
    },
  );

  test('DEBUG: does not print the command line either', async () => {
    const debugged = await inProcess(['users', 'create', SECRET], {
      environment: { DEBUG: '*', KYCLONE_DEBUG: '1' },
    });
    expect(debugged.stderr).not.toMatch(/\b9999\b/);
  });

  test.each([
    [['users', 'create', '--extrenal-id', 'x'], '--external-id'],
    [['config', 'set', 'cors.origin', 'x'], 'cors.origins'],
  ])('%j: says what may have been meant', async (argv, meant) => {
    const failed = await inProcess(argv);
    expect(failed.code).toBe(2);
    expect(failed.stderr).toContain(`did you mean`);
    expect(failed.stderr).toContain(meant);
  });
});

describe('stdin', () => {
  test('piped stdin is not taken for an argument', async () => {
    expect(await run(['users', 'get'], { stdin: id })).toMatchObject(refusal(2, 'Missing argument: fp_id'));
  });

  test('piped stdin is not taken for a field', async () => {
    const made = await run(['users', 'create', '--json'], { stdin: 'id.first_name=Jane' });
    const { id: made_id } = jsonOf(made);
    expect((await run(['vault', 'get', String(made_id), 'id.first_name', '--json'])).stdout).toContain(
      'false',
    );
  });
});
