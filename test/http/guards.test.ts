import { expect } from 'vitest';
import { asRefusal, PORT } from '../support/service.ts';
import { test } from '../support/test-with.ts';

const HEALTH = { method: 'GET', path: '/_kyclone/health' } as const;

test.eachWith(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])(
  'Host: %s is served with its port, with one that is mapped to it, and without',
  async (service, name) => {
    for (const port of [`:${PORT}`, ':49153', ':1', ''])
      expect((await service.send({ ...HEALTH, headers: { host: name + port } })).status, port).toBe(200);
  },
);

test('Origin: a page of a mapped port may call that address, and no page of another loopback port may', async (service) => {
  const origin = 'http://localhost:49153';
  const status = async (host: string) =>
    (await service.send({ ...HEALTH, headers: { host, origin } })).status;
  expect(await status('localhost:49153')).toBe(200);
  expect(await status(`localhost:${PORT}`)).toBe(403);
  expect(await status('127.0.0.1:49153')).toBe(403);
});

test.eachWith([
  'localhost:',
  'localhost:port',
  'localhost:123456',
  '[::1',
  `localhost.evil.example:${PORT}`,
  `evil.example:${PORT}`,
  `127.0.0.2:${PORT}`,
  `0.0.0.0:${PORT}`,
  `::1:${PORT}`,
  `user@localhost:${PORT}`,
  `localhost:${PORT} `.repeat(2),
])('Host: %s is 421', async (service, host) => {
  const answer = asRefusal(await service.send({ ...HEALTH, headers: { host } }), host);

  expect(answer).toMatchObject({ status: 421, code: 'misdirected_request' });
});

test('Host: a name of the setting hosts is served at once, in any case, and its page may call', async (service) => {
  const host = `kyc.test:${PORT}`;
  expect((await service.send({ ...HEALTH, headers: { host } })).status).toBe(421);

  await service.call('PATCH /_kyclone/settings', { body: { hosts: ['Kyc.Test'] } });

  expect((await service.send({ ...HEALTH, headers: { host } })).status).toBe(200);
  expect((await service.send({ ...HEALTH, headers: { host: `KYC.TEST:${PORT}` } })).status).toBe(200);
  expect((await service.send({ ...HEALTH, headers: { host: 'kyc.test' } })).status).toBe(200);
  expect((await service.send({ ...HEALTH, headers: { host: 'kyc.test:5000' } })).status).toBe(200);
  expect((await service.send({ ...HEALTH, headers: { origin: `http://${host}` } })).status).toBe(200);
});

test.eachWith([
  ['host.docker.internal', 'a container'],
  ['10.0.2.2', 'the emulator of an Android phone'],
])('Host: %s is refused with an explanation, until the setting names it', async (service, name, caller) => {
  const host = `${name}:${PORT}`;
  expect(asRefusal(await service.send({ ...HEALTH, headers: { host } }), host).message).toContain(
    `${caller} calls this machine ${name}, which kyclone config set hosts ${name} --now adds`,
  );
  const other = asRefusal(await service.send({ ...HEALTH, headers: { host: `x.${host}` } }), host);
  expect(other.message).toMatch(/: kyclone config set hosts NAME --now adds a name$/);

  await service.call('PATCH /_kyclone/settings', { body: { hosts: [name] } });
  expect((await service.send({ ...HEALTH, headers: { host } })).status).toBe(200);
});

test('Origin: on port 80 the port is left out', async (service) => {
  service.instance.port = 80;

  expect(
    (await service.send({ ...HEALTH, headers: { host: 'localhost', origin: 'http://localhost' } })).status,
  ).toBe(200);
});

test.eachWith(['same-origin', 'same-site', 'none'])(
  'Sec-Fetch-Site: %s without an Origin is served',
  async (service, site) => {
    expect((await service.send({ ...HEALTH, headers: { 'sec-fetch-site': site } })).status).toBe(200);
  },
);
