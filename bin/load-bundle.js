// Loads a bundle of dist/ from the compiled code that the build stores beside it. V8 checks that the code matches the
// text and its own version. If it doesn't, or there is none, V8 compiles the text as usual.
'use strict';
const { closeSync, fstatSync, openSync, readSync } = process.getBuiltinModule('fs');
const { createRequire, wrap } = process.getBuiltinModule('module');
const { Script, constants } = process.getBuiltinModule('vm');
const { basename, dirname } = process.getBuiltinModule('path');

exports.cacheOf = (file) => `${file}.cache`;

/**
 * The bytes of a file, in memory of V8 instead of the C library. The library would keep up to twice the size of the
 * largest piece that was ever freed, for the life of the process.
 */
function readWhole(file) {
  const handle = openSync(file);
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.from(new ArrayBuffer(size, { maxByteLength: size }));
    for (let at = 0; at < size;) {
      const read = readSync(handle, bytes, at, size - at);
      if (read === 0) throw new Error(`${file} became shorter while it was read`);
      at += read;
    }
    return bytes;
  } finally {
    closeSync(handle);
  }
}

function readCache(file) {
  try {
    return readWhole(exports.cacheOf(file));
  } catch {
    return undefined;
  }
}

/**
 * The file name that V8 keeps in the cache and shows in stacks. It contains no path of the machine that built the
 * package. The copy matters: V8 would keep the whole path if this were a slice of it.
 */
const nameOf = (file) => Buffer.from(`kyclone/dist/${basename(file)}`).toString();

/** A function, so that the cache is freed after loading. The build writes ASCII (src/devtools/ascii.ts): one byte a character. */
exports.compile = (file) => {
  const text = readWhole(file).toString('latin1');
  return new Script(text.startsWith('(function (exports,') ? text : wrap(text), {
    filename: nameOf(file),
    cachedData: readCache(file),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
};

/** Runs the bundle and returns its exports. */
exports.run = (script, file) => {
  const bundle = { exports: {} };
  script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, dirname(file));
  return bundle.exports;
};
