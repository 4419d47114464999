/** The built `kyclone/testing` in a TypeScript project that has installed none of our other packages. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../support/daemon.ts';
import { tempDir } from '../support/kycloned.ts';

const PROJECTS = [
  { module: 'node16', moduleResolution: 'node16', type: 'module' },
  { module: 'node16', moduleResolution: 'node16', type: 'commonjs' },
  { module: 'esnext', moduleResolution: 'bundler', type: 'module' },
] as const;

test.each(PROJECTS)('types: a strict project compiles, %j', async ({ type, ...options }) => {
  const folder = tempDir();
  const own = join(folder, 'node_modules/kyclone');
  mkdirSync(own, { recursive: true });
  for (const file of ['package.json', 'dist/testing.d.ts', 'dist/testing.d.cts']) {
    cpSync(join(ROOT, file), join(own, file));
  }
  cpSync(join(ROOT, 'test/testing/a-consumer.txt'), join(folder, 'consumer.ts'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
  const compilerOptions = {
    ...options,
    target: 'es2022',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe('');
});
