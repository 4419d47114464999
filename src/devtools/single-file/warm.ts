/**
 * Runs a script of `bin/` in the folder of `npm run package`, and keeps the code that V8 has compiled meanwhile beside
 * the scripts, for the executable. Arguments: the folder, the script, and its own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { CODE_CACHE, createLoader } from '../../single-file/loader.ts';

const [node = '', , folder = '', name = '', ...options] = process.argv;
const script = join(folder, 'bin', name);
const compiled = new Map<string, Script>();
process.on('exit', () => {
  for (const [path, code] of compiled) writeFileSync(`${path}${CODE_CACHE}`, code.createCachedData());
});
process.argv = [node, script, ...options];
createLoader({ root: folder, read: readFileSync, onCompiled: (path, code) => void compiled.set(path, code) })(
  script,
);
