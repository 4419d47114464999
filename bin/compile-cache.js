// From Node 22.8 on, Node keeps the code that it has compiled, by its own exact version and the platform, so that the
// next command or start takes half the time. The folder belongs to the user, and nobody else can write to it.
'use strict';
const { mkdirSync, lstatSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { homedir } = require('node:os');
const { join } = require('node:path');

const OTHERS_MAY_WRITE = 0o022;

function isOwn(folder) {
  const { uid, mode } = lstatSync(folder);
  return (mode & OTHERS_MAY_WRITE) === 0 && (process.getuid === undefined || uid === process.getuid());
}

try {
  if (enableCompileCache) {
    const own = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'kyclone');
    const folder = join(own, 'compiled');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isOwn(own) && isOwn(folder)) enableCompileCache(folder);
  }
} catch {
  // Without a home, or where it can't be written to, everything is compiled each time.
}
