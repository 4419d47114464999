/** A core dump gives no access to the memory of a running daemon. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startKycloned } from '../support/kycloned.ts';
import { tempDir } from '../support/temp-dir.ts';
import '../support/tier-all.ts';

test.skipIf(process.platform !== 'linux')(
  'a core dump holds no key and no value (it held all of them)',
  async () => {
    // Some machines write core files into the current folder.
    using folder = tempDir();
    const under = ['sh', '-c', `cd '${folder.path}'; ulimit -c unlimited; exec "$0" "$@"`];
    const daemon = await startKycloned({ options: ['--ephemeral'], under });
    const filter = `/proc/${daemon.locator.pid}/coredump_filter`;
    expect(readFileSync(filter, 'utf8').trim()).toMatch(/^0+$/);
    const name = 'Canarynameofsomebody';
    expect((await daemon.call('POST', '/users', { body: { 'id.first_name': name } })).status).toBe(200);
    expect(await daemon.stop('SIGABRT')).toMatchObject({ signal: 'SIGABRT' });
    for (const file of readdirSync(folder.path)) {
      const dump = readFileSync(join(folder.path, file));
      for (const secret of [daemon.keys.sandbox, name])
        expect([file, dump.includes(secret)]).toEqual([file, false]);
    }
    expect(existsSync(filter)).toBe(false);
  },
);
