/** `kyclone console` against the built daemon, and what only a process shows: a restart ends every session. */
import { describe, expect, test, vi } from 'vitest';
import { jsonOf, type CliOutcome } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { startDaemon } from '../../support/daemon.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { aDesktop } from '../../support/desktop.ts';
import { tempDir } from '../../support/kycloned.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import '../../support/tier-all.ts';

const daemon = useDaemon();

type Environment = Readonly<Record<string, string>>;
interface Link {
  readonly url: string;
  readonly expires_at: string;
  readonly opened: boolean;
}

function run(
  argv: readonly string[],
  environment: Environment = {},
  home = daemon().home,
): Promise<CliOutcome> {
  return runInProcess(['console', ...argv], { home, environment });
}

/** Exchanges the code of an address as the page does. */
async function enter(address: string) {
  const { origin, hash } = new URL(address.trim());
  const reply = await fetch(`${origin}/_kyclone/console/sessions`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ code: hash.replace('#code=', '') }),
  });
  return { status: reply.status, session: (await reply.json()) as Record<string, unknown> };
}

const read = async (url: string, token: unknown) =>
  (await fetch(`${url}/_kyclone/info`, { headers: { 'x-kyclone-console': String(token) } })).status;

describe('console', () => {
  test('console: --print prints the address and nothing else, and it opens one session', async () => {
    const outcome = await run(['--print', '--as', 'Zoë Desk']);

    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/_kyclone\/console#code=[0-9A-Za-z]{43}\n$/);
    const { status, session } = await enter(outcome.stdout);
    expect(status).toBe(200);
    expect(session).toMatchObject({ operator: 'Zoë Desk', is_readonly: false, environment: 'sandbox' });
    expect(await read(daemon().url, session['token'])).toBe(200);
    expect((await enter(outcome.stdout)).status).toBe(401);
  });

  test('console: flags limit the session; KYCLONE_ACTOR names it', async () => {
    const flags = ['--readonly', '--environment', 'live', '--permission', 'review, decrypt:id.*'];
    const more = ['--permissions', 'onboard', '--json'];
    const { url, expires_at, opened } = jsonOf(
      await run([...flags, ...more], { KYCLONE_ACTOR: 'Bo' }),
    ) as unknown as Link;

    expect(opened).toBe(false);
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
    expect((await enter(url)).session).toMatchObject({
      operator: 'Bo',
      is_readonly: true,
      permissions: ['review', 'decrypt:id.*', 'onboard'],
      environment: 'live',
    });
  });

  test.each<[string, number, string[], string]>([
    ['an unknown environment', 2, ['--environment', 'production'], '--environment'],
    ['a name with a control character', 2, ['--as', 'A\nB'], '--as'],
    ['an argument', 2, ['Ada'], ''],
    ['--revoke with a limit', 2, ['--revoke', '--readonly'], '--revoke'],
    ['the permission admin', 7, ['--permission', 'admin'], '--permission'],
    ['a permission and a comma', 7, ['--permission', 'review,'], '--permission'],
    ['the permission decrypt', 7, ['--permission', 'decrypt'], '--permission'],
    ['an empty permission', 7, ['--permission', ''], '--permission'],
  ])('console: %s is refused with exit code %i', async (_, code, flags, named) => {
    const outcome = await run(['--print', ...flags]);

    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr).toContain(named);
    expect(outcome.stderr).not.toContain('#code=');
  });

  test('console: on a desktop the opener sees no code, and the browser is led to the page', async () => {
    const { environment, opened, followed } = aDesktop({ follows: true });
    const outcome = await run([], environment);

    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toBe(`Opened ${daemon().url}/_kyclone/console\n`);
    expect(opened().join(' ')).not.toMatch(/code/);
    await vi.waitFor(() => expect(followed()).toMatch(/^303 /), { timeout: PATIENCE_MS });
    const [, address = ''] = followed().split(' ');
    expect((await enter(address)).status).toBe(200);
  });

  test.each([['--print'], ['--json']])('console: %s opens nothing on a desktop', async (flag) => {
    const { environment, opened } = aDesktop();
    const outcome = await run([flag], environment);

    expect(outcome.code).toBe(0);
    expect(opened()).toEqual([]);
  });

  test('console: --revoke ends every session and says how many', async () => {
    await run(['--revoke']);
    const address = (await run(['--print'])).stdout;
    const { session } = await enter((await run(['--print'])).stdout);

    expect(await run(['--revoke'])).toEqual({
      code: 0,
      stdout: 'Ended 1 session of the console\n',
      stderr: '',
    });
    expect(await read(daemon().url, session['token'])).toBe(401);
    expect((await enter(address)).status).toBe(401);
    expect(jsonOf(await run(['--revoke', '--json']))).toEqual({ revoked: 0 });
  });
});

test('restart: the sessions of a daemon end with it, also on its data, port and control token', async () => {
  const home = tempDir();
  const enterAt = async (url: string, controlToken: string) => {
    const reply = await fetch(`${url}/_kyclone/console/codes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${controlToken}` },
    });
    return ((await reply.json()) as Link).url;
  };
  const first = await startDaemon({ home, isDurable: true });
  const unused = await enterAt(first.url, first.controlToken);
  const { session } = await enter(await enterAt(first.url, first.controlToken));
  expect(await read(first.url, session['token'])).toBe(200);
  const { port } = new URL(first.url);
  await first.end();
  await using second = await startDaemon({ home, isDurable: true, options: ['--port', port] });

  expect(second.controlToken).toBe(first.controlToken);
  expect(await read(second.url, session['token'])).toBe(401);
  expect((await enter(unused)).status).toBe(401);
});
