/**
 * Instances side by side, and one instance with many tenants. The bare program of the same run is the measure: its
 * start is `node -e 0`, its memory and its requests those of one bare server under the same number of connections.
 */
import { performance } from 'node:perf_hooks';
import { rmSync } from 'node:fs';
import { caller } from './calls.ts';
import { createUsers, type Load } from './load.ts';
import { aHome, newHome, proportionalMiB, startBare, startKyclone, type Server } from './processes.ts';

/** Instances side by side send this many requests at once, or one each if they are more. */
export const SHARED_CONNECTIONS = 40;

/**
 * Starts ephemeral instances at once and lets all of them create users at the same time. `start` is the milliseconds
 * until all are ready, `memory` the MiB of each after the load, `perSecond` the creations of all together.
 */
export async function timeSideBySide(instances: number, seconds: number) {
  const homes = Array.from({ length: instances }, newHome);
  const from = performance.now();
  const starts = await Promise.allSettled(homes.map((home) => startKyclone(home, ['--ephemeral'])));
  const start = performance.now() - from;
  const running = starts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  try {
    const failed = starts.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    const connections = Math.max(1, Math.round(SHARED_CONNECTIONS / instances));
    const loads = await together(running, { duration: seconds, connections });
    const memory = running.reduce((sum, { pid }) => sum + proportionalMiB(pid), 0) / instances;
    return { start, memory, ...summed(loads) };
  } finally {
    await Promise.all(running.map((server) => server.stop()));
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  }
}

/**
 * One durable instance, in which each tenant has one client that creates users one after another. `fairness` is the rate
 * of the slowest tenant over the mean of all.
 */
export async function timeTenants(tenants: number, seconds: number) {
  using folder = aHome();
  await using server = await startKyclone(folder.path);
  const clients = await Promise.all(
    Array.from({ length: tenants }, (_, index) => asTenant(server, folder.path, `tenant-${index + 1}`)),
  );
  const loads = await together(clients, { duration: seconds, connections: 1 });
  const rates = loads.map((load) => load.perSecond);
  const sums = summed(loads);
  return { ...sums, fairness: Math.min(...rates) / (sums.perSecond / tenants) };
}

/** Returns the memory of one bare server, and its creations a second under this number of connections. */
export async function timeBare(connections: number, seconds: number) {
  await using bare = await startBare('baseline-server');
  const { perSecond } = await createUsers(bare, { duration: seconds, connections });
  return { perSecond, memory: proportionalMiB(bare.pid) };
}

async function asTenant(server: Server, home: string, tenant: string): Promise<Server> {
  const ask = caller(server, home);
  const { key } = (await ask('POST', '/_kyclone/api-keys', {
    name: tenant,
    tenant,
    environment: 'sandbox',
  })) as { key: string };
  ask.end();
  return { ...server, headers: { ...server.headers, authorization: `Basic ${btoa(`${key}:`)}` } };
}

function together(servers: readonly Server[], limit: { duration: number; connections: number }) {
  return Promise.all(servers.map((server) => createUsers(server, limit)));
}

function summed(loads: readonly Load[]) {
  return {
    perSecond: loads.reduce((sum, load) => sum + load.perSecond, 0),
    failures: loads.reduce((sum, load) => sum + load.failures, 0),
  };
}
