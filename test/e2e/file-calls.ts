/** File calls to a real daemon over HTTP, and what the daemon stores of files on disk. */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { request as send, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Database } from '../../src/storage/binding.ts';
import { expect } from 'vitest';
import { until, type Kycloned, type Response } from '../support/kycloned.ts';
import { decrypt, inStore } from '../support/kycloned-calls.ts';
import { tempDir } from '../support/temp-dir.ts';

export const FRONT = 'document.id_card.front.image';
export const BACK = 'document.id_card.back.image';

/** Returns the same bytes for the same seed, and other bytes for any other seed. No two parts of them are equal. */
export function bytesOf(seed: string, length: number): Buffer {
  return createHash('shake256', { outputLength: length }).update(seed).digest();
}

/** `isWhole` is false for a response that was cut off, `code` the error code of a refusal. */
export type Transferred = Awaited<ReturnType<typeof received>>;

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly agent?: Agent;
}

/** Makes one request with bytes in and bytes out. Rejects when no response begins. */
export async function transfer(url: string, method: string, sending: Sending = {}): Promise<Transferred> {
  const outgoing = open(url, method, sending);
  outgoing.end(sending.body);
  return received(await answerTo(outgoing));
}

function open(url: string, method: string, { headers = {}, agent }: Sending): ClientRequest {
  const outgoing = send(url, { method, headers, agent: agent ?? false });
  // Some tests end the daemon during a call. The caller that awaits the response sees the failure.
  outgoing.on('error', () => undefined);
  return outgoing;
}

function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
}

async function received(incoming: IncomingMessage) {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    // The response was cut off; the bytes before that count.
  }
  const bytes = Buffer.concat(chunks);
  const { statusCode: status = 0, headers, complete: isWhole } = incoming;
  return { status, headers, bytes, isWhole, code: status >= 400 ? codeIn(bytes) : undefined };
}

function codeIn(bytes: Buffer): unknown {
  try {
    return (JSON.parse(bytes.toString('utf8')) as { code?: unknown }).code;
  } catch {
    return undefined;
  }
}

/** Deletes identifiers of a user. Node sends the body of a DELETE only with a stated length. */
export function deleteFromVault(daemon: Kycloned, fp_id: string, request: object): Promise<Response> {
  const body = JSON.stringify(request);
  const headers = { 'content-length': String(Buffer.byteLength(body)) };
  return daemon.call('DELETE', `/users/${fp_id}/vault`, { body, headers });
}

/** Names a datum of an entity. The credential is the local user's key unless a token is given. */
export interface Target {
  readonly fp_id: string;
  readonly identifier: string;
  readonly token?: string;
}

export interface UploadOptions {
  readonly type?: string;
  readonly agent?: Agent;
}

function uploadTo(daemon: Kycloned, { fp_id, identifier, token }: Target, { type, agent }: UploadOptions) {
  const kind = fp_id.startsWith('fp_bid_') ? 'businesses' : 'users';
  const path = token === undefined ? `/${kind}/${fp_id}/vault` : '/users/vault';
  const credential =
    token === undefined ? { 'x-service-secret-key': daemon.keys.sandbox } : { 'x-fp-authorization': token };
  return {
    url: `${daemon.url}${path}/${identifier}/upload`,
    sending: { headers: { 'content-type': type ?? 'image/png', ...credential }, ...(agent && { agent }) },
  };
}

export function upload(
  daemon: Kycloned,
  target: Target,
  body: Uint8Array,
  options: UploadOptions = {},
): Promise<Transferred> {
  const { url, sending } = uploadTo(daemon, target, options);
  return transfer(url, 'POST', { ...sending, body });
}

/** Makes an upload that must succeed; returns the new vault version. */
export async function uploaded(daemon: Kycloned, target: Target, body: Uint8Array): Promise<number> {
  const { status, headers, bytes } = await upload(daemon, target, body);
  expect(status, bytes.toString('utf8')).toBe(200);
  return Number(headers['x-fp-vault-version']);
}

/** Starts an upload and sends half of it. The daemon has begun to write a file when this returns. */
export async function uploadUnderWay(
  daemon: Kycloned,
  target: Target,
  body: Uint8Array,
  folder = filesFolder(daemon),
) {
  const before = new Set(drafts(folder));
  const { url, sending } = uploadTo(daemon, target, {});
  const headers = { ...sending.headers, 'content-length': String(body.length) };
  const outgoing = open(url, 'POST', { headers });
  const answer = answerTo(outgoing);
  answer.catch(() => undefined);
  const half = Math.floor(body.length / 2);
  outgoing.write(body.subarray(0, half));
  await until('the upload is being written', () => drafts(folder).some((name) => !before.has(name)));
  return {
    /** Sends the rest and returns the response. */
    async finish(): Promise<Transferred> {
      outgoing.end(body.subarray(half));
      return received(await answer);
    },
  };
}

