/** The link to the real daemon: lost, found again, with another version, and how few requests it makes. */
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { batched } from '../../src/tui/data/happenings.ts';
import { createLink, type Found, type DaemonLinkOptions } from '../../src/tui/data/link.ts';
import { screens } from '../../src/tui/screens/registry.ts';
import type { PaneDefinition } from '../../src/tui/screens/definition.ts';
import type { Happening, Message } from '../../src/tui/state/model.ts';
import { startKycloned, tempDir, until, type Kycloned } from '../support/kycloned.ts';

type Reported = Parameters<DaemonLinkOptions['report']>[0];
type Connected = Extract<Message, { type: 'connection' }>;

afterEach(() => void vi.useRealTimers());

const start = (home = tempDir()) => startKycloned({ home, options: ['--ephemeral'] });

function foundOf({ url, keys, locator }: Kycloned): Found {
  return {
    connection: {
      baseUrl: url,
      apiKey: keys.sandbox,
      liveApiKey: keys.live,
      controlToken: locator.control_token,
    },
    identity: locator.nonce,
    version: locator.version,
  };
}

function follow(first: Found, { find, ownVersion }: Partial<DaemonLinkOptions> = {}) {
  const reported: Reported[] = [];
  const link = createLink({
    first,
    find: find ?? (() => Promise.resolve(first)),
    space: { tenant: 'default', environment: 'sandbox' },
    ownVersion: ownVersion ?? first.version,
    report: (message) => void reported.push(message),
  });
  const followed = link.follow();
  onTestFinished(() => link.stop());
  const connections = () => reported.filter((message): message is Connected => message.type === 'connection');
  const happenings = () =>
    reported.flatMap((message) => (message.type === 'happened' ? [...message.types] : []));
  const connected = (kind: Connected['connection']['kind'], after = 0) =>
    until(kind, () =>
      connections()
        .slice(after)
        .find(({ connection }) => connection.kind === kind),
    );
  return { link, reported, followed, connections, happenings, connected };
}

test('link: a daemon that is killed is lost, and found again on another port with another token', async () => {
  const home = tempDir();
  const one = await start(home);
  const running: Found[] = [];
  let tries = 0;
  const { link, connections, connected } = follow(foundOf(one), {
    find: () => {
      tries += 1;
      return running[0] === undefined ? Promise.reject(new Error('none runs')) : Promise.resolve(running[0]);
    },
  });
  expect(await connected('live')).toMatchObject({ isNewDaemon: false });
  await one.stop('SIGKILL');
  await connected('lost');
  await until('it is tried twice', () => {
    link.retry();
    return tries >= 2;
  });

  const two = await start(home);
  expect(two.locator.control_token).not.toBe(one.locator.control_token);
  running.push(foundOf(two));
  link.retry();
  expect(await connected('live', 1)).toMatchObject({ isNewDaemon: true });
  expect((await link.source().client.call('GET /_kyclone/info')).pid).toBe(two.process.pid);
  // The loss is reported once, however often the link tried again.
  expect(connections().map(({ connection }) => connection.kind)).toEqual(['live', 'lost', 'live']);
});

test('link: of another version is reported with both versions', async () => {
  const daemon = await start();
  const { connected } = follow(foundOf(daemon), { ownVersion: '0.0.0-other' });
  expect(await connected('other_version')).toMatchObject({
    connection: { daemon: daemon.locator.version, own: '0.0.0-other' },
  });
});

test('link: refused credentials are looked up again, and used from then on', async () => {
  const daemon = await start();
  const right = foundOf(daemon);
  const wrong = { ...right, connection: { ...right.connection, controlToken: 'k'.repeat(43) } };
  const { link, connected } = follow(wrong, { find: () => Promise.resolve(right) });
  await connected('lost');
  link.retry();
  expect(await connected('live')).toMatchObject({ isNewDaemon: false });
  expect((await link.source().client.call('GET /_kyclone/info')).pid).toBe(daemon.process.pid);
});

test('link: a daemon that is found and gone again before it answered is still a new one later', async () => {
  const home = tempDir();
  const one = await start(home);
  const two = await start();
  const gone = { ...foundOf(two), connection: { ...foundOf(two).connection, controlToken: 'k'.repeat(43) } };
  const finds = [gone, foundOf(two)];
  const { link, connected } = follow(foundOf(one), {
    find: () => Promise.resolve(finds.shift() ?? foundOf(two)),
  });
  await connected('live');
  await one.stop('SIGKILL');
  await connected('lost');
  await until('the second find', () => {
    link.retry();
    return finds.length === 0;
  });
  expect(await connected('live', 1)).toMatchObject({ isNewDaemon: true });
});

test('link: what a list loads is no news to that list; what others do is', async () => {
  const daemon = await start();
  const { link, connected, happenings } = follow(foundOf(daemon));
  await connected('live');
  const query = { params: {}, cursor: undefined, filter: '', size: 10 };
  const panes = Object.values(screens).flatMap((screen) =>
    screen.palette === undefined ? [] : screen.panes,
  );
  const isMinding = (pane: PaneDefinition) => pane.changesWith.includes('read');
  const load = (pane: PaneDefinition) => pane.load(link.source(), query);
  await Promise.all(panes.filter(isMinding).map(load));
  await daemon.call('POST', '/users');
  await until('the request is reported', () => happenings().includes('request'));
  expect(happenings()).not.toContain('read');

  await Promise.all(panes.filter((pane) => !isMinding(pane)).map(load));
  await daemon.call('GET', '/users');
  await until('the read is reported', () => happenings().includes('read'));
  expect(new Set(happenings())).toEqual(new Set(['read', 'request']));
});

test('link: stopped, it reports no more, and a daemon that ends then is not lost', async () => {
  const daemon = await start();
  const { link, reported, followed, connected } = follow(foundOf(daemon));
  await connected('live');
  link.stop();
  await followed;
  await daemon.stop('SIGKILL');
  expect(reported).toHaveLength(1);
});

test('link: happenings are reported together, every two and a half seconds at most, and none is left out', () => {
  vi.useFakeTimers();
  const reported: ReadonlySet<Happening>[] = [];
  const { note, cease } = batched((types) => void reported.push(types));
  const seconds = 10;
  for (let millisecond = 0; millisecond < seconds * 1000; millisecond += 1) {
    note(millisecond % 2 === 0 ? 'event' : 'delivery');
    vi.advanceTimersByTime(1);
  }
  expect(reported.length).toBeGreaterThanOrEqual(seconds / 2.5);
  expect(reported.length).toBeLessThanOrEqual(seconds / 2.5 + 1);
  expect(reported.every((types) => types.has('event') && types.has('delivery'))).toBe(true);

  const before = reported.length;
  vi.advanceTimersByTime(3000);
  note(undefined);
  vi.advanceTimersByTime(3000);
  expect(reported.length).toBeLessThanOrEqual(before + 1);
  const quiet = reported.length;
  note('event');
  vi.advanceTimersByTime(100);
  expect(reported.length, 'after a pause at once').toBe(quiet + 1);
  note('event');
  cease();
  note('event');
  vi.advanceTimersByTime(3000);
  expect(reported.length).toBe(quiet + 1);
});
