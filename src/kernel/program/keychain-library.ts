/** The native library of the operating system's keychain, for a process of its own (src/vault/keyring/key-source.ts). */
import { attempt } from '../attempt.ts';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownRequire } from './own-require.ts';
import { ownPathBases } from '../files/paths.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { writePrivateFile } from '../files/private-write.ts';
import { singleFile } from './single-file.ts';

const PACKAGE = '@napi-rs/keyring';

/**
 * What `require` loads. The system loads a native library from a file only, so the executable writes the one that is
 * inside: once, into a folder of the user. Throws when there is none, or when that folder can't be used.
 */
export function keychainLibrary(): string {
  const content = singleFile()?.read(join(process.execPath, 'native', 'keychain.node'));
  if (content === undefined) return ownRequire(import.meta.url).resolve(PACKAGE);
  const folder = join(ownPathBases(process.env, process.platform).config, 'native');
  const path = join(folder, `${createHash('sha256').update(content).digest('hex')}.node`);
  makePrivateFolder(folder);
  if (!hasContent(path, content)) writePrivateFile(path, content);
  return path;
}

function hasContent(path: string, content: Buffer): boolean {
  return attempt(() => readFileSync(path).equals(content)) === true;
}
