/** What happens only at a terminal: colour, questions, hidden input. */
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonOf, runCli } from '../../support/cli.ts';
import { hasTerminal, runOnTerminal, type TerminalSession } from '../../support/terminal.ts';
import { ask } from '../../support/example-world.ts';
import { useDaemon } from '../../support/use-shared.ts';

const SECRET = '219099999';

describe.skipIf(!hasTerminal && process.env['CI'] === undefined)('on a terminal', () => {
  const daemon = useDaemon({ isDurable: true });
  const run = (argv: readonly string[], session: Omit<TerminalSession, 'home'> = {}) =>
    runOnTerminal(argv, { home: daemon().home, ...session });
  const create = async () =>
    String(
      jsonOf(await runCli(['users', 'create', 'id.first_name=Jane', '--json'], { home: daemon().home }))[
        'id'
      ],
    );

  test('colour: headings have some', async () => {
    const id = await create();
    expect((await run(['vault', 'get', id])).screen).toContain('\u001b[2m');
  });

  test('--json: is indented for people', async () => {
    const id = await create();
    expect((await run(['users', 'get', id, '--json'])).screen).toContain(`{\r\n  "id": "${id}"`);
  });

  describe('names with control and direction characters', () => {
    const NAME = 'a\u061cb\u202ec\u009bd\u007fe\u001b]0;title\u0007f';
    const OBEYED = /\u001b\]|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u007f-\u009f]|\p{Bidi_Control}/u;
    let key: string;

    beforeAll(async () => {
      const made = await ask(daemon(), 'POST', '/_kyclone/playbooks', { name: NAME, kind: 'kyc' });
      key = String(made['key']);
    });

    test.each([
      ['a table', ['playbooks', 'list']],
      ['JSON', ['playbooks', 'get', '--json']],
      ['api', ['api', 'GET']],
      ['api --json', ['api', 'GET', '--json']],
    ])(
      'output: %s on a terminal shows them as escapes (U+061C, C1 and DEL came through)',
      async (_, argv) => {
        const subject = argv[0] === 'api' ? [`/_kyclone/playbooks/${key}`] : argv[1] === 'get' ? [key] : [];
        const { code, screen } = await run([...argv, ...subject]);
        expect(code).toBe(0);
        expect(screen).toMatch(/\\u061cb\\u202ec/);
        expect(screen).not.toMatch(OBEYED);
      },
    );
  });

  test('=?: asks without echo', async () => {
    const id = await create();
    const asked = await run(['vault', 'set', id, 'id.ssn9=?'], {
      typing: [{ after: /id\.ssn9/, keys: `${SECRET}\r` }],
    });
    expect(asked.code).toBe(0);
    expect(asked.screen).not.toContain(SECRET);
    const stored = await runCli(['vault', 'decrypt', id, 'id.ssn9', '--reason', 't', '--json'], {
      home: daemon().home,
    });
    expect(jsonOf(stored)).toEqual({ 'id.ssn9': SECRET });
  });

  test('vault decrypt: asks for the reason that is missing', async () => {
    const id = await create();
    const asked = await run(['vault', 'decrypt', id, 'id.first_name'], {
      typing: [{ after: /Reason/, keys: 'because I may\r' }],
    });
    expect(asked.code).toBe(0);
    expect(asked.screen).toContain('Jane');
    const log = await runCli(['audit', 'list', '--entity', id], { home: daemon().home });
    expect(log.stdout).toContain('because I may');
  });

  test.each(['\u0003', '\u0004'])(
    'vault decrypt: %j at the question for the reason ends with 130',
    async (keys) => {
      const asked = await run(['vault', 'decrypt', await create(), 'id.first_name'], {
        typing: [{ after: /Reason/, keys }],
      });
      expect(asked.code).toBe(130);
      expect(asked.screen).toContain('Cancelled');
    },
  );

  test.each([
    ['n', 1],
    ['\r', 1],
    ['\u0003', 130],
    ['y', 0],
  ])('users delete: the answer %j ends with %i', async (keys, code) => {
    const id = await create();
    const asked = await run(['users', 'delete', id], {
      typing: [{ after: /Delete user/, keys: keys === '\r' || keys === '\u0003' ? keys : `${keys}\r` }],
    });
    expect(asked.code).toBe(code);
    expect((await runCli(['users', 'get', id], { home: daemon().home })).code).toBe(code === 0 ? 6 : 0);
  });

  test('keyring slots create: a passphrase mistyped the second time is not used', async () => {
    const asked = await run(['keyring', 'slots', 'create', 'passphrase'], {
      typing: [
        { after: /New passphrase/, keys: 'correct horse\r' },
        { after: /again/, keys: 'correct hearse\r' },
      ],
    });
    expect(asked.code).toBe(2);
    const keyring = await runCli(['keyring', 'status', '--json'], { home: daemon().home });
    expect(jsonOf(keyring)['slots']).toHaveLength(1);
  });

  const QUIET = [{ NO_COLOR: '1' }, { CI: '1' }, { TERM: 'dumb' }] as const;
  const NOT_ASKED = [{ CI: '1' }, { TERM: 'dumb' }] as const;

  test.each([
    [['users', 'list']],
    [['fake', 'user', '--count', '2', '--create']],
    [['--help']],
    [['users', 'get', 'fp_id_none']],
  ])('%j: no escape sequence under NO_COLOR, CI and TERM=dumb', async (argv) => {
    for (const environment of QUIET) {
      const { screen } = await run(argv, { environment });
      expect(screen.length).toBeGreaterThan(10);
      expect(screen).not.toContain('\u001b');
    }
  });

  test.each([
    [['users', 'delete', 'USER']],
    [['reset', '--hard']],
    [['vault', 'set', 'USER', 'id.ssn9=?']],
    [['vault', 'decrypt', 'USER', 'id.first_name']],
    [['users', 'search']],
    [['keyring', 'slots', 'create', 'passphrase']],
  ])('%j: asks nothing under CI and TERM=dumb', async (argv) => {
    const id = await create();
    for (const environment of NOT_ASKED) {
      const asked = await run(
        argv.map((word) => (word === 'USER' ? id : word)),
        { environment },
      );
      expect(asked).toMatchObject({ code: 3, screen: expect.stringContaining('Error: ') as string });
      expect(asked.screen).not.toContain('\u001b');
    }
    expect((await runCli(['users', 'get', id], { home: daemon().home })).code).toBe(0);
  });
});
