import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from './kycloned.ts';

/** A folder with an `xdg-open` that notes what it is given, each argument in a line. */
export function aDesktop(): { opened(): string[]; environment: Readonly<Record<string, string>> } {
  const folder = tempDir();
  const bin = join(folder, 'bin');
  const noted = join(folder, 'opened');
  mkdirSync(bin);
  writeFileSync(join(bin, 'xdg-open'), '#!/bin/sh\nprintf "%s\\n" "$@" > "$OPENED"\n');
  chmodSync(join(bin, 'xdg-open'), 0o755);
  return {
    opened: () => (existsSync(noted) ? readFileSync(noted, 'utf8').trim().split('\n') : []),
    environment: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, OPENED: noted, DISPLAY: ':9', CI: '' },
  };
}
