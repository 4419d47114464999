/** `kyclone webhooks …`, the real binary with a real daemon and a receiver that verifies each request. */
import { constants } from 'node:os';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { cliIn, refusal, runInProcess } from '../../support/cli-in-process.ts';
import { startDaemon } from '../../support/daemon.ts';
import { startCli, type Line } from '../../support/running-cli.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { answerJson, loopbackServer, type LoopbackServer, type SeenRequest } from '../../support/loopback.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** Starts `webhooks listen`. Disposing of it waits for its end, so nothing of it reaches the next test. */
async function startListen(home: string, options: readonly string[] = []) {
  const cli = await startCli(['webhooks', 'listen', ...options], { home });
  return {
    ...cli,
    /** Returns the next line of a type and skips those before it. Fails when there is none. */
    async next(type: string): Promise<Line> {
      for (;;) {
        const line = await cli.next();
        if (line === undefined) throw new Error(`no line of type ${type}: ${(await cli.ended).stderr}`);
        if (line['type'] === type) return line;
      }
    },
    async [Symbol.asyncDispose]() {
      cli.kill('SIGTERM');
      await cli.ended;
    },
  };
}

const receiver = (): Promise<LoopbackServer> => loopbackServer(answerJson(200, {}));

/** Starts a receiver that refuses each request that the open-source library refuses under this secret. */
function verifyingReceiver(secret: string): Promise<LoopbackServer> {
  const server = loopbackServer((_, response) => {
    void server.then(({ seen }) => {
      const isValid = isVerified(seen.at(-1), secret);
      response.writeHead(isValid ? 200 : 401).end();
    });
  });
  return server;
}

