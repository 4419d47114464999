// Loads a bundle of dist/ from the compiled code that the build stores beside it. V8 checks that the code matches the
// text and its own version. If it doesn't, or there is none, V8 compiles the text as usual.
'use strict';
const { readFileSync } = process.getBuiltinModule('fs');
const { createRequire, wrap } = process.getBuiltinModule('module');
const { Script, constants } = process.getBuiltinModule('vm');
const { basename, dirname } = process.getBuiltinModule('path');

exports.cacheOf = (file) => `${file}.cache`;

function readCache(file) {
  try {
    return readFileSync(exports.cacheOf(file));
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
  const text = readFileSync(file, 'latin1');
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
