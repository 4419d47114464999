import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from './kycloned.ts';

/** Requests the address as a browser does, and writes down the status and the redirect. */
const BROWSER = `fetch(process.argv[1], { redirect: 'manual' }).then(({ status, headers }) =>
  require('node:fs').writeFileSync(process.env.FOLLOWED, status + ' ' + headers.get('location')))`;

/**
 * Makes a folder with an `xdg-open` that writes down its arguments, one a line. With `follows` it also requests the
 * address.
 */
export function aDesktop({ follows = false } = {}) {
  const folder = tempDir();
  const bin = join(folder, 'bin');
  const noted = join(folder, 'opened');
  const followed = join(folder, 'followed');
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : '');
  mkdirSync(bin);
  const follow = follows ? `exec "${process.execPath}" -e "$BROWSER" "$1"\n` : '';
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf "%s\\n" "$@" > "$OPENED"\n${follow}`);
  chmodSync(join(bin, 'xdg-open'), 0o755);
  return {
    opened: () => read(noted).split('\n').filter(Boolean),
    /** Returns the status and the redirect of the opened address. */
    followed: () => read(followed),
    environment: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      OPENED: noted,
      DISPLAY: ':9',
      CI: '',
      BROWSER,
      FOLLOWED: followed,
    },
  };
}
