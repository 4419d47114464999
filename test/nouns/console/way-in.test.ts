/** Codes and sessions of the console: how one begins, who is refused, and how it ends (contract §11.1). */
import { describe, expect } from 'vitest';
import { HOUR_MS, SECOND_MS } from '../../../src/kernel/numbers/units.ts';
import { consoleCode, consoleSession, NO_SECRET, OWN_PAGE } from '../../support/console-samples.ts';
import { CONTROL_TOKEN, HOST, PORT, startService, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const INFO = { method: 'GET', path: '/_kyclone/info', as: null } as const;
const SESSIONS = { method: 'POST', path: '/_kyclone/console/sessions', as: null } as const;
const RESUME = { ...SESSIONS, path: '/_kyclone/console/sessions/resume' } as const;

/** The answer to a code that the page exchanges. */
const enter = (service: TestService, code: string) =>
  service.send({ ...SESSIONS, headers: OWN_PAGE, body: { code } });

/** The status of a read by the control plane with these headers. */
const read = async (service: TestService, headers: Record<string, string>) =>
  (await service.send({ ...INFO, headers })).status;

test('codes: an address with the code in its fragment, at the Host of the request, good for a minute', async (service) => {
  const { body } = await service.call('POST /_kyclone/console/codes', {
    headers: { host: 'localhost:49153' } as never,
  });

  expect(body.url).toMatch(/^http:\/\/localhost:49153\/_kyclone\/console#code=[0-9A-Za-z]{43}$/);
  expect(Date.parse(body.expires_at) - service.clock.realNow()).toBe(60 * SECOND_MS);
});

test.eachWith([
  ['POST', '/_kyclone/console/codes'],
  ['DELETE', '/_kyclone/console/sessions'],
])('%s %s: is for no session, whatever it may', async (service, method, path) => {
  const { headers } = await consoleSession(service);

  const refused = await service.send({ method, path, as: null, headers });
  expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
});

test.eachWith([
  { operator: ' Ada' },
  { operator: 'A\nB' },
  { operator: 'x'.repeat(101) },
  { operator: '\u202eAda' },
  { permissions: ['decrypt:'] },
  { permissions: Array.from({ length: 101 }, () => 'review') },
  { tenant: 'No Such/Name' },
])('codes: %j is refused by the name of its member, and not quoted', async (service, body) => {
  const refused = await service.refused('POST /_kyclone/console/codes', { body });

  expect(refused).toMatchObject({ status: 400, code: 'invalid_request' });
  expect(refused.message).toMatch(new RegExp(`^${Object.keys(body).join('')}\\b`));
  expect(refused.message).not.toContain('Ada');
});

test('codes: none for a tenant that is unknown in its environment, or for an unknown identifier', async (service) => {
  const path = 'POST /_kyclone/console/codes';
  await service.key({ tenant: 'shop' });
  const live = { tenant: 'shop', environment: 'live' } as const;
  for (const body of [{ tenant: 'nobody' }, live])
    expect(await service.refused(path, { body })).toMatchObject({ status: 404, code: 'not_found' });
  expect((await service.call(path, { body: { tenant: 'shop' } })).body.url).toContain('#code=');

  expect(await service.refused(path, { body: { permissions: ['decrypt:id.nope'] } })).toMatchObject({
    status: 400,
    code: 'invalid_request',
    message: 'Unknown identifier: id.nope; did you mean id.dob?',
  });
});

test('sessions: a code becomes a session with its grant, a token and a cookie of this instance', async (service) => {
  const code = await consoleCode(service, {
    operator: 'Zoë Desk',
    is_readonly: true,
    permissions: ['review', 'decrypt:id.*', 'review'],
    environment: 'live',
  });
  const { status, body, headers } = await enter(service, code);

  expect(status).toBe(200);
  expect(body).toEqual({
    operator: 'Zoë Desk',
    is_readonly: true,
    permissions: ['review', 'decrypt:id.*'],
    instance: 'default',
    tenant: 'default',
    environment: 'live',
    version: '0.0.0-test',
    expires_at: new Date(service.clock.realNow() + 8 * HOUR_MS).toISOString(),
    token: expect.stringMatching(/^[0-9A-Za-z]{43}$/) as string,
    resume_key: expect.stringMatching(/^[0-9A-Za-z]{43}$/) as string,
  });
  expect(headers['set-cookie']).toMatch(
    new RegExp(
      `^kyclone_console_${service.instance.nonce}=[0-9A-Za-z]{43}; Path=/_kyclone/console; HttpOnly; SameSite=Strict$`,
    ),
  );
});

test('sessions: a code works once, and the second time gets the answer of a wrong one', async (service) => {
  const code = await consoleCode(service);

  expect((await enter(service, code)).status).toBe(200);
  const again = await enter(service, code);
  expect(again).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  expect((await enter(service, NO_SECRET)).body).toEqual(again.body);
  expect(again.text).not.toContain(code);
});

test('sessions: a code is too old after a minute of the machine, whatever the clock of the instance shows', async (service) => {
  const [late, inTime] = [await consoleCode(service), await consoleCode(service)];
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '9d' } });

  service.clock.advance(60 * SECOND_MS - 1);
  expect((await enter(service, inTime)).status).toBe(200);
  service.clock.advance(1);
  expect((await enter(service, late)).status).toBe(401);
});

