import { fileURLToPath } from 'node:url';
import { readOwnFile } from '../kernel/program/single-file.ts';

export interface OwnPackage {
  readonly version: string;
  /** The folder of what is built for browsers. */
  readonly builtFolder: string;
  /** The daemon's own script. */
  readonly daemonScriptFile: string;
}

/** Both the bundles in dist/ and the files in src/ are below the package, so the first package.json upwards is ours. */
export function ownPackage(): OwnPackage {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    try {
      const { version } = JSON.parse(readOwnFile(fileURLToPath(new URL('package.json', folder)))) as {
        version: string;
      };
      return {
        version,
        builtFolder: fileURLToPath(new URL('dist', folder)),
        daemonScriptFile: fileURLToPath(new URL('bin/kycloned.js', folder)),
      };
    } catch (error) {
      if (folder.pathname === '/') throw error;
    }
  }
}