/** Mints a token for this datum, for downloads unless another scope is given. */
export async function aToken(
  daemon: Kycloned,
  { fp_id, identifier }: Target,
  scope = 'decrypt_download',
): Promise<string> {
  const kind = fp_id.startsWith('fp_bid_') ? 'businesses' : 'users';
  const body = { scope, fields: [identifier], decrypt_reason: 'a test' };
  const answer = await daemon.call('POST', `/${kind}/${fp_id}/client_token`, { body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body['token'] as string;
}

export async function download(daemon: Kycloned, target: Target): Promise<Transferred> {
  return downloadWith(daemon, target.token ?? (await aToken(daemon, target)));
}

export function downloadWith(daemon: Kycloned, token: string): Promise<Transferred> {
  return transfer(`${daemon.url}/users/vault/decrypt/${token}`, 'GET');
}

/** Starts a download and waits for the head of its response; `rest` reads the body. */
export async function downloadUnderWay(
  daemon: Kycloned,
  token: string,
): Promise<{ status: number; rest(): Promise<Transferred> }> {
  const outgoing = open(`${daemon.url}/users/vault/decrypt/${token}`, 'GET', {});
  outgoing.end();
  const incoming = await answerTo(outgoing);
  return { status: incoming.statusCode ?? 0, rest: () => received(incoming) };
}

/** Returns what decrypt returns for references (`<identifier>` or `<identifier>:<version>`), with files as bytes. */
export async function decrypted(
  daemon: Kycloned,
  fp_id: string,
  ...fields: string[]
): Promise<(Buffer | undefined)[]> {
  const answer = await decrypt(daemon, fp_id, fields);
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  return fields.map((field) => {
    const value = answer.body[field];
    return typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
  });
}

/** Compares bytes. A failure doesn't print megabytes. */
export function expectSame(actual: Buffer | undefined, expected: Buffer, what = 'bytes'): void {
  expect([what, actual?.length, actual?.equals(expected)]).toEqual([what, expected.length, true]);
}

/** Checks the bytes of a download that may have been cut off: they are all stored bytes or the beginning of them. */
export function expectWholeOrCutOff({ bytes, isWhole }: Transferred, stored: Buffer): void {
  if (isWhole) expectSame(bytes, stored);
  else expectSame(bytes, stored.subarray(0, bytes.length), 'the beginning');
}

/** Returns the folder in which a durable instance stores its sealed files. */
export const filesFolder = ({ paths }: Pick<Kycloned, 'paths'>) => join(paths.dataDirectory, 'files');

export const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);

/** Returns the files that are being written, or were when their daemon was killed. */
export const drafts = (folder: string) => filesIn(folder).filter((name) => name.endsWith('.part'));

export interface FileRow {
  readonly name: string;
  readonly fp_id: string;
  readonly identifier: string;
  readonly version: number;
}

/** Returns the files that a store names, in order of their names. A daemon that has the store open must be idle. */
export function filesInStore(daemon: Pick<Kycloned, 'paths'>): FileRow[] {
  return inCopyOfStore(daemon, (store) =>
    store
      .prepare(
        `SELECT name, fp_id, identifier, version FROM vault_files
         JOIN entities ON entities.id = vault_files.entity ORDER BY name`,
      )
      .all(),
  ) as FileRow[];
}

/** Opens a copy, so that the store keeps its log and has no lock. */
export function inCopyOfStore<T>({ paths }: Pick<Kycloned, 'paths'>, work: (store: Database) => T): T {
  using folder = tempDir();
  const copy = join(folder.path, 'vault.db');
  for (const end of ['', '-wal']) {
    if (existsSync(`${paths.storeFile}${end}`)) copyFileSync(`${paths.storeFile}${end}`, `${copy}${end}`);
  }
  return inStore(copy, work);
}

/** Checks that the folder holds exactly the files that the store names. */
export function expectNoOrphans(daemon: Pick<Kycloned, 'paths'>): void {
  expect(filesIn(filesFolder(daemon))).toEqual(filesInStore(daemon).map(({ name }) => name));
}