test('sessions: only the 50 newest codes are kept', async (service) => {
  const first = await consoleCode(service);
  const second = await consoleCode(service);
  for (let made = 0; made < 49; made += 1) await consoleCode(service);

  expect((await enter(service, first)).status).toBe(401);
  expect((await enter(service, second)).status).toBe(200);
});

test('sessions: the 101st ends the oldest, and the 51st tab of one the first', async (service) => {
  const oldest = await consoleSession(service);
  const next = await consoleSession(service);
  for (let made = 0; made < 50; made += 1) {
    const headers = { ...OWN_PAGE, cookie: next.cookie };
    await service.send({ ...RESUME, headers, body: { resume_key: next.resume_key } });
  }
  expect(await read(service, next.headers)).toBe(401);

  expect(await read(service, oldest.headers)).toBe(200);
  for (let made = 0; made < 99; made += 1) await consoleSession(service);
  expect(await read(service, oldest.headers)).toBe(401);
});

describe('own page only', () => {
  const FOREIGN: readonly (readonly [string, Record<string, string>])[] = [
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }],
    ['another name of this machine', { origin: `http://localhost:${PORT}` }],
    ['the same name under https', { origin: `https://${HOST}` }],
    ['a frame without an origin', { origin: 'null' }],
    ['two origins', { origin: `http://${HOST}, http://${HOST}` }],
    ['a suffix of the host', { origin: `http://${HOST}.evil.example` }],
    ['a user in front of the host', { origin: `http://evil@${HOST}` }],
    ['its own origin, sent by another site', { ...OWN_PAGE, 'sec-fetch-site': 'cross-site' }],
    ['its own origin, sent by another port', { ...OWN_PAGE, 'sec-fetch-site': 'same-site' }],
    ['a typed address', { ...OWN_PAGE, 'sec-fetch-site': 'none' }],
    ['no origin', {}],
    ['no origin, but the same site', { 'sec-fetch-site': 'same-origin' }],
  ];

  test.eachWith(FOREIGN)(
    'a change with the token of a session from %s is 403, as is an exchange of a code, which is still good',
    async (service, _, headers) => {
      const { token } = await consoleSession(service);
      const code = await consoleCode(service);
      const users = { method: 'POST', path: '/users', as: null } as const;
      for (const refused of [
        await service.send({ ...users, headers: { ...headers, 'x-kyclone-console': token } }),
        await service.send({ ...SESSIONS, headers, body: { code } }),
      ]) {
        expect(refused).toMatchObject({ status: 403, body: { code: 'origin_refused' } });
        expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
      }
      expect((await service.call('GET /_kyclone/info')).body.counts['users']).toBe(0);
      expect((await enter(service, code)).status).toBe(200);
    },
  );

  test('a read needs no origin, but no other site', async (service) => {
    const { token } = await consoleSession(service);
    const asked = (headers: Record<string, string>) =>
      read(service, { ...headers, 'x-kyclone-console': token });

    expect(await asked({})).toBe(200);
    expect(await asked({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect(await asked({ 'sec-fetch-site': site }), site).toBe(403);
    }
    for (const [name, headers] of FOREIGN.slice(0, 8)) expect(await asked(headers), name).toBe(403);
  });

  test('a name that was rebound to this machine gets nothing, not even the page', async (service) => {
    const { token } = await consoleSession(service);
    const host = `evil.example:${PORT}`;
    const own = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };

    for (const path of ['/_kyclone/console', '/_kyclone/console/app.js', '/_kyclone/info', '/users']) {
      const headers = { ...own, 'x-kyclone-console': token };
      expect((await service.send({ method: 'GET', path, as: null, headers })).status, path).toBe(421);
    }
    const code = await consoleCode(service);
    expect((await service.send({ ...SESSIONS, headers: own, body: { code } })).status).toBe(421);
  });

  test('a preflight for the header gets no permission', async (service) => {
    const reply = await service.send({
      method: 'OPTIONS',
      path: '/users',
      as: null,
      headers: {
        origin: 'http://127.0.0.1:3000',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-kyclone-console',
      },
    });

    expect(reply.status).toBe(403);
    expect(reply.headers).not.toHaveProperty('access-control-allow-headers');
  });
});

