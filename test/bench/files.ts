/** Uploads and downloads many files at once, while the bench measures the daemon's memory. */
import { request as send, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Server } from './processes.ts';

const IDENTIFIER = 'document.passport.front.image';

export function createEmptyUsers(server: Server, count: number): Promise<string[]> {
  return together(Array.from({ length: count }), async () => {
    const { id } = await asJson<{ id: string }>(exchange(server, 'POST', '/users', {}));
    return id;
  });
}

/** Uploads a file for each user, each on a connection of its own. */
export async function uploadTogether(server: Server, users: readonly string[], bytes: number): Promise<void> {
  const content = Buffer.alloc(bytes, 'a file of the benchmark ');
  await together(users, (id) => exchange(server, 'POST', `/users/${id}/vault/${IDENTIFIER}/upload`, content));
}

/** Makes a download token for the file of each user. */
export function downloadTokens(server: Server, users: readonly string[]): Promise<string[]> {
  const body = { scope: 'decrypt_download', fields: [IDENTIFIER], decrypt_reason: 'benchmark' };
  return together(users, async (id) => {
    const minted = exchange(server, 'POST', `/users/${id}/client_token`, body);
    return (await asJson<{ token: string }>(minted)).token;
  });
}

export async function downloadTogether(
  server: Server,
  tokens: readonly string[],
  bytes: number,
): Promise<void> {
  await together(tokens, async (token) => {
    const received = await exchange(server, 'GET', `/users/vault/decrypt/${token}`);
    if (received.length !== bytes) throw new Error(`${received.length} bytes came in place of ${bytes}`);
  });
}

function together<One, Other>(items: readonly One[], work: (item: One) => Promise<Other>): Promise<Other[]> {
  return Promise.all(items.map(work));
}

async function asJson<T>(answer: Promise<Buffer>): Promise<T> {
  return JSON.parse((await answer).toString('utf8')) as T;
}

/** Returns the body of an answer, which must be a 200. Bytes are sent as a file, anything else as JSON. */
async function exchange(
  server: Server,
  method: string,
  path: string,
  body?: Buffer | object,
): Promise<Buffer> {
  const isFile = Buffer.isBuffer(body);
  const headers = { ...server.headers, ...(isFile && { 'content-type': 'image/png' }) };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = send(`${server.url}${path}`, { method, headers, agent: false }, resolve);
    outgoing.once('error', reject).end(isFile || body === undefined ? body : JSON.stringify(body));
  });
  const bytes = await buffer(incoming);
  if (incoming.statusCode !== 200) throw new Error(`${method} ${path}: ${bytes.toString('utf8')}`);
  return bytes;
}
