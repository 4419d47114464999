/** POST /users/{fp_id}/integrations/{partner_b}/cip (contract §8.2), to real servers on loopback. */
import '../../support/tier-all.ts';
import { describe, expect } from 'vitest';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import type { RequestOf } from '../../../src/contract/registry.ts';
import {
  FORWARDED_IDENTIFIERS,
  REPORTED_IDENTIFIERS,
} from '../../../src/nouns/integrations/service/cip-report.ts';
import { aReadyUser, KYC } from '../../support/builders.ts';
import {
  SANDBOX_KEY,
  failureOf,
  startService,
  type ServiceOptions,
  type TestService,
} from '../../support/service.ts';
import { jsonTarget, startRawTarget, startTarget } from '../../support/targets.ts';
import { bytesOf } from '../../support/store-bytes.ts';
import { testWith } from '../../support/test-with.ts';

const KEY = 'POST /users/{fp_id}/integrations/{partner_b}/cip';
const SECRETS = ['key-of-partner', 'secret-of-partner'];
const BODY = {
  account_id: 'account 1/x',
  api_key: 'key-of-partner',
  api_secret: 'secret-of-partner',
  default_approver: 'Compliance',
  hostname: 'partner.example',
};
/** Changes of the body, or the server on this machine that is called. */
type Changes = Partial<typeof BODY> | { readonly port: number };
type Fixture = NonNullable<RequestOf<'POST /users/{fp_id}/kyc'>['body']['fixture_result']>;

