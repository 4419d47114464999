/** `kyclone requests`, with the real binary and the real daemon. */
import { constants } from 'node:os';
import { beforeEach, describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { cliIn, runInProcess } from '../../support/cli-in-process.ts';
import { startDaemon } from '../../support/daemon.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { startCli } from '../../support/running-cli.ts';

const SECRET = '219-09-9999';

const daemon = useDaemon();
const { run } = cliIn(() => daemon().home);
const { run: requests } = cliIn(() => daemon().home, 'requests');
const call = async (method: string, path: string, body?: object) => {
  const authorization = `Basic ${btoa(`${daemon().apiKey}:`)}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const answer = await fetch(daemon().url + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  await answer.text();
  return answer.headers.get('x-request-id') ?? '';
};

/** Starts a tail. Its first line is the first match after it has connected, so requests are sent until then. */
async function tailing(home: string, flags: readonly string[], send: () => Promise<unknown>) {
  const starting = startCli(['requests', 'tail', ...flags], { home });
  const heard = { yet: false };
  void starting.then(() => (heard.yet = true));
  while (!heard.yet) await send();
  return await starting;
}

beforeEach(async () => {
  await requests('clear --yes');
});

describe('requests', () => {
  test('requests list, get: with hint and fault rules, bodies masked', async () => {
    const fault = String(jsonOf(await run('faults create --path /nowhere --status 502 --json'))['id']);
    const failed = await call('GET', '/nowhere');
    const written = await call('POST', '/users', { 'id.ssn9': SECRET, 'id.fristname': 'Wilhelmina' });
    await call('GET', '/user');
    await run('faults delete');
    const shown = await requests(`show ${written}`);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^hint +Did you mean id\.first_name\?$/m);
    expect(shown.stdout).not.toMatch(/\b219-|Wilhelmina/);
    expect((await requests(`show ${failed}`)).stdout).toMatch(new RegExp(`^fault rules +${fault}$`, 'm'));
    const listed = await requests('list --path /user');
    expect(listed.stdout.replace(/\s+/g, ' ')).toContain(
      '404 GET /user not_found (Did you mean GET /users?)',
    );
  });

  test('requests tail: entries as they come, those that are wanted, until it is stopped', async () => {
    await using tail = await tailing(daemon().home, ['--path', '/users/**', '--status', '200'], async () => {
      await call('GET', '/user');
      await call('GET', '/users');
    });
    expect(tail.first).toMatchObject({ method: 'GET', path: '/users', status: 200, route: '/users' });
    tail.kill('SIGINT');
    expect(await tail.ended).toEqual({ code: 128 + constants.signals.SIGINT, stderr: '' });
  });

  test('requests tail: a daemon that goes away ends it with 5', async () => {
    await using other = await startDaemon();
    await using tail = await tailing(other.home, [], () => fetch(`${other.url}/users`));
    await runInProcess(['stop'], { home: other.home });
    const { code, stderr } = await tail.ended;
    expect(code).toBe(5);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'daemon_unreachable' });
  });
});
