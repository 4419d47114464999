/** The memory that many clients cost the real process: the peak that the system has counted. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MIB } from '../../src/kernel/numbers/units.ts';
import { startKycloned, until, type Kycloned } from '../support/kycloned.ts';
import { aUser, done } from '../support/kycloned-calls.ts';
import { headOf, hoard } from '../support/slow-clients.ts';
import { startTarget } from '../support/targets.ts';
import '../support/tier-all.ts';

const LIMIT_BYTES = 200 * MIB;
/** Their answers are more than the limit together. */
const CLIENTS = 30;
const SIDES = ['front', 'back', 'selfie'] as const;
const isLinux = process.platform === 'linux';

/** Returns the peak of the resident memory in bytes. */
function peakOf({ process: { pid } }: Kycloned): number {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1024;
}

async function aDaemonWithFiles(bytes: number) {
  const daemon = await startKycloned({ options: ['--ephemeral'] });
  const id = await aUser(daemon);
  for (const side of SIDES) {
    const path = `/users/${id}/vault/document.passport.${side}.image/upload`;
    const headers = { 'content-type': 'image/png' };
    await done(daemon.call('POST', path, { headers, body: 'k'.repeat(bytes) }));
  }
  return { daemon, id };
}

/** Lets clients ask for a decryption and never read it. Returns how far that raised the peak. */
async function costOfHoard(daemon: Kycloned, id: string, fields: readonly string[]): Promise<number> {
  const { hostname: host, port } = new URL(daemon.url);
  const place = { host, port: Number(port) };
  const body = JSON.stringify({ fields, reason: 'a test' });
  const head = headOf(place, `POST /users/${id}/vault/decrypt`, {
    'x-service-secret-key': daemon.keys.sandbox,
    'content-type': 'application/json',
    'content-length': body.length,
  });
  const before = peakOf(daemon);
  const crowd = await hoard(place, CLIENTS, head + body);
  const isAnswered = () => crowd.every(({ socket }) => socket.readableLength > 0);
  await until('all of them are answered, perhaps that it is too much', isAnswered, 120_000);
  const cost = peakOf(daemon) - before;
  for (const client of crowd) client.leave();
  return cost;
}

test.runIf(isLinux)('clients that never read their 9 MB answers cost less than 200 MB', async () => {
  const { daemon, id } = await aDaemonWithFiles(7 * MIB);
  expect(await costOfHoard(daemon, id, ['document.passport.front.image'])).toBeLessThan(LIMIT_BYTES);
});

test.runIf(isLinux)(
  'clients that never read answers of 18 MB in six hundred values cost less than 200 MB',
  async () => {
    const daemon = await startKycloned({ options: ['--ephemeral'] });
    const id = await aUser(daemon);
    const fields = Array.from({ length: 600 }, (_, index) => `custom.text_${index}`);
    for (const field of fields) {
      const body = { [field]: 'x'.repeat(30_000) };
      await done(daemon.call('PATCH', `/users/${id}/vault`, { body }));
    }
    expect(await costOfHoard(daemon, id, fields)).toBeLessThan(LIMIT_BYTES);
  },
);

test.runIf(isLinux)('ten calls of the proxy that send 28 MB each cost less than 200 MB', async () => {
  const { daemon, id } = await aDaemonWithFiles(7 * MIB);
  await using target = await startTarget();
  const before = peakOf(daemon);
  const body = SIDES.map((side) => `{{ document.passport.${side}.image }}`).join('\n');
  const call = () =>
    daemon.call('POST', '/vault_proxy/jit', {
      headers: { 'x-fp-proxy-target-url': target.url, 'x-fp-proxy-access-reason': 'a test', 'x-fp-id': id },
      body,
    });

  const replies = await Promise.all(Array.from({ length: 10 }, call));

  // On a slow machine a call can reach the proxy's deadline. The memory that it costs is the same.
  for (const { status } of replies) expect([200, 504]).toContain(status);
  expect(peakOf(daemon) - before).toBeLessThan(LIMIT_BYTES);
});
