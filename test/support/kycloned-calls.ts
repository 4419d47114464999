/** Calls to a real daemon that many tests make, and changes of its store while it is stopped. */
import { expect } from 'vitest';
import { openBinding, type Database } from '../../src/storage/binding.ts';
import { startKycloned, type CallOptions, type Kycloned, type Response } from './kycloned.ts';

/** The answer about data that somebody changed or that a disk damaged. */
export const DAMAGED = { status: 503, body: { code: 'vault_damaged' } };

/** Requires success and returns the body. */
export async function done(call: Promise<Response>): Promise<Response['body']> {
  const { status, body, text } = await call;
  expect([status, text]).toEqual([200, text]);
  return body;
}

/** Creates a user and returns its id. */
export async function aUser(daemon: Kycloned, body?: object): Promise<string> {
  return String((await done(daemon.call('POST', '/users', { body })))['id']);
}

export function decrypt(daemon: Kycloned, fp_id: string, fields: readonly string[], options?: CallOptions) {
  const body = { fields, reason: 'a test' };
  return daemon.call('POST', `/users/${fp_id}/vault/decrypt`, { ...options, body });
}

/** Returns all items of a list, page by page. `read` calls it with a query. */
export async function listAll<Item>(read: (query: string) => Promise<Response>): Promise<Item[]> {
  const found: Item[] = [];
  for (let query = '?page_size=100'; ;) {
    const body = await done(read(query));
    found.push(...(body['data'] as Item[]));
    const { next } = body['meta'] as { next: string | null };
    if (next === null) return found;
    query = `?page_size=100&cursor=${encodeURIComponent(next)}`;
  }
}

/** Opens the store of a stopped daemon. */
export function inStore<T>(path: string, work: (store: Database) => T): T {
  const store = openBinding(path);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

/** Stops the daemon, changes its store, and starts it again. */
export async function restartedAfter(daemon: Kycloned, change: (store: Database) => void): Promise<Kycloned> {
  await daemon.stop();
  inStore(daemon.paths.storeFile, change);
  return startKycloned({ home: daemon.home });
}
