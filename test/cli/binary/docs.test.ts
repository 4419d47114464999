import { describe, expect, test } from 'vitest';
import { jsonOf, type CliOutcome } from '../../support/cli.ts';
import { refusal, runInProcess } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { aDesktop } from '../../support/desktop.ts';
import { tempDir } from '../../support/kycloned.ts';
import '../../support/tier-all.ts';

const daemon = useDaemon();

type Environment = Readonly<Record<string, string>>;

function docs(argv: readonly string[], environment: Environment = {}): Promise<CliOutcome> {
  return runInProcess(['docs', ...argv], { home: daemon().home, environment });
}

const page = (anchor = '') => `${daemon().url}/_kyclone/docs${anchor}`;

/** Returns the ids that links can lead to. HTML allows attributes without quotes. */
const idsOf = (html: string) => [...html.matchAll(/ id="?([^" >]+)"?[ >]/g)].map(([, id]) => id);

describe('docs', () => {
  test('docs: prints the address of the page where there is no desktop', async () => {
    expect(await docs([])).toEqual({ code: 0, stdout: `${page()}\n`, stderr: '' });
  });

  test.each([
    ['identifiers', '#identifiers'],
    ['ID.SSN9', '#identifier-id.ssn9'],
    ['card.main.number', '#identifier-card.alias.number'],
    ['document.passport.front.image', '#identifier-document.kind.front.image'],
    ['custom.a.b', '#identifier-custom.name'],
    ['prefix', '#transform-prefix'],
    ['vault.updated', '#event-vault.updated'],
    ['acme.onboarding.completed', '#event-onboarding.completed'],
    ['T120', '#error-T120'],
    ['watchlist_hit_ofac', '#reason-watchlist_hit_ofac'],
    ['bank links', '#resource-bank-links'],
  ])('docs: %s is at %s, which the page has', async (topic, anchor) => {
    const html = await (await fetch(page())).text();

    expect(await docs([topic])).toEqual({ code: 0, stdout: `${page(anchor)}\n`, stderr: '' });
    expect(idsOf(html)).toContain(anchor.slice(1));
  });

  test('docs: an operation is found by its id, and by method and path', async () => {
    const document = (await (await fetch(`${daemon().url}/_kyclone/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const id = document.paths['/users']?.['post']?.operationId ?? '';

    expect((await docs(['POST /users'])).stdout).toBe(`${page(`#${id}`)}\n`);
    expect((await docs([id])).stdout).toBe(`${page(`#${id}`)}\n`);
    expect(idsOf(await (await fetch(page())).text())).toContain(id);
  });

  test('docs: an unknown topic is a usage error with suggestions, whether a daemon runs or not', async () => {
    const slip = await docs(['id.sssn9']);
    const part = await docs(['phone_numb'], { KYCLONE_HOME: tempDir() });
    const nothing = await docs(['$(touch /tmp/x)']);

    expect(slip).toMatchObject({ code: 2, stdout: '' });
    expect(slip.stderr).toContain('did you mean id.ssn9?');
    expect(part).toMatchObject({ code: 2, stdout: '' });
    expect(part.stderr).toContain('id.phone_number');
    expect(nothing).toMatchObject({ code: 2, stdout: '' });
    expect(nothing.stderr).not.toContain('touch');
    expect(nothing.stderr).toContain('sections are start, identifiers');
  });

  test.runIf(process.platform === 'linux')(
    'docs: on a desktop it opens the address, whole and without a shell, and prints it',
    async () => {
      const desktop = aDesktop();

      const outcome = await docs(['POST /users/{fp_id}/vault/decrypt'], desktop.environment);

      expect(outcome).toMatchObject({ code: 0, stderr: '' });
      await expect.poll(desktop.opened).toEqual([outcome.stdout.trim()]);
    },
  );

  test.runIf(process.platform === 'linux').each([
    ['--print', ['--print'], {}],
    ['--json', ['--json'], {}],
    ['in CI', [], { CI: 'true' }],
    ['over ssh', [], { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }],
    ['without a display', [], { DISPLAY: '' }],
  ] as const)('docs: %s prints the address and opens nothing', async (_, flags, environment) => {
    const desktop = aDesktop();

    const outcome = await docs(flags, { ...desktop.environment, ...environment });

    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toContain(page());
    if (flags[0] === '--json') {
      expect(jsonOf(outcome)).toEqual({ topic: null, url: page(), opened: false });
    }
    expect(desktop.opened()).toEqual([]);
  });

  test.runIf(process.platform === 'linux')('docs: an opener that is missing leaves the address', async () => {
    const empty = tempDir();

    const outcome = await docs([], { PATH: empty, WAYLAND_DISPLAY: 'wayland-0', CI: '' });

    expect(outcome).toMatchObject({ code: 0, stdout: `${page()}\n` });
    expect(outcome.stderr).toContain('No browser could be opened');
  });
});

describe('reference lists', () => {
  const offline = (argv: readonly string[]) => runInProcess(argv, { home: tempDir() });

  test('vault identifiers: lists what begins with the prefix, without a daemon', async () => {
    const outcome = await offline(['vault', 'identifiers', 'id.s', '--json']);
    const entries = JSON.parse(outcome.stdout) as { identifier: string }[];

    expect(entries.map(({ identifier }) => identifier)).toEqual(['id.ssn9', 'id.ssn4', 'id.state']);
  });

  test('vault identifiers: exit code 1 when none begins so', async () => {
    const outcome = await offline(['vault', 'identifiers', 'nope.']);

    expect(outcome).toEqual({ code: 1, stdout: 'No identifier has this prefix\n', stderr: '' });
  });

  test('transform: takes a chain, or --list and none', async () => {
    expect(await offline(['transform'])).toMatchObject({ code: 2 });
    expect(await offline(['transform', '--list', 'to_ascii'])).toMatchObject({ code: 2 });
  });

  test('webhooks kinds: every kind with the sample that a trigger sends', async () => {
    const entries = JSON.parse((await offline(['webhooks', 'kinds', '--json'])).stdout) as {
      kind: string;
      body: Record<string, unknown>;
    }[];
    const fired = await runInProcess(['webhooks', 'trigger', ...entries.map(({ kind }) => kind), '--json'], {
      home: daemon().home,
    });
    const events = (JSON.parse(fired.stdout) as { events: { kind: string; body: object }[] }).events;

    expect(entries.map(({ kind }) => kind)).toEqual(events.map(({ kind }) => kind));
    for (const [index, { body }] of events.entries()) {
      expect(Object.keys(entries[index]?.body ?? {})).toEqual(Object.keys(body));
    }
  });

  test('errors: one code, or all, and a suggestion for a slip', async () => {
    expect((await offline(['errors', 'T121'])).stdout).toContain('playbook requirements unmet');
    expect(JSON.parse((await offline(['errors', '--json'])).stdout)).toHaveLength(
      Object.keys((await import('../../../src/contract/errors.ts')).ERRORS).length,
    );
    expect(await offline(['errors', 'T12O'])).toMatchObject(refusal(2, 'did you mean'));
  });
});
