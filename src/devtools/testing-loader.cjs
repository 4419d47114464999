// Runs testing-bundle.cjs from the compiled code that the build stores beside it, which halves the waiting time of a
// test file. V8 checks that the code matches the text and its own version; otherwise it compiles as usual.
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { dirname, join } = require('node:path');
const { Script, constants, runInThisContext } = require('node:vm');

const file = join(__dirname, 'testing-bundle.cjs');
const cacheFile = `${file}.cache`;

function readCache() {
  try {
    return readFileSync(cacheFile);
  } catch {
    return undefined;
  }
}

/**
 * A function, so that the cache is freed after loading. The build writes ASCII (src/devtools/ascii.ts): one byte a
 * character.
 */
function compile(cachedData) {
  return new Script(wrap(readFileSync(file, 'latin1')), {
    // The file name that V8 keeps in the cache and shows in stacks. It contains no path of the machine that built the
    // package.
    filename: 'kyclone/dist/testing-bundle.cjs',
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}

function load(script) {
  const bundle = { exports: {} };
  script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, dirname(file));
  return bundle.exports;
}

/** The build runs this function: it uses what a test uses, and stores the compiled code. */
async function writeCache() {
  const script = compile();
  const kyclone = await load(script).startKyclone({ seed: 'cache', clock: '2026-01-31T12:00:00Z' });
  await kyclone.client.call('POST /users', { body: { 'id.first_name': 'Jane' } });
  await kyclone.reset();
  await kyclone.close();
  writeFileSync(cacheFile, script.createCachedData(), { mode: 0o644 });
}

/** A test runner's sandbox has its own `Error` and `Date`; objects created in it have to use those. */
function isSandbox() {
  return runInThisContext('Object') !== Object;
}

if (require.main === module) void writeCache();
else {
  const cache = isSandbox() ? undefined : readCache();
  module.exports = cache === undefined ? require('./testing-bundle.cjs') : load(compile(cache));
}
