import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface OwnPackage {
  readonly version: string;
  /** The built browser scripts. */
  readonly formScriptFile: string;
  readonly hostedScriptFile: string;
  readonly browserScriptFile: string;
  /** The daemon's own script. */
  readonly daemonScriptFile: string;
}

/** Both the bundles in dist/ and the files in src/ are below the package, so the first package.json upwards is ours. */
export function ownPackage(): OwnPackage {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    try {
      const { version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
        version: string;
      };
      return {
        version,
        formScriptFile: fileURLToPath(new URL('dist/form.js', folder)),
        hostedScriptFile: fileURLToPath(new URL('dist/hosted.js', folder)),
        browserScriptFile: fileURLToPath(new URL('dist/browser.global.js', folder)),
        daemonScriptFile: fileURLToPath(new URL('bin/kycloned.js', folder)),
      };
    } catch (error) {
      if (folder.pathname === '/') throw error;
    }
  }
}
