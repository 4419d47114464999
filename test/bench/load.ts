import autocannon from 'autocannon';
import type { Server } from './processes.ts';

export const CONNECTIONS = 50;

/** Ten fields of a person who doesn't exist. */
export const USER = {
  'id.first_name': 'Piper',
  'id.last_name': 'Quimby',
  'id.dob': '1988-12-30',
  'id.ssn9': '900-12-3456',
  'id.address_line1': '1 Example Street',
  'id.city': 'Springfield',
  'id.state': 'IL',
  'id.zip': '62701',
  'id.country': 'US',
  'id.email': 'piper.quimby@example.com',
};
export const DECRYPTION = { fields: ['id.first_name', 'id.ssn9', 'id.email'], reason: 'benchmark' };

export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** The number of answers other than 2xx, errors and time-outs. */
  readonly failures: number;
}

/** Without `connections` there are `CONNECTIONS`. */
type Limit = ({ readonly duration: number } | { readonly amount: number }) & {
  readonly connections?: number;
};

/** The identifiers in which the n-th person differs from the others. */
export type PersonOf = (serial: number) => Readonly<Record<string, string>>;

/** No person is a duplicate of another. */
export const strangers: PersonOf = (serial) => ({
  'id.ssn9': String(100_000_000 + serial),
  'id.email': `p${serial}@example.com`,
  'id.last_name': `Quimby ${serial}`,
});

/** Creates users with ten fields. */
export async function createUsers(
  server: Server,
  limit: Limit,
  onId: (id: string) => void = () => undefined,
  personOf: PersonOf = strangers,
): Promise<Load> {
  let serial = 0;
  return run(server, limit, {
    method: 'POST',
    path: '/users',
    setupRequest: (request) => {
      serial += 1;
      return { ...request, body: JSON.stringify({ ...USER, ...personOf(serial) }) };
    },
    onResponse: (status, body) => {
      if (status === 200) onId((JSON.parse(body) as { id: string }).id);
    },
  });
}

/** Decrypts three fields of random users in the list. */
export async function decryptUsers(
  server: Server,
  limit: Limit,
  ids: readonly string[],
  path: (id: string) => string,
): Promise<Load> {
  const next = choice(ids);
  return run(server, limit, {
    method: 'POST',
    body: JSON.stringify(DECRYPTION),
    setupRequest: (request) => ({ ...request, path: path(next()) }),
  });
}

/** Returns a function that chooses from the list, each as often as any other, and the same ones in each run. */
export function choice(list: readonly string[]): () => string {
  let state = 0;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return list[Math.floor((state / 2 ** 32) * list.length)] ?? '';
  };
}

export const kyclonePath = (id: string) => `/users/${id}/vault/decrypt`;
export const baselinePath = (id: string) => `/users/${id}/read`;

/** Creates this number of users and returns their ids. */
export async function someUsers(server: Server, amount: number, personOf?: PersonOf): Promise<string[]> {
  const ids: string[] = [];
  const { failures } = await createUsers(server, { amount }, (id) => ids.push(id), personOf);
  if (failures > 0) throw new Error(`${failures} of ${amount} users could not be created`);
  return ids;
}

/** A body with three tokens for a request to a third party. A header names the entity. */
const TEMPLATE = JSON.stringify({
  name: '{{ id.first_name }}',
  ssn: '{{ id.ssn9 }}',
  email: '{{ id.email | to_uppercase }}',
});

/** Sends a body to `target`. A server that resolves tokens puts three values of a random user of the list into it. */
export async function forwardAbout(
  server: Server,
  limit: Limit,
  { ids, target, path }: { ids: readonly string[]; target: string; path: string },
): Promise<Load> {
  const next = choice(ids);
  const headers = {
    ...server.headers,
    'x-target-url': target,
    'x-fp-proxy-target-url': target,
    'x-fp-proxy-access-reason': 'benchmark',
  };
  return run({ ...server, headers }, limit, {
    method: 'POST',
    path,
    body: TEMPLATE,
    setupRequest: (request) => ({ ...request, headers: { ...request.headers, 'x-fp-id': next() } }),
  });
}

async function run(server: Server, limit: Limit, request: autocannon.Request): Promise<Load> {
  const result = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    ...limit,
    requests: [{ ...request, headers: server.headers }],
  });
  return {
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}