describe('credentials', () => {
  test.eachWith(['', 'x', NO_SECRET, CONTROL_TOKEN, 'Bearer x', '*'])(
    'a token that is none, %j, is 401, which does not quote it',
    async (service, token) => {
      await consoleSession(service);
      const headers = { ...OWN_PAGE, 'x-kyclone-console': token };
      const refused = await service.send({ ...INFO, headers });

      expect(refused).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
      expect(refused.headers['www-authenticate']).toBe('Console');
      if (token.length > 1) expect(refused.text).not.toContain(token);
    },
  );

  test('neither cookie, resume key nor code is a token, and the token is no cookie', async (service) => {
    const { token, cookie, resume_key } = await consoleSession(service);
    const [name = '', value = ''] = cookie.split('=');
    const code = await consoleCode(service);
    for (const secret of [value, resume_key, code]) {
      expect(await read(service, { ...OWN_PAGE, 'x-kyclone-console': secret })).toBe(401);
    }

    expect(await read(service, { ...OWN_PAGE, cookie })).toBe(401);
    const resumed = await service.send({
      ...RESUME,
      headers: { ...OWN_PAGE, cookie: `${name}=${token}` },
      body: { resume_key },
    });
    expect(resumed.status).toBe(401);
  });

  test('a session beside the control token or a key is 401', async (service) => {
    const { headers } = await consoleSession(service);

    expect((await service.send({ ...INFO, as: CONTROL_TOKEN, headers })).status).toBe(401);
    const users = { method: 'POST', path: '/users', headers } as const;
    expect((await service.send(users)).status).toBe(401);
    expect((await service.send({ ...users, as: null })).status).toBe(200);
  });

  test('a session is no client token and no flow', async (service) => {
    const { headers } = await consoleSession(service);
    for (const path of ['/users/client_token', '/hosted/session']) {
      expect((await service.send({ method: 'GET', path, as: null, headers })).status, path).toBe(401);
    }
  });

  test('wrong tokens are slowed down as wrong keys are', async () => {
    await using service = await startService({
      limits: { wrongAtOnce: 1, wrongPerSecond: 0, wrongDelayMs: 200 },
    });
    const took = async () => {
      const before = performance.now();
      await read(service, { ...OWN_PAGE, 'x-kyclone-console': NO_SECRET });
      return performance.now() - before;
    };
    await took();

    expect(await took()).toBeGreaterThan(190);
  });
});

