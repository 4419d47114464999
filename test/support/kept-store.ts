/**
 * Stores that released versions wrote. `test/storage/released/` has one file for each: the version, the files of a
 * closed instance, and a list of its data. `KEPT_KEY` opens them. The people are invented, and the keys belong to the
 * test.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ROOT, startDaemon, type TestDaemon } from './daemon.ts';
import { ask, PNG } from './example-world.ts';

export const RELEASED = join(ROOT, 'test', 'storage', 'released');
const ENDING = '.store';
/** The key that opens every kept store. */
export const KEPT_KEY = { KYCLONE_VAULT_KEY: '5a'.repeat(32) };
/** Files that every start writes again. */
const PASSING = /(?:^|\/)(?:daemon\.json|reserve|lock|[^/]*\.lock|[^/]*\.log|[^/]*-shm)$/;

/** The data that was written into the store. Every later version must return it. */
export interface Kept {
  readonly users: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly businesses: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A user with an image of a document, and the image's identifier. Its bytes are those of `PNG`. */
  readonly image: { readonly user: string; readonly identifier: string };
  /** A verified user, and the user's status. */
  readonly verified: { readonly user: string; readonly status: string };
  readonly outcomeRule: string;
  readonly webhook: string;
  readonly accessLogEntries: number;
}

interface KeptFile {
  readonly version: string;
  readonly holds: Kept;
  /** The files by their path below the home, compressed, as base64. */
  readonly files: Readonly<Record<string, string>>;
}

/** Returns the versions with a kept store, ascending by name. */
export function keptVersions(): string[] {
  const names = readdirSync(RELEASED).filter((name) => name.endsWith(ENDING));
  return names.map((name) => name.slice(0, -ENDING.length)).sort();
}

/** Writes the files of a version's store below `home`. */
export function layOut(version: string, home: string): Kept {
  const { holds, files } = JSON.parse(
    readFileSync(join(RELEASED, `${version}${ENDING}`), 'utf8'),
  ) as KeptFile;
  for (const [path, content] of Object.entries(files)) {
    const target = join(home, path);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, gunzipSync(Buffer.from(content, 'base64')), { mode: 0o600 });
  }
  return holds;
}

/** Lets the package in `root` write a store below `home`, and keeps that store under the package's version. */
export async function keepStore(root: string, home: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const daemon = await startDaemon({ home, root, isDurable: true, environment: KEPT_KEY });
  let holds: Kept;
  try {
    holds = await fill(daemon);
  } finally {
    await daemon.end();
  }
  const kept: KeptFile = { version, holds, files: Object.fromEntries(filesBelow(home, '')) };
  mkdirSync(RELEASED, { recursive: true });
  const path = join(RELEASED, `${version}${ENDING}`);
  writeFileSync(path, `${JSON.stringify(kept, undefined, 1)}\n`, { flag: 'wx' });
  return path;
}

/** Fills the store with calls that every version has. */
async function fill(daemon: TestDaemon): Promise<Kept> {
  const person = {
    'id.first_name': 'Jane',
    'id.last_name': 'Doe',
    'id.dob': '1990-01-31',
    'id.ssn9': '219099999',
    'id.email': 'jane@example.com',
    'id.phone_number': '+14155550123',
    'id.address_line1': '1 Main St',
    'id.city': 'Springfield',
    'id.state': 'IL',
    'id.zip': '62701',
    'id.country': 'US',
  };
  const other = { 'id.first_name': 'Zoë', 'custom.note': 'a note\nof two lines' };
  const company = { 'business.name': 'Doe Bakery LLC', 'business.tin': '070000001' };
  const { id: jane } = await ask(daemon, 'POST', '/users', person);
  const { id: zoe } = await ask(daemon, 'POST', '/users', other);
  const { id: bakery } = await ask(daemon, 'POST', '/businesses', company);
  const identifier = 'document.passport.front.image';
  await ask(daemon, 'POST', `/users/${jane}/vault/${identifier}/upload`, PNG);
  const match = { external_id: 'nobody-*' };
  const { id: outcomeRule } = await ask(daemon, 'POST', '/_kyclone/outcomes', { match, outcome: 'fail' });
  const url = 'http://127.0.0.1:9/hooks';
  const { id: webhook } = await ask(daemon, 'POST', '/_kyclone/webhooks', { url });
  const run = await ask(daemon, 'POST', `/users/${jane}/kyc`, { key: 'pb_test_kycdefault000000000000' });
  const wanted = { fields: ['id.first_name'], reason: 'a store to be kept' };
  await ask(daemon, 'POST', `/users/${jane}/vault/decrypt`, wanted);
  return {
    users: { [jane]: person, [zoe]: other },
    businesses: { [bakery]: company },
    image: { user: jane, identifier },
    verified: { user: jane, status: String(run['status']) },
    outcomeRule,
    webhook,
    accessLogEntries: await entriesOf(daemon),
  };
}

/** Returns the number of entries of the access log. Throws if the log is not whole. */
export async function entriesOf(daemon: TestDaemon): Promise<number> {
  const verdict = await ask(daemon, 'GET', '/_kyclone/access-log/verify');
  if (verdict['ok'] !== true) throw new Error(`the access log is not whole: ${JSON.stringify(verdict)}`);
  return Number(verdict['checked']);
}

function filesBelow(home: string, folder: string): [path: string, content: string][] {
  return readdirSync(join(home, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesBelow(home, path);
    if (!entry.isFile() || PASSING.test(path)) return [];
    return [[path, gzipSync(readFileSync(join(home, path)), { level: 9 }).toString('base64')]];
  });
}
