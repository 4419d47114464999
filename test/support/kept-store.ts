/**
 * Stores that released versions wrote. `test/storage/released/` has one file for each: the version, the files of a
 * closed instance, and a list of its data. `KEPT_KEY` opens them. The people are invented, and the keys belong to the
 * test.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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
  /** What the version answered at the end, by path: every GET of its API. */
  readonly reads?: Readonly<Record<string, unknown>>;
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

/** Lets the package in `root` write a store below `home`, and keeps that store under a name, or the package's version. */
export async function keepStore(root: string, home: string, name?: string): Promise<string> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const version = name ?? manifest.version;
  const daemon = await startDaemon({ home, root, isDurable: true, environment: KEPT_KEY });
  let holds: Kept;
  try {
    const held = await fill(daemon);
    const link = await fillFurther(daemon, held);
    holds = {
      ...held,
      accessLogEntries: await entriesOf(daemon),
      reads: await readAll(daemon, await pathsOf(daemon, held, link)),
    };
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

/** Writes what not every version has; what a version doesn't know is left out. Returns the id of a bank link. */
async function fillFurther(daemon: TestDaemon, held: Kept): Promise<string> {
  const maybe = (method: string, path: string, body?: object) =>
    ask(daemon, method, path, body).catch((): Record<string, unknown> => ({}));
  const { user } = held.image;
  const [business = ''] = Object.keys(held.businesses);
  await maybe('POST', `/users/${user}/tags`, { tag: 'kept' });
  await maybe('POST', `/users/${user}/label`, { kind: 'active' });
  await maybe('POST', `/users/${user}/decisions`, { status: 'fail', note: 'a decision to be kept' });
  await maybe('POST', `/businesses/${business}/owners`, { fp_id: user, ownership_stake: 40 });
  await maybe('POST', `/businesses/${business}/kyb`, { key: 'pb_test_kybdefault000000000000' });
  await maybe('POST', '/_kyclone/playbooks', { name: 'Kept', kind: 'kyc' });
  await maybe('POST', '/_kyclone/faults', { match: { path: '/nowhere' }, status: 500 });
  await maybe('POST', `/_kyclone/entities/${user}/notes`, { text: 'a note to be kept' });
  const intent = await maybe('POST', '/_kyclone/bank_link_intents', { fp_id: user, persona: 'thin' });
  const link = await maybe('POST', '/bank_links', { intent_token: intent['intent_token'] });
  await maybe('PUT', '/_kyclone/snapshots/kept');
  await ask(daemon, 'POST', '/_kyclone/keyring/rotate', {});
  // The rotation goes on in the background.
  await delay(2_000);
  return String(link['id']);
}

/** These change with time, with requests, or with the version. */
const PASSING_READS =
  /health|ready|info|requests|openapi|docs|form|hosted|stream|recording|client_token|\{token\}|content|clock|deliveries|verify|sessions|keyring|diff|personas|^\/org/;

/** Returns the paths of every GET of the version's own description, with the ids of what it holds. */
async function pathsOf(daemon: TestDaemon, held: Kept, link: string): Promise<string[]> {
  const { paths } = (await ask(daemon, 'GET', '/_kyclone/openapi.json')) as unknown as {
    paths: Record<string, { get?: object }>;
  };
  const runs = (await ask(daemon, 'GET', `/users/${held.image.user}/onboardings`)) as unknown as {
    data: { id: string }[];
  };
  const [business = ''] = Object.keys(held.businesses);
  const ids: Readonly<Record<string, readonly string[]>> = {
    fp_id: [...Object.keys(held.users), business],
    fp_bid: [business],
    link_id: [link],
    onboarding_id: runs.data.map(({ id }) => id),
    name: ['kept'],
    key: ['pb_test_kycdefault000000000000'],
    id: [...runs.data.map(({ id }) => id), held.outcomeRule, held.webhook],
  };
  const filled = (path: string): string[] => {
    const [whole, name = ''] = /\{(\w+)\}/.exec(path) ?? [];
    if (whole === undefined) return [path];
    return (ids[name] ?? []).flatMap((id) => filled(path.replace(whole, id)));
  };
  return Object.entries(paths)
    .filter(([path, { get }]) => get !== undefined && !PASSING_READS.test(path))
    .flatMap(([path]) => filled(path));
}

/** Returns the answers that are not refusals, by path. */
export async function readAll(
  daemon: TestDaemon,
  paths: readonly string[],
): Promise<Record<string, unknown>> {
  const reads: Record<string, unknown> = {};
  for (const path of paths) {
    const answer: unknown = await ask(daemon, 'GET', path).catch(() => undefined);
    if (answer !== undefined) reads[path] = answer;
  }
  return reads;
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
