/**
 * Loads the CommonJS scripts of the package from memory. A script is compiled from V8's code cache where there is one,
 * as Node does for files with a compile cache.
 */
import { isBuiltin } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { Script } from 'node:vm';

export interface Content {
  /** The folder of the package. Scripts have names below it, so that they say nothing about where they were made. */
  readonly root: string;
  /** Returns a file of the package by its path. Throws when there is none. */
  readonly read: (path: string) => Buffer;
  /** Called for each script that was compiled. */
  readonly onCompiled?: (path: string, script: Script) => void;
}

/** What the name of a script's code cache has behind the name of the script. */
export const CODE_CACHE = '.cache';

interface Module {
  exports: unknown;
}

type Compiled = (
  exports: unknown,
  require: (id: string) => unknown,
  module: Module,
  filename: string,
  folder: string,
) => void;

/** Returns the `require` of a script at `path`. */
export function createLoader({ root, read, onCompiled }: Content): (path: string) => unknown {
  const modules = new Map<string, Module>();

  function load(path: string): unknown {
    const known = modules.get(path);
    if (known) return known.exports;
    const module: Module = { exports: {} };
    modules.set(path, module);
    const source = read(path).toString('utf8');
    if (path.endsWith('.json')) {
      module.exports = JSON.parse(source) as unknown;
      return module.exports;
    }
    const script = new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
      filename: join('kyclone', relative(root, path)),
      ...cacheOf(path),
    });
    onCompiled?.(path, script);
    const folder = dirname(path);
    const run = script.runInThisContext() as Compiled;
    run(module.exports, (id) => requireFrom(folder, id), module, path, folder);
    return module.exports;
  }

  function cacheOf(path: string): { cachedData?: Buffer } {
    try {
      return { cachedData: read(`${path}${CODE_CACHE}`) };
    } catch {
      return {};
    }
  }

  function requireFrom(folder: string, id: string): unknown {
    if (isBuiltin(id)) return process.getBuiltinModule(id);
    if (id.startsWith('.') || isAbsolute(id)) return load(resolve(folder, id));
    throw Object.assign(new Error(`There is no package ${id} in this executable`), {
      code: 'MODULE_NOT_FOUND',
    });
  }

  return load;
}
