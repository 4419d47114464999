import { createPrivateKey } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Identity } from '../../src/cli/echo/authority.ts';
import { startTarget } from '../support/targets.ts';
import { failureOf } from './an-outbound.ts';
import { askPort, caller, root, server, stranger } from './tls-servers.ts';

const showing = (client: Identity | undefined) => ({ tls: { extraRoots: [root.certificate], client } });
const versions = ['TLSv1.2', 'TLSv1.3'] as const;
const requiring = (maxVersion: (typeof versions)[number]) =>
  startTarget({ tls: { ...server, maxVersion }, requireClientCertificate: root.certificate });

it.each(versions)('send: the one that is wanted is shown (%s)', async (maxVersion) => {
  await using target = await requiring(maxVersion);
  expect(await askPort(target.port, showing(caller))).toMatchObject({ status: 200 });
  expect(target.requests[0]).toMatchObject({ clientCertificate: 'CN=caller', body: Buffer.from('the body') });
});

it.each(versions)('send: with a pinned server (%s)', async (maxVersion) => {
  await using target = await requiring(maxVersion);
  const answer = await askPort(target.port, { pins: [server], tls: { client: caller } });
  expect(answer).toMatchObject({ status: 200, connection: { tls: { pinned: 'leaf' } } });
});

const anotherOne = () => stranger.issue({ subject: 'caller', usage: 'client' });
it.each(
  versions.flatMap((maxVersion) => [
    { maxVersion, what: 'requires a certificate and gets none', client: undefined },
    { maxVersion, what: 'gets another certificate', client: anotherOne },
  ]),
)('send: reports a server that $what ($maxVersion)', async ({ maxVersion, client }) => {
  await using target = await requiring(maxVersion);
  const failure = await failureOf(askPort(target.port, showing(await client?.())));
  expect(failure.kind).toBe('unreachable');
  expect(failure.message).toMatch(/client certificate/);
  expect(target.requests).toEqual([]);
});

it('send: a key that does not fit opens nothing, and is in no message', async () => {
  await using target = await startTarget({ tls: server });
  const client = { certificate: caller.certificate, key: server.key };
  const failure = await failureOf(askPort(target.port, showing(client)));
  expect(failure.kind).toBe('unreachable');
  expect(failure.message).toMatch(/^The client certificate and its key can't be used \(ERR_\w+\)$/);
  expect(target.connections).toBe(0);
  const secret = createPrivateKey(client.key)
    .export({ format: 'pem', type: 'pkcs8' })
    .toString()
    .split('\n')[1];
  expect(`${failure.stack} ${String((failure.cause as Error).stack)}`).not.toContain(secret);
});

it('send: one that is not requested is not shown', async () => {
  await using target = await startTarget({ tls: server });
  await askPort(target.port, showing(caller));
  expect(target.requests[0]).not.toHaveProperty('clientCertificate');
});
