/** R19, R20: the machine's clock jumps, and signals stop, pause and end the daemon under load. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { auditBooks, newBooks, verifyLog, writeTogether } from '../../e2e/books.ts';
import { exchange, startKycloned, tempDir, until, type Kycloned } from '../../support/kycloned.ts';
import type { Run, TorturePromise } from '../promise.ts';

const DAYS_BACK = [1, 31, 366, 1_200];
const DAYS_AHEAD = [1, 29, 366, 1_200];

export const signals: TorturePromise = {
  id: 'R20',
  name: 'signals',
  says: 'paused, resumed and stopped under load: exits with 0, and nothing acknowledged is lost',
  async *rounds({ random, count }: Run) {
    const home = tempDir();
    const books = newBooks();
    for (;;) {
      const daemon = await startKycloned({ home });
      const load = writeTogether(daemon, books, { mayRefuse: ({ status }) => status === 503 });
      const enough = books.acknowledgements + random.between(1, 40);
      await until('the load moves on', () => books.acknowledgements >= enough);
      if (random.once(2)) {
        daemon.process.kill('SIGSTOP');
        daemon.process.kill('SIGCONT');
        const more = books.acknowledgements + 1;
        await until('it goes on', () => books.acknowledgements >= more);
      }
      const { code, signal } = await daemon.stop(random.pick(['SIGTERM', 'SIGINT', 'SIGHUP']));
      expect([code, signal]).toEqual([0, null]);
      expect(existsSync(daemon.paths.locatorFile)).toBe(false);
      await load;
      const next = await startKycloned({ home });
      await auditBooks(next, books);
      // The next start takes the lock and locator over from a killed daemon.
      await next.stop('SIGKILL');
      count('signals');
      yield;
    }
  },
};

const withToken = (daemon: Kycloned, token: string) =>
  exchange(`${daemon.url}/users/client_token`, 'GET', { headers: { 'x-fp-authorization': token } });

async function aToken(daemon: Kycloned, id: string): Promise<string> {
  const body = { scope: 'decrypt', fields: ['id.first_name'], decrypt_reason: 'a test', ttl: 1_800 };
  const made = await daemon.call('POST', `/users/${id}/client_token`, { body });
  expect(made.status, made.text).toBe(200);
  return made.body['token'] as string;
}

/** Starts a daemon on a machine whose clock is off by this many days. */
function startOff(home: string, days: number): Promise<Kycloned> {
  const [library] = globLibraries();
  return startKycloned({
    home,
    environment: {
      LD_PRELOAD: library ?? '',
      FAKETIME: `${days < 0 ? '' : '+'}${days}d`,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  });
}

/** Returns the paths of libfaketime. Its command would start a second process, which signals don't reach. */
function globLibraries(): string[] {
  const folders = readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'faketime'));
  return folders.map((folder) => join(folder, 'libfaketime.so.1')).filter((path) => existsSync(path));
}

export const jumpingClock: TorturePromise = {
  id: 'R19',
  name: 'jumping-clock',
  says: "the machine's clock jumps: keys work, tokens end at their time, the log keeps its order",
  needs: ['faketime'],
  async *rounds({ random, count }: Run) {
    const home = tempDir();
    const first = await startKycloned({ home });
    const body = { 'id.first_name': 'Jane' };
    const id = (await first.call('POST', '/users', { body })).body['id'] as string;
    let token = await aToken(first, id);
    await first.stop();
    let entries = 0;
    for (;;) {
      for (const days of [-random.pick(DAYS_BACK), random.pick(DAYS_AHEAD)]) {
        const daemon = await startOff(home, days);
        const decryption = { fields: ['id.first_name'], reason: 'a test' };
        const read = await daemon.call('POST', `/users/${id}/vault/decrypt`, { body: decryption });
        expect([days, read.status, read.body]).toEqual([days, 200, body]);
        entries += 1;
        await verifyLog(daemon, entries);
        if (days > 0) expect((await withToken(daemon, token)).body['code']).toBe('token_expired');
        expect((await withToken(daemon, await aToken(daemon, id))).status).toBe(200);
        await daemon.stop();
        count('jumps');
      }
      const now = await startKycloned({ home });
      token = await aToken(now, id);
      expect((await withToken(now, token)).status).toBe(200);
      await now.stop();
      yield;
    }
  },
};
