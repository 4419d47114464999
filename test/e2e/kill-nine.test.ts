import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { launch, startKycloned, tempDir, until } from '../support/kycloned.ts';

test('kill -9: during the first start, again and again, the next one makes or opens the vault', async () => {
  for (const stage of ['lockFile', 'storeFile', 'vaultKeyFile', 'credentialsFile', 'locatorFile'] as const) {
    const home = tempDir();
    const cut = launch({ home });
    await until(`${stage} is there`, () => existsSync(cut.paths[stage]));
    cut.process.kill('SIGKILL');
    await cut.ended;
    const daemon = await startKycloned({ home });
    expect((await daemon.control('GET', '/_kyclone/access-log/verify')).body).toMatchObject({ ok: true });
    const made = await daemon.call('POST', '/users', { body: { 'id.first_name': 'Jane' } });
    expect([stage, made.status]).toEqual([stage, 200]);
    await daemon.stop('SIGKILL');
  }
});
