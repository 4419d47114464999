/** R21: with a keychain that is absent, unreachable or locked, the start refuses by name and never makes a new key. */
import { expect } from 'vitest';
import { KEYCHAIN_TOOLS, startKeychain } from '../../support/keychain.ts';
import { whenFinished } from '../../support/finishing.ts';
import { refusedStart, startKycloned, tempDir, type Setting } from '../../support/kycloned.ts';
import { aUser, decrypt } from '../../support/kycloned-calls.ts';
import type { Run, TorturePromise } from '../promise.ts';

export const keychain: TorturePromise = {
  id: 'R21',
  name: 'keychain',
  says: 'a keychain that is absent, unreachable or locked: refused by name, no new key',
  needs: KEYCHAIN_TOOLS,
  async *rounds({ random, count }: Run) {
    for (;;) {
      const session = await startKeychain();
      whenFinished(() => session.stop());
      const home = tempDir();
      const setting: Setting = { home, environment: { ...session.environment, KYCLONE_NO_KEYCHAIN: '' } };
      const first = await startKycloned({ ...setting, options: ['--require-keychain'] });
      const body = { 'id.first_name': 'Jane' };
      const id = await aUser(first, body);
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
      expect((await decrypt(again, id, ['id.first_name'])).body).toEqual(body);
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