describe('resume', () => {
  const resume = async (
    service: TestService,
    cookie: string | undefined,
    resume_key: string,
    headers: Record<string, string> = OWN_PAGE,
  ) =>
    await service.send({
      ...RESUME,
      headers: { ...headers, ...(cookie !== undefined && { cookie }) },
      body: { resume_key },
    });

  test('cookie and resume key together give a token for another tab, and both tabs go on', async (service) => {
    const first = await consoleSession(service, { operator: 'Ada' });
    const { status, body, headers } = await resume(service, first.cookie, first.resume_key);
    const { token } = body as { token: string };

    expect(status).toBe(200);
    expect(body).toMatchObject({ operator: 'Ada', is_readonly: false });
    expect(body).not.toHaveProperty('resume_key');
    expect(headers).not.toHaveProperty('set-cookie');
    expect(token).not.toBe(first.token);
    for (const each of [token, first.token]) {
      expect(await read(service, { ...OWN_PAGE, 'x-kyclone-console': each })).toBe(200);
    }
  });

  test('neither of them alone does, nor those of two sessions', async (service) => {
    const [one, other] = [await consoleSession(service), await consoleSession(service)];

    expect((await resume(service, undefined, one.resume_key)).status).toBe(401);
    expect((await resume(service, one.cookie, NO_SECRET)).status).toBe(401);
    expect((await resume(service, one.cookie, other.resume_key)).status).toBe(401);
    expect((await resume(service, `x=1; ${one.cookie}; ${other.cookie}`, other.resume_key)).status).toBe(200);
    const [name = ''] = one.cookie.split('=');
    expect((await resume(service, `${name}x=${one.cookie.split('=')[1]}`, one.resume_key)).status).toBe(401);
  });

  test('another page may not', async (service) => {
    const { cookie, resume_key } = await consoleSession(service);
    const foreign = { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' };

    expect((await resume(service, cookie, resume_key, foreign)).status).toBe(403);
    expect((await resume(service, cookie, resume_key, {})).status).toBe(403);
  });
});

describe('the end', () => {
  test('after eight hours of the machine, whatever the clock of the instance shows', async (service) => {
    const { headers, cookie, resume_key } = await consoleSession(service);
    await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '30d' } });
    service.clock.advance(8 * HOUR_MS - 1);
    expect(await read(service, headers)).toBe(200);

    service.clock.advance(1);
    expect(await read(service, headers)).toBe(401);
    const again = await service.send({ ...RESUME, headers: { ...OWN_PAGE, cookie }, body: { resume_key } });
    expect(again.status).toBe(401);
  });

  test('a sign-out ends the session in all its tabs and no other, and takes the cookie back', async (service) => {
    const one = await consoleSession(service, { is_readonly: true });
    const other = await consoleSession(service);
    const out = { method: 'DELETE', path: '/_kyclone/console/session', as: null } as const;

    expect((await service.send({ ...out, headers: { ...one.headers, origin: 'null' } })).status).toBe(403);
    const reply = await service.send({ ...out, headers: one.headers });
    expect(reply.status).toBe(200);
    expect(reply.headers['set-cookie']).toMatch(/=; Path=\/_kyclone\/console; .*Max-Age=0$/);
    expect(await read(service, one.headers)).toBe(401);
    expect(await read(service, other.headers)).toBe(200);
    expect((await service.send({ ...out, headers: one.headers })).status).toBe(401);
    expect((await service.send({ ...out, headers: OWN_PAGE })).status).toBe(401);
  });

  test('a revocation ends every session, and voids every code', async (service) => {
    const one = await consoleSession(service);
    const other = await consoleSession(service);
    const code = await consoleCode(service);
    const revoke = { method: 'DELETE', path: '/_kyclone/console/sessions' } as const;

    expect((await service.send(revoke)).body).toEqual({ revoked: 2 });
    for (const { headers } of [one, other]) expect(await read(service, headers)).toBe(401);
    expect((await service.send({ ...SESSIONS, headers: OWN_PAGE, body: { code } })).status).toBe(401);
    expect((await service.send(revoke)).body).toEqual({ revoked: 0 });
  });

  test('a reset and a load leave the session', async (service) => {
    const { headers } = await consoleSession(service);
    await service.call('PUT /_kyclone/snapshots/{name}', { params: { name: 'before' } });
    await service.call('POST /_kyclone/reset', { body: { hard: true } });
    expect(await read(service, headers)).toBe(200);

    await service.call('POST /_kyclone/snapshots/{name}/load', { params: { name: 'before' } });
    expect(await read(service, headers)).toBe(200);
  });
});

test('secrets: no code, token, cookie or resume key is in the journal, the log, the stream or a recording', async (service) => {
  await service.call('POST /_kyclone/recording');
  const code = await consoleCode(service, { operator: 'Ada' });
  const entered = await service.send({ ...SESSIONS, headers: OWN_PAGE, body: { code } });
  const { token, resume_key } = entered.body as { token: string; resume_key: string };
  const cookie = /=(\w+);/.exec(entered.headers['set-cookie'] ?? '')?.[1] ?? '';
  const headers = { ...OWN_PAGE, 'x-kyclone-console': token };
  await service.send({ method: 'POST', path: '/users', as: null, headers });
  await service.send({ ...RESUME, headers: OWN_PAGE, body: { resume_key, code, token } });
  await service.send({ ...RESUME, headers: OWN_PAGE, body: `{"resume_key": ${resume_key}` });
  await service.send({ method: 'DELETE', path: '/_kyclone/console/session', as: null, headers });

  const recorded = JSON.stringify((await service.call('DELETE /_kyclone/recording')).body);
  const journal = JSON.stringify((await service.call('GET /_kyclone/requests')).body);
  const stream = (await service.request('GET /_kyclone/stream', { query: { follow: false } })).text;
  expect(recorded).toContain('"/users"');
  for (const place of [recorded, journal, stream, JSON.stringify(service.log)]) {
    for (const secret of [code, token, resume_key, cookie]) expect(place).not.toContain(secret);
    expect(place).not.toContain('x-kyclone-console');
  }
  expect(recorded).not.toContain('/console');
});