function isVerified(request: SeenRequest | undefined, secret: unknown): boolean {
  try {
    new Webhook(String(secret)).verify(request?.body ?? '', request?.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

const targetsOf = ({ first }: { first: Line }) => first['targets'] as Line[];
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const KIND = 'onboarding.completed';

const daemon = useDaemon({ isDurable: true });
const { run, json } = cliIn(() => daemon().home, 'webhooks');

async function endpointIds(home = daemon().home): Promise<string[]> {
  const { data } = jsonOf(await runInProcess(['webhooks', 'list', '--json'], { home }));
  return (data as { id: string }[]).map(({ id }) => id);
}

/** Adds an endpoint and removes it at the end of its scope. */
async function endpoint(url: string, ...options: string[]) {
  const { id } = await json(['add', url, ...options]);
  return {
    id: String(id),
    async [Symbol.asyncDispose]() {
      await run(['remove', String(id), '--yes']);
    },
  };
}

describe('webhooks listen', () => {
  test('webhooks listen: forwarded events verify under the printed secret', async () => {
    await using server = await receiver();
    await using listen = await startListen(daemon().home, ['--forward-to', `${server.url}/hooks`]);
    const [target] = targetsOf(listen);
    expect(target).toMatchObject({ url: `${server.url}/hooks`, is_new: true, enabled: true });
    const { events } = await json(`trigger ${KIND} --status fail`);
    const [{ id } = { id: '' }] = events as { id: string }[];
    expect(await listen.next('event')).toMatchObject({ id, is_past: false, body: { status: 'fail' } });
    expect(await listen.next('delivery')).toMatchObject({
      event_id: id,
      webhook_id: target?.['webhook_id'],
      attempt: 1,
      status: 'delivered',
      response_status: 200,
    });
    expect(server.seen[0]).toMatchObject({ url: '/hooks', headers: { 'webhook-id': id } });
    expect(isVerified(server.seen[0], target?.['secret'])).toBe(true);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'webhooks listen: after %s its endpoint is gone',
    async (signal) => {
      await using server = await receiver();
      await using listen = await startListen(daemon().home, ['--forward-to', server.url]);
      expect(await endpointIds()).toHaveLength(1);
      listen.kill(signal);
      expect(await listen.next('end')).toMatchObject({ reason: 'told', events: 0, attempts: 0, left: [] });
      expect(await listen.ended).toEqual({ code: 128 + constants.signals[signal], stderr: '' });
      expect(await endpointIds()).toEqual([]);
    },
  );

  test('webhooks listen: removes its endpoint when the reader of its output ends', async () => {
    await using server = await receiver();
    await using listen = await startListen(daemon().home, ['--forward-to', server.url]);
    listen.leave();
    await run(['trigger', KIND]);
    expect((await listen.ended).code).toBe(128 + constants.signals.SIGPIPE);
    expect(await endpointIds()).toEqual([]);
  });

  test('webhooks listen: an endpoint that was there is used, stays, and keeps its secret', async () => {
    await using server = await receiver();
    await using known = await endpoint(`${server.url}/hooks`, '--secret', SECRET);
    const forward = ['--forward-to', `${server.url}/hooks`, '--stop-after', '1'];
    await using listen = await startListen(daemon().home, forward);
    expect(targetsOf(listen)).toMatchObject([{ webhook_id: known.id, secret: SECRET, is_new: false }]);
    await run(['trigger', KIND]);
    expect(await listen.next('end')).toMatchObject({ reason: 'enough', attempts: 1 });
    expect((await listen.ended).code).toBe(0);
    expect(await endpointIds()).toEqual([known.id]);
    expect(
      await run(['listen', ...forward, '--secret', `whsec_${Buffer.alloc(32, 6).toString('base64')}`]),
    ).toMatchObject(refusal(1, `kyclone webhooks delete ${known.id}`));
  });

  test('webhooks listen: an endpoint that is deleted meanwhile is registered again, and gets the event', async () => {
    await using server = await receiver();
    await using listen = await startListen(daemon().home, ['--forward-to', server.url]);
    const [target] = targetsOf(listen);
    await run(['remove', String(target?.['webhook_id']), '--yes']);
    const { events } = await json(`trigger ${KIND}`);
    const [{ id } = { id: '' }] = events as { id: string }[];
    expect(await listen.next('restored')).toMatchObject({ registered: await endpointIds() });
    expect(await listen.next('delivery')).toMatchObject({ event_id: id, status: 'delivered' });
    expect(isVerified(server.seen[0], target?.['secret'])).toBe(true);
  });

  test('webhooks listen: --since shows earlier events, oldest first, and delivers them', async () => {
    const made = await json(`trigger ${KIND} --count 2 --set onboarding_external_id=since-me`);
    const ids = (made['events'] as { id: string }[]).map(({ id }) => id);
    await using server = await receiver();
    await using listen = await startListen(daemon().home, [
      '--forward-to',
      server.url,
      '--since',
      '1h',
      '--events',
      KIND,
      '--secret',
      SECRET,
    ]);
    expect(targetsOf(listen)).toMatchObject([{ secret: null }]);
    const seen: unknown[] = [];
    while (seen.at(-1) !== ids[1]) {
      const event = await listen.next('event');
      expect(event['is_past']).toBe(true);
      seen.push(event['id']);
    }
    expect(seen.slice(-2)).toEqual(ids);
    const delivered = new Set<unknown>();
    while (delivered.size < seen.length) delivered.add((await listen.next('delivery'))['event_id']);
    expect([...delivered].sort()).toEqual([...seen].sort());
    expect(server.seen.every((request) => isVerified(request, SECRET))).toBe(true);
  });

  test('webhooks listen: without a URL it watches the kinds that are wanted, in its environment', async () => {
    await using listen = await startListen(daemon().home, ['--events', 'vault.updated', '--stop-after', '1']);
    await run(['trigger', KIND]);
    await run(['trigger', 'vault.updated', '--live']);
    await run(['trigger', 'vault.updated', '--set', 'source=ours']);
    expect(await listen.next('event')).toMatchObject({ body: { source: 'ours', is_live: false } });
    expect(await listen.next('end')).toMatchObject({ events: 1 });
    expect((await listen.ended).code).toBe(0);
    expect(await endpointIds()).toEqual([]);
  });

  test('webhooks listen: for people events are on stdout and the rest beside them', async () => {
    const quiet = await run(['listen', '--timeout', '1s']);
    expect(quiet).toMatchObject({ code: 0, stdout: '' });
    expect(quiet.stderr).toMatch(/^Ready, watching the events of .*\nEnded: the time ran out; 0 events/);
    const late = await run(['listen', '--timeout', '1s', '--stop-after', '1', '--json']);
    expect(late.code).toBe(124);
  });

  test('webhooks listen: a URL that is refused leaves nothing of the others', async () => {
    const refused = await run('listen --forward-to localhost:9 --forward-to http://a:b@localhost:9/');
    expect(refused).toMatchObject({ code: 7, stdout: '' });
    expect(refused.stderr).not.toContain('a:b');
    expect(await endpointIds()).toEqual([]);
  });
});

describe('webhooks listen, when the daemon goes', () => {
  test('webhooks listen: reconnects to a restarted daemon, and registers again with the same secret', async () => {
    using home = tempDir();
    await using server = await receiver();
    await using first = await startDaemon({ home: home.path });
    await using listen = await startListen(home.path, ['--forward-to', server.url]);
    const [target] = targetsOf(listen);
    await first.end();
    expect(await listen.next('lost')).toMatchObject({ seconds: 30 });
    await using second = await startDaemon({ home: home.path });
    const restored = await listen.next('restored');
    expect(restored).toMatchObject({ base_url: second.url, registered: await endpointIds(home.path) });
    expect(restored['registered']).not.toEqual([target?.['webhook_id']]);
    await runInProcess(['webhooks', 'trigger', KIND], { home: home.path });
    expect(await listen.next('delivery')).toMatchObject({ status: 'delivered' });
    expect(isVerified(server.seen[0], target?.['secret'])).toBe(true);
    listen.kill('SIGTERM');
    expect(await listen.next('end')).toMatchObject({ left: [] });
    expect(await endpointIds(home.path)).toEqual([]);
  });

  test('webhooks listen: a durable instance that is back still has its endpoint, which goes in the end', async () => {
    using home = tempDir();
    await using server = await receiver();
    await using first = await startDaemon({ home: home.path, isDurable: true });
    await using listen = await startListen(home.path, ['--forward-to', server.url]);
    await first.end('SIGKILL');
    await listen.next('lost');
    await using second = await startDaemon({ home: home.path, isDurable: true });
    expect(await listen.next('restored')).toMatchObject({ base_url: second.url, registered: [] });
    listen.kill('SIGTERM');
    expect(await listen.next('end')).toMatchObject({ left: [] });
    expect(await endpointIds(home.path)).toEqual([]);
  });

  test('webhooks listen: what happened before it is back is shown, also when nothing happened before', async () => {
    using home = tempDir();
    await using first = await startDaemon({ home: home.path });
    await using listen = await startListen(home.path, ['--stop-after', '1']);
    listen.kill('SIGSTOP');
    await first.end();
    await using second = await startDaemon({ home: home.path });
    const triggered = await runInProcess(['webhooks', 'trigger', KIND, '--json'], { home: home.path });
    listen.kill('SIGCONT');
    expect(await listen.next('restored')).toMatchObject({ base_url: second.url });
    const [event] = jsonOf(triggered)['events'] as Line[];
    expect(await listen.next('event')).toMatchObject({ id: event?.['id'], is_past: false });
    expect((await listen.ended).code).toBe(0);
  });

  test('webhooks listen: exits with 5 for a lost daemon, and names what is left', async () => {
    using home = tempDir();
    await using gone = await startDaemon({ home: home.path });
    await using listen = await startListen(home.path, ['--forward-to', 'localhost:9', '--reconnect', '0']);
    const [target] = targetsOf(listen);
    await gone.end('SIGKILL');
    expect(await listen.next('end')).toMatchObject({ reason: 'lost', left: [target?.['webhook_id']] });
    expect((await listen.ended).code).toBe(5);
  });
});

describe('webhooks trigger', () => {
  test('webhooks trigger: reports a missing receiver, and fails only if one was named', async () => {
    const nobody = await run(['trigger', KIND]);
    expect(nobody).toMatchObject({ code: 0 });
    expect(nobody.stderr).toContain('Sent to nobody');
    expect((await run(['trigger', KIND, '--duplicate'])).code).toBe(1);
    expect((await run(['trigger', KIND, '--to', 'whk_7p793EF07xKXHqAeg5VGPj'])).code).toBe(6);
  });

  test('webhooks trigger: a verifying receiver refuses the deliberate errors', async () => {
    await using server = await verifyingReceiver(SECRET);
    await using known = await endpoint(server.url, '--secret', SECRET);
    for (const tampering of [['--bad-signature'], ['--skew', '-10m'], ['--skew=10m'], ['--duplicate'], []]) {
      expect((await run(['trigger', KIND, '--to', known.id, ...tampering])).code).toBe(0);
    }
    const dropped = await run(['trigger', KIND, '--drop-first', '--count', '2', '--shuffle', '--json']);
    expect(dropped.code).toBe(0);
    expect(jsonOf(dropped)).toMatchObject({ as_expected: true });
    expect((jsonOf(dropped)['deliveries'] as unknown[]).length).toBe(2);
  });

  test('webhooks trigger: a receiver that takes anything fails the same tests', async () => {
    await using server = await receiver();
    await using known = await endpoint(server.url);
    const accepted = await run(['trigger', KIND, '--to', known.id, '--bad-signature']);
    expect(accepted.code).toBe(1);
    expect(accepted.stdout).toContain('Some first attempts had an unexpected result');
    expect((await run(['trigger', KIND, '--skew', '-10m'])).code).toBe(1);
    const unwatched = await run(['trigger', KIND, '--bad-signature', '--no-wait', '--json']);
    expect(unwatched.code).toBe(0);
    expect(jsonOf(unwatched)).toMatchObject({ as_expected: null, deliveries: [{}] });
  });
});

test('webhooks secret: prints the secret alone, and a new one with --rotate', async () => {
  await using known = await endpoint('http://127.0.0.1:9/', '--secret', SECRET, '--disabled');
  expect((await run(['secret', known.id])).stdout).toBe(`${SECRET}\n`);
  const rotated = await run(['secret', known.id, '--rotate']);
  expect(rotated.stdout).toMatch(/^whsec_[A-Za-z0-9+/]+=*\n$/);
  expect(rotated.stdout).not.toBe(`${SECRET}\n`);
});
