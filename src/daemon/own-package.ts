import { fileURLToPath } from 'node:url';
import { readOwnFile } from '../kernel/program/single-file.ts';

export interface OwnPackage {
  readonly version: string;
  /** The built browser scripts. */
  readonly formScriptFile: string;
  readonly hostedScriptFile: string;
  readonly browserScriptFile: string;
  readonly consoleFolder: string;
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
        formScriptFile: fileURLToPath(new URL('dist/form.js', folder)),
        hostedScriptFile: fileURLToPath(new URL('dist/hosted.js', folder)),
        browserScriptFile: fileURLToPath(new URL('dist/browser.global.js', folder)),
        consoleFolder: fileURLToPath(new URL('dist/console', folder)),
        daemonScriptFile: fileURLToPath(new URL('bin/kycloned.js', folder)),
      };
    } catch (error) {
      if (folder.pathname === '/') throw error;
    }
  }
}
