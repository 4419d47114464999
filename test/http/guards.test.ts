import { expect, test } from 'vitest';
import { asRefusal, HOST, PORT, startService } from '../support/service.ts';

const HEALTH = { method: 'GET', path: '/_kyclone/health' } as const;

test.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])(
  'Host: %s with the port is served',
  async (name) => {
    await using service = await startService();

    expect((await service.send({ ...HEALTH, headers: { host: `${name}:${PORT}` } })).status).toBe(200);
  },
);

test.each([
  'localhost',
  `localhost:${PORT + 1}`,
  `localhost:0${PORT}`,
  `localhost.evil.example:${PORT}`,
  `evil.example:${PORT}`,
  `127.0.0.2:${PORT}`,
  `0.0.0.0:${PORT}`,
  `::1:${PORT}`,
  `user@localhost:${PORT}`,
  `localhost:${PORT} `.repeat(2),
])('Host: %s is 421', async (host) => {
  await using service = await startService();

  const answer = asRefusal(await service.send({ ...HEALTH, headers: { host } }), host);

  expect(answer).toMatchObject({ status: 421, code: 'misdirected_request' });
});

test('Host: a name of the setting hosts is served at once, in any case, and its page may call', async () => {
  await using service = await startService();
  const host = `kyc.test:${PORT}`;
  expect((await service.send({ ...HEALTH, headers: { host } })).status).toBe(421);

  await service.call('PATCH /_kyclone/settings', { body: { hosts: ['Kyc.Test'] } });

  expect((await service.send({ ...HEALTH, headers: { host } })).status).toBe(200);
  expect((await service.send({ ...HEALTH, headers: { host: `KYC.TEST:${PORT}` } })).status).toBe(200);
  expect((await service.send({ ...HEALTH, headers: { host: 'kyc.test' } })).status).toBe(421);
  expect((await service.send({ ...HEALTH, headers: { origin: `http://${host}` } })).status).toBe(200);
});

test.each([
  ['host.docker.internal', 'a container'],
  ['10.0.2.2', 'the emulator of an Android phone'],
])('Host: %s is refused with an explanation, until the setting names it', async (name, caller) => {
  await using service = await startService();
  const host = `${name}:${PORT}`;
  const refused = asRefusal(await service.send({ ...HEALTH, headers: { host } }), host);
  expect(refused.message).toContain(
    `${caller} calls this machine ${name}, which kyclone config set hosts ${name} --now adds`,
  );
  const other = asRefusal(await service.send({ ...HEALTH, headers: { host: `x.${host}` } }), host);
  expect(other.message).toMatch(/: kyclone config set hosts NAME --now adds a name$/);

  await service.call('PATCH /_kyclone/settings', { body: { hosts: [name] } });
  expect((await service.send({ ...HEALTH, headers: { host } })).status).toBe(200);
});

test('Host: on port 80 the port may be left out', async () => {
  await using service = await startService();
  service.instance.port = 80;

  for (const host of ['localhost', 'localhost:80', '[::1]']) {
    expect((await service.send({ ...HEALTH, headers: { host } })).status, host).toBe(200);
  }
  expect((await service.send({ ...HEALTH, headers: { host: HOST } })).status).toBe(421);
  expect(
    (await service.send({ ...HEALTH, headers: { host: 'localhost', origin: 'http://localhost' } })).status,
  ).toBe(200);
});

test.each(['same-origin', 'same-site', 'none'])(
  'Sec-Fetch-Site: %s without an Origin is served',
  async (site) => {
    await using service = await startService();

    expect((await service.send({ ...HEALTH, headers: { 'sec-fetch-site': site } })).status).toBe(200);
  },
);

test('OPTIONS: a preflight of a foreign page is refused without a CORS header', async () => {
  await using service = await startService();

  const reply = await service.send({
    method: 'OPTIONS',
    path: '/users',
    headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
    as: null,
  });

  expect(reply.status).toBe(403);
  expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
});
