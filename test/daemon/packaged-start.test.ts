/** What a start needs from an installed package. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeSqlite } from '../../src/storage/sqlite/load.ts';
import { cleanEnvironment, ROOT } from '../support/daemon.ts';
import { tempDir } from '../support/kycloned.ts';

const SQLITE = 'node_modules/@photostructure/sqlite';
const hasOwnSqlite = nodeSqlite() !== undefined;

/** Copies the daemon as an install leaves it, and the SQLite that an older Node needs. */
function anInstall(): string {
  const root = tempDir();
  for (const part of ['bin', 'package.json', 'dist/daemon.cjs']) {
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  }
  if (!hasOwnSqlite) {
    for (const part of ['package.json', 'dist', 'prebuilds']) {
      cpSync(join(ROOT, SQLITE, part), join(root, SQLITE, part), { recursive: true });
    }
    cpSync(join(ROOT, 'node_modules/node-gyp-build'), join(root, 'node_modules/node-gyp-build'), {
      recursive: true,
    });
  }
  return root;
}

/** Starts the daemon, and ends it when it is ready. */
async function startAndEnd(
  root: string,
): Promise<{ readonly status: number | null; readonly stderr: string }> {
  const child = spawn(process.execPath, [join(root, 'bin/kycloned.js'), '--ephemeral', '--port', '0'], {
    env: cleanEnvironment(tempDir()),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (text.includes('serves instance')) child.kill('SIGTERM');
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, stderr };
}

test('start: needs what an install has and no more, and Node warns of nothing; without SQLite it says what to do', async () => {
  const root = anInstall();
  const { status, stderr } = await startAndEnd(root);
  expect(stderr).toContain('serves instance default (ephemeral)');
  expect(stderr).not.toMatch(/warning/i);
  expect(status).toBe(0);
  if (hasOwnSqlite) return;

  rmSync(join(root, SQLITE, 'prebuilds'), { recursive: true });
  const unusable = await startAndEnd(root);
  rmSync(join(root, SQLITE), { recursive: true });
  const without = await startAndEnd(root);
  const both = `Node ${process.versions.node} has no SQLite that kyclone can use, and the package @photostructure/sqlite `;
  expect(unusable.stderr).toContain(`${both}cannot be loaded on ${process.platform} ${process.arch}`);
  expect(without.stderr).toContain(
    `${both}is not installed: install kyclone again without --omit=optional, or use Node 22.16 or later`,
  );
  expect([unusable, without].map(({ status }) => status)).toEqual([1, 1]);
});
