/**
 * The script of the single executable (docs/install.md). It is `kyclone`, or `kycloned` under that name or with the
 * first word `:kycloned`, and with `:snippet` it runs code of its own in a process of its own. Each program is the
 * script of `bin/` that the package has. Nothing is unpacked.
 */
import { createRequire } from 'node:module';
import { basename, join, relative, resolve, sep } from 'node:path';
import { getRawAsset } from 'node:sea';
import { Script } from 'node:vm';
import { offerSingleFile, PROGRAM_MARK, SNIPPET } from '../kernel/program/single-file.ts';
import { createLoader } from './loader.ts';

/**
 * In place of the package's folder. It is a file, so a path below it is never one of the file system. Without /proc, Node
 * knows it by the word that started it.
 */
const root = resolve(process.execPath);

/** The bytes of the mapped executable, which nobody may write to. */
function read(path: string): Buffer {
  const name = relative(root, path).split(sep).join('/');
  try {
    return Buffer.from(getRawAsset(name) as ArrayBuffer);
  } catch {
    throw Object.assign(new Error(`ENOENT: no such file in the executable, open '${path}'`), {
      code: 'ENOENT',
    });
  }
}

type Program = 'kyclone' | 'kycloned' | typeof SNIPPET;

/** Returns the program and its arguments. */
function programOf(argv: readonly string[]): { program: Program; options: readonly string[] } {
  const [first, ...rest] = argv;
  for (const program of ['kycloned', SNIPPET] as const) {
    if (first === `${PROGRAM_MARK}${program}`) return { program, options: rest };
  }
  const isDaemon = basename(process.argv0, '.exe') === 'kycloned';
  return { program: isDaemon ? 'kycloned' : 'kyclone', options: argv };
}

function main(): void {
  offerSingleFile({ read });
  const { program, options } = programOf(process.argv.slice(2));
  if (program === SNIPPET) {
    const [code = '', ...rest] = options;
    process.argv = [root, ...rest];
    const run = new Script(`(function(require){${code}\n})`).runInThisContext() as (load: unknown) => void;
    run(createRequire(root));
    return;
  }
  // They are for another Node. A command may start one; a daemon would report that it has them.
  if (program === 'kycloned') delete process.env['NODE_OPTIONS'];
  const script = join(root, 'bin', program === 'kycloned' ? 'run-daemon.js' : 'run-cli.js');
  process.argv = [root, script, ...options];
  createLoader({ root, read })(script);
}

main();
