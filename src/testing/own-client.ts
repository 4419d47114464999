import { createClient, type Client } from '../client/client.ts';
import type { Connection } from '../client/credentials.ts';

/** A client that calls `check` before every call; `check` may throw. */
export function guardedClient(connection: Connection, check: () => void): Client {
  const client = createClient(connection);
  return {
    async call(key, ...options) {
      check();
      return await client.call(key, ...options);
    },
    async exchange(key, ...options) {
      check();
      return await client.exchange(key, ...options);
    },
    async upload(key, options) {
      check();
      return await client.upload(key, options);
    },
    async download(token, options) {
      check();
      return await client.download(token, options);
    },
    async snapshotContent(name, options) {
      check();
      return await client.snapshotContent(name, options);
    },
    async request(request) {
      check();
      return await client.request(request);
    },
  };
}
