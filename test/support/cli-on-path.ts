/** A `kyclone` in the PATH of a shell, so that programs that a command runs find it too. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './daemon.ts';

/** An instance gets a free port. */
const KYCLONE = `#!/bin/sh
case "$*" in
  start*--port*) ;;
  start*) set -- "$@" --port 0 ;;
esac
exec "$NODE" "$CLI" "$@"
`;

/** Writes the program into a folder below `home`. Returns the variables that it needs. */
export function cliOnPath(home: string) {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'kyclone'), KYCLONE);
  chmodSync(join(bin, 'kyclone'), 0o755);
  return {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    NODE: process.execPath,
    CLI: join(ROOT, 'bin', 'kyclone.js'),
  };
}