/** Starts a service with a user whose run had this outcome. */
async function startVerified(fixture_result: Fixture = 'pass', options: ServiceOptions = {}) {
  const service = await startService(options);
  const fp_id = await service.user(aReadyUser());
  await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key: KYC, fixture_result } });
  const parts = (changes: Changes = {}, as?: string) => ({
    params: { fp_id, partner_b: 'partner_b' },
    body: { ...BODY, ...('port' in changes ? { hostname: `127.0.0.1:${changes.port}` } : changes) },
    ...(as !== undefined && { as }),
  });
  return {
    service,
    user: fp_id,
    parts,
    cip: (changes?: Changes, as?: string) => service.call(KEY, parts(changes, as)),
    refused: (changes?: Changes, as?: string) => service.refused(KEY, parts(changes, as)),
    entries: async () =>
      (await service.call('GET /_kyclone/access-log', { query: { operation: 'integration' } })).body.data,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Starts a service whose user has passed, and a partner on this machine. */
async function startBoth() {
  const [target, verified] = [await startTarget(), await startVerified()];
  return {
    target,
    verified,
    async [Symbol.asyncDispose]() {
      await verified[Symbol.asyncDispose]();
      await target[Symbol.asyncDispose]();
    },
  };
}
const test = testWith(startBoth);

/** Returns everything that a service stores or shows of its requests. */
async function traces({ send, log, database }: TestService): Promise<string> {
  const paths = ['/_kyclone/requests', '/_kyclone/access-log'];
  const answers = await Promise.all(paths.map((path) => send({ method: 'GET', path })));
  const stored = bytesOf(database).toString('latin1');
  return [JSON.stringify(log), stored, ...answers.map(({ text }) => text)].join('\n');
}

describe('a partner on this machine', () => {
  test('cip: is called with the report in its three checks, and its answer is handed on', async ({
    verified,
  }) => {
    await using target = await startTarget({ handler: jsonTarget({ id: 'cip-1' }, { status: 201 }) });
    const { user } = verified;

    const { body, headers } = await verified.cip(target);

    expect(body).toEqual({ partner_response: { id: 'cip-1' }, status_code: 201 });
    expect(headers).not.toHaveProperty('x-kyclone-simulated');
    const [received, ...others] = target.requests;
    expect(others).toEqual([]);
    expect([received?.method, received?.path]).toEqual(['POST', '/v1/accounts/account%201%2Fx/cip']);
    expect(received?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from(SECRETS.join(':')).toString('base64')}`,
      'content-type': 'application/json',
    });
    // Each member: cip-report.test.ts.
    expect(JSON.parse(received?.body.toString() ?? '') as object).toMatchObject({
      provider: 'service',
      kyc: {
        id: user,
        applicant_name: 'Wilhelmina Oyelaran',
        approved_by: 'Compliance',
        tax_id: '121121212',
      },
      identity: { result: 'clear' },
      watchlist: { result: 'clear' },
    });
  });

  test('account: is opened with who the user is and how to reach them', async ({ verified }) => {
    await using target = await startTarget({ handler: jsonTarget({ id: 'account-9' }, { status: 201 }) });
    const { service, user } = verified;
    const { account_id: _, ...body } = BODY;
    const open = (hostname: string) =>
      service.call('POST /users/{fp_id}/integrations/{partner_b}/account', {
        params: { fp_id: user, partner_b: 'partner_b' },
        body: { ...body, hostname },
      });

    const called = await open(`127.0.0.1:${target.port}`);
    const simulated = await open('partner.example');

    expect(called.body).toEqual({ partner_response: { id: 'account-9' }, status_code: 201 });
    expect([target.requests[0]?.path, target.requests.length]).toEqual(['/v1/accounts', 1]);
    expect(JSON.parse(target.requests[0]?.body.toString() ?? '')).toMatchObject({
      provider: 'service',
      contact: {
        email_address: 'wilhelmina@oyelaran.example',
        street_address: ['742 Evergreen Terrace'],
        country: 'US',
      },
      identity: { given_name: 'Wilhelmina', date_of_birth: '1988-12-30', tax_id: '121121212' },
    });
    expect(simulated.headers).toMatchObject({ 'x-kyclone-simulated': 'true' });
    expect(simulated.body).toMatchObject({
      status_code: 200,
      partner_response: { account_id: expect.stringMatching(/^[\da-f-]{36}$/) as string },
    });
    expect((await verified.entries()).map(({ reason }) => reason)).toEqual(['account', 'account']);
  });

  test('cip: https is trusted by egress.extra_roots alone', async ({ verified }) => {
    const authority = await createAuthority('a root', Date.now());
    const tls = await authority.issue({ subject: 'partner', names: ['127.0.0.1'], usage: 'server' });
    await using target = await startTarget({ tls });
    const untrusted = await verified.refused({ hostname: target.url });
    const egress = { extra_roots: [authority.certificate] };
    await verified.service.call('PATCH /_kyclone/settings', { body: { egress } });
    const trusted = await verified.cip({ hostname: target.url });

    expect(untrusted).toMatchObject({ status: 502, code: 'partner_unreachable' });
    expect(untrusted.message).toMatch(/The certificate of the host .* add .* to the extra roots$/);
    expect(trusted.body.status_code).toBe(200);
    expect(target.requests).toHaveLength(1);
  });

  test.eachWith([301, 307, 400, 401, 422, 500, 503])(
    'cip: status %i is handed on',
    async ({ verified }, status) => {
      const headers = { location: '/elsewhere' };
      await using target = await startTarget({ handler: jsonTarget({ code: 'x' }, { status, headers }) });
      const { body } = await verified.cip(target);

      expect(body).toEqual({ partner_response: { code: 'x' }, status_code: status });
      expect(target.requests).toHaveLength(1);
    },
  );

  test('cip: the words of the vocabulary name the member and the provider', async ({ target, verified }) => {
    const vocabulary = { partner_response: '__proto__', event_prefix: 'acme' };
    await verified.service.call('PATCH /_kyclone/settings', { body: { vocabulary } });

    const reply = await verified.service.request(KEY, verified.parts(target));

    expect(reply.text).toBe('{"__proto__":{"ok":true},"status_code":200}');
    expect(JSON.parse(target.requests[0]?.body.toString() ?? '')).toMatchObject({ provider: 'acme' });
  });
});

describe('no answer', () => {
  const UNREACHABLE = { status: 502, code: 'partner_unreachable' };

  test('cip: no server listens', async ({ verified }) => {
    const gone = await startTarget();
    await gone[Symbol.asyncDispose]();
    const refused = await verified.refused(gone);

    expect(refused).toMatchObject(UNREACHABLE);
    expect(refused.message).toContain('ECONNREFUSED');
    expect(refused.message).not.toContain(String(gone.port));
  });

  test('cip: a partner that hangs', async () => {
    await using target = await startRawTarget({ then: 'silence' });
    await using verified = await startVerified('pass', { outside: { timeoutMs: 1000 } });

    expect(await verified.refused(target)).toMatchObject(UNREACHABLE);
    expect(target.received.map(String).join()).toContain('POST /v1/accounts/account%201%2Fx/cip');
  });

  test.eachWith([
    [256 * 1024, 200],
    [256 * 1024 + 1, 502],
  ])(
    'cip: an answer of %i bytes that is no object is %i, handed on raw',
    async ({ verified }, bytes, status) => {
      await using target = await startTarget({ handler: (_, response) => response.end('x'.repeat(bytes)) });
      const reply = await verified.service.request(KEY, verified.parts(target));

      const raw = { partner_response: { raw: 'x'.repeat(bytes) }, status_code: 200 };
      const message =
        "The partner answered with status 200, but the answer can't be passed on: The answer is larger than 262144 bytes";
      const refusal = { code: 'partner_unreachable', message };
      expect(reply).toMatchObject({ status, body: status === 200 ? raw : refusal });
    },
  );

  test('cip: ends when its client disconnects before the partner responds', async ({ verified }) => {
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    await using target = await startTarget({ handler: () => arrive() });
    const { host, port } = await verified.service.listen();
    const { params, body } = verified.parts(target);
    const leaving = new AbortController();
    const call = fetch(`http://${host}:${port}/users/${params.fp_id}/integrations/partner_b/cip`, {
      method: 'POST',
      headers: { 'x-service-secret-key': SANDBOX_KEY, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    const left = expect(call).rejects.toThrow();
    await arrived;
    expect(target.open).toBe(1);
    leaving.abort();
    await left;
    await expect.poll(() => target.open).toBe(0);
  });

  test('cip: what goes wrong is reported without host and credentials', async () => {
    await using verified = await startVerified('pass', {
      settings: { partner_b: { forward: true } },
      outside: { resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) },
    });

    for (const hostname of ['hunter2', 'a', 'hunter2.example:8443']) {
      const { code, message } = await verified.refused({ hostname });
      expect(code).toBe('partner_unreachable');
      expect(message).not.toMatch(/hunter2|partner\.example|8443/);
    }
  });
});

describe('the egress policy', () => {
  test('cip: strict refuses this machine, by the name of the member', async ({ target }) => {
    await using verified = await startVerified('pass', { settings: { egress: { policy: 'strict' } } });

    const refused = await verified.refused(target);

    expect(refused).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(refused.message).toBe(
      'hostname: the host is a loopback address, which egress policy strict refuses',
    );
    expect(target.connections).toBe(0);
    expect(await verified.entries()).toEqual([]);
  });

  test('partner_b.forward: every hostname is called', async ({ target }) => {
    await using verified = await startVerified('pass', {
      settings: { partner_b: { forward: true } },
      outside: { resolve: () => Promise.resolve(['127.0.0.1']) },
    });

    const { body, headers } = await verified.cip({ hostname: `http://partner.example:${target.port}` });

    expect(body.status_code).toBe(200);
    expect(headers).not.toHaveProperty('x-kyclone-simulated');
    expect(target.requests[0]?.headers['host']).toBe(`partner.example:${target.port}`);
  });

  test('partner_b.forward: a private address is refused all the same', async () => {
    await using verified = await startVerified('pass', {
      settings: { partner_b: { forward: true } },
      outside: { resolve: () => Promise.resolve(['10.0.0.1']) },
    });

    expect(await verified.refused({ hostname: 'inside.example' })).toMatchObject(
      failureOf(400, 'invalid_request', 'a private address, which egress policy local refuses'),
    );
  });
});

describe('the built-in partner', () => {
  test('cip: simulates every other hostname, and marks the response', async ({ verified }) => {
    const { body, headers } = await verified.cip();

    expect(headers['x-kyclone-simulated']).toBe('true');
    expect(body).toEqual({
      partner_response: {
        id: expect.any(String) as string,
        account_id: 'account 1/x',
        created_at: '2026-03-01T12:00:00.000Z',
        updated_at: '2026-03-01T12:00:00.000Z',
        provider: 'service',
      },
      status_code: 200,
    });
  });

  test.eachWith([
    [{ account_id: 'reject-1' }, 422],
    [{ api_key: 'bad-key' }, 401],
  ])('cip: %j is its status %i, in an answer of 200', async ({ verified }, changes, status) => {
    const { body, headers } = await verified.cip(changes);

    expect([body.status_code, headers['x-kyclone-simulated']]).toEqual([status, 'true']);
    expect(JSON.stringify(body)).not.toContain('bad-key');
  });
});

describe('refusals', () => {
  test.eachWith(['fail', 'manual_review', 'none', 'error'] as const)(
    'cip: a run of %s is no approval',
    async ({ target }, fixture) => {
      await using verified = await startVerified(fixture);

      for (const hostname of ['partner.example', `127.0.0.1:${target.port}`]) {
        expect(await verified.refused({ hostname })).toMatchObject(failureOf(400, 'decision_not_approved'));
      }
      expect(target.connections).toBe(0);
      expect(await verified.entries()).toEqual([]);
    },
  );

  test('cip: requires the decision before it looks up a host', async () => {
    const asked: string[] = [];
    await using verified = await startVerified('fail', {
      settings: { partner_b: { forward: true } },
      outside: { resolve: (host) => Promise.resolve((asked.push(host), [])) },
    });

    expect((await verified.refused()).code).toBe('decision_not_approved');
    expect(asked).toEqual([]);
  });

  test('cip: the latest decision counts', async () => {
    await using verified = await startVerified('fail');
    const decide = async (status: 'pass' | 'fail') => {
      verified.service.clock.advance(1000);
      const params = { fp_id: verified.user };
      const body = { status, annotation: 'looked again' };
      await verified.service.call('POST /users/{fp_id}/decisions', { params, body });
    };

    await decide('pass');
    expect((await verified.cip()).body.status_code).toBe(200);
    await decide('fail');
    expect((await verified.refused()).code).toBe('decision_not_approved');
  });

  test.each([
    ['hostname', 'http://user:hunter2@localhost'],
    ['hostname', 'localhost/hunter2'],
    ['account_id', '..'],
    ['api_key', 'hunter:2'],
    ['api_secret', 'hunter\n2'],
  ])('cip: a %s that cannot be sent is refused, before the decision is required', async (member, value) => {
    await using verified = await startVerified('fail');

    const refused = await verified.refused({ [member]: value });

    expect(refused).toMatchObject(failureOf(400, 'invalid_request', `${member} `));
    expect(refused.message).not.toContain('hunter');
  });

  test('cip: a key that lacks a read is refused, and nothing is sent', async ({ target, verified }) => {
    const key = await verified.service.key({ permissions: ['decrypt:id.*'] });

    const refused = await verified.refused(target, key);

    expect(refused).toMatchObject({ status: 403, code: 'permission_denied' });
    expect(target.connections).toBe(0);
    expect(await verified.entries()).toMatchObject([
      { outcome: 'refused', reason: 'cip', identifiers: [...REPORTED_IDENTIFIERS, ...FORWARDED_IDENTIFIERS] },
    ]);
  });
});

describe('traces', () => {
  test('cip: the reads are in the access log, even if the partner does not respond', async ({ verified }) => {
    await verified.cip();
    await verified.refused({ hostname: '127.0.0.1:1' });

    const found = await verified.entries();
    expect(found).toMatchObject([
      { outcome: 'granted', reason: 'cip', fp_id: verified.user },
      { outcome: 'granted', reason: 'cip', fp_id: verified.user },
    ]);
    for (const { identifiers } of found) expect(identifiers).toContain('id.us_tax_id');
  });

  test('cip: the partner gets nothing before the access log has the reads', async ({ verified }) => {
    let known = -1;
    await using target = await startTarget({
      handler: async (request, response) => {
        known = (await verified.entries()).length;
        await jsonTarget({ ok: true })(request, response);
      },
    });
    await verified.cip(target);
    expect(known).toBe(1);
  });

  test('cip: neither credentials nor values are kept or shown anywhere', async ({ verified }) => {
    const echo = { name: 'Wilhelmina', dob: '1988-12-30', 'id.ssn9': '121121212', message: 'key-of-partner' };
    await using target = await startTarget({ handler: jsonTarget(echo) });
    await verified.cip();
    await verified.cip(target);
    await verified.refused({ hostname: '127.0.0.1:1' });
    await verified.refused({ api_key: 'key-of-partner:x' });

    const kept = await traces(verified.service);
    const basic = Buffer.from(SECRETS.join(':')).toString('base64');
    for (const secret of [...SECRETS, basic, 'Wilhelmina', '1988-12-30', '121121212', 'account 1']) {
      expect(kept.includes(secret), secret).toBe(false);
    }
    expect(kept).toContain('/integrations/partner_b/cip');
  });

  test.eachWith(['data', 'meta', 'message', 'id.city'])(
    'cip: an answer under the word %s is masked in journal and stream like any other',
    async ({ verified }, partner_response) => {
      await using target = await startTarget({ handler: jsonTarget({ name: 'Wilhelmina' }) });
      await verified.service.call('PATCH /_kyclone/settings', { body: { vocabulary: { partner_response } } });

      const { body, requestId } = await verified.cip(target);

      expect(body).toEqual({ [partner_response]: { name: 'Wilhelmina' }, status_code: 200 });
      const params = { id: requestId };
      const { response } = (await verified.service.call('GET /_kyclone/requests/{id}', { params })).body;
      expect(response).toEqual({ [partner_response]: '<object 1>', status_code: '<number>' });
      const stream = await verified.service.send({ method: 'GET', path: '/_kyclone/stream?follow=false' });
      expect(stream.text).not.toContain('Wilhelmina');
    },
  );
});
