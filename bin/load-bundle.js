// Loads a bundle of dist/ from the compiled code that the build left beside it. V8 checks that the code is of this text
// and of this version of itself; if it isn't, or there is none, the text is compiled as usual.
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
 * What V8 keeps in the cache and shows in stacks: no folder of the machine that built the package. It is a text of its
 * own: of a part of a path, V8 would keep the whole path.
 */
const nameOf = (file) => Buffer.from(`kyclone/dist/${basename(file)}`).toString();

/** In a function, so that the cache doesn't outlive the loading. The build writes ASCII (src/devtools/ascii.ts): one byte a character. */
exports.compile = (file) => {
  const text = readFileSync(file, 'latin1');
  return new Script(text.startsWith('(function (exports,') ? text : wrap(text), {
    filename: nameOf(file),
    cachedData: readCache(file),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
};

/** What the bundle exports. */
exports.run = (script, file) => {
  const bundle = { exports: {} };
  script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, dirname(file));
  return bundle.exports;
};
