/**
 * kyclone as one executable (docs/install.md): Node with the package inside. There is no folder of the package, and no
 * Node to run its scripts. So whatever reads a file of the package or starts a process of its own comes here. The
 * executable offers its content before it loads a bundle (src/single-file/main.ts).
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

export interface SingleFile {
  /**
   * Returns a file of the package. Its path is below that of the executable, where the file system has nothing. Throws
   * as `readFileSync` does when there is none.
   */
  readonly read: (path: string) => Buffer;
}

const CONTENT = Symbol.for('kyclone.single-file');

/** Undefined in the package. */
export function singleFile(): SingleFile | undefined {
  return (globalThis as { [CONTENT]?: SingleFile })[CONTENT];
}

/** Called by the executable alone. */
export function offerSingleFile(content: SingleFile): void {
  Object.defineProperty(globalThis, CONTENT, { value: content });
}

/** The first word that makes the executable another program than `kyclone`: its name behind a colon. */
export const PROGRAM_MARK = ':';
/** The program of the executable that runs code, as `node -e` does. */
export const SNIPPET = 'snippet';

/** Reads a file of the package. */
export function readOwnFile(path: string): string {
  const content = singleFile();
  return content === undefined ? readFileSync(path, 'utf8') : content.read(path).toString('utf8');
}

/** What `process.execPath` takes to run a script of `bin/`. `nodeOptions` are for Node: the executable has its own. */
export function programArguments(
  script: string,
  options: readonly string[],
  nodeOptions: readonly string[] = [],
): string[] {
  return singleFile() === undefined
    ? [...nodeOptions, script, ...options]
    : [`${PROGRAM_MARK}${basename(script, '.js')}`, ...options];
}

/** What `process.execPath` takes to run code as CommonJS. The arguments begin at `process.argv[1]`. */
export function snippetArguments(code: string, ...options: readonly string[]): string[] {
  return singleFile() === undefined
    ? ['-e', code, '--', ...options]
    : [`${PROGRAM_MARK}${SNIPPET}`, code, ...options];
}
