/** R21: with a keychain that is absent, unreachable or locked, the start refuses by name and never makes a new key. */
import { expect } from 'vitest';
import { startKeychain } from '../../support/keychain.ts';
import { whenFinished } from '../../support/finishing.ts';
import { refusedStart, startKycloned, tempDir, type Setting } from '../../support/kycloned.ts';
import type { Run, TorturePromise } from '../promise.ts';

export const keychain: TorturePromise = {
  id: 'R21',
  name: 'keychain',
  says: 'a keychain that is absent, unreachable or locked: refused by name, no new key',
  needs: ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'],
  async *rounds({ random, count }: Run) {
    for (;;) {
      const session = await startKeychain();
      whenFinished(() => session.stop());
      const home = tempDir();
      const setting: Setting = { home, environment: { ...session.environment, KYCLONE_NO_KEYCHAIN: '' } };
      const first = await startKycloned({ ...setting, options: ['--require-keychain'] });
      const body = { 'id.first_name': 'Jane' };
      const id = (await first.call('POST', '/users', { body })).body['id'] as string;
      await first.stop();

      const messages = new Set<string>();
      const environments: Record<string, Record<string, string>> = {
        'no bus': { KYCLONE_NO_KEYCHAIN: '' },
        'a bus that is gone': {
          KYCLONE_NO_KEYCHAIN: '',
          DBUS_SESSION_BUS_ADDRESS: `unix:path=${home}/no-bus`,
        },
        'without a keychain': { ...session.environment, KYCLONE_NO_KEYCHAIN: '1' },
      };
      for (const what of random.shuffled(Object.keys(environments))) {
        const refused = await refusedStart({ home, environment: environments[what] ?? {} });
        expect([what, refused.code, refused.announced?.message]).toEqual([
          what,
          4,
          expect.stringMatching(/keychain/i),
        ]);
        messages.add(String(refused.announced?.message));
        count('refusals');
      }
      const again = await startKycloned(setting);
      const read = await again.call('POST', `/users/${id}/vault/decrypt`, {
        body: { fields: ['id.first_name'], reason: 'a test' },
      });
      expect(read.body).toEqual(body);
      await again.stop();
      await session.lock();
      const locked = await refusedStart(setting);
      expect([locked.code, locked.announced?.message]).toEqual([4, expect.stringMatching(/lock/i)]);
      count('refusals');
      await session.stop();
      yield;
    }
  },
};
