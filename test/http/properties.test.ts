/** For any input the service doesn't fail with an error of its own, and stored data is returned unchanged. */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { endpoints, type EndpointKey } from '../../src/contract/registry.ts';
import { SANDBOX_KEY, startService, type RawRequest, type TestService } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';
import { vaultOf } from '../support/vault-calls.ts';
import '../support/tier-all.ts';

const identifiers = [
  ...[
    'id.first_name',
    'id.dob',
    'id.ssn9',
    'id.ssn4',
    'id.itin',
    'id.us_tax_id',
    'id.email',
    'id.phone_number',
  ],
  ...['id.country', 'id.state', 'id.citizenships', 'id.visa_kind', 'custom.x', 'custom.__proto__'],
  ...[
    'investor_profile.funding_sources',
    'document.passport.dob',
    'document.passport.front.image',
    'card.a.number',
  ],
  ...[
    'card.a.expiration',
    'card.a.issuer',
    'bank.a.ach_routing_number',
    'business.name',
    'business.beneficial_owners',
  ],
  ...['business.beneficial_owners.a.ownership_stake', 'id.nope', '', 'constructor'],
];
const members = [
  ...[
    'fields',
    'reason',
    'transforms',
    'version_at',
    'signing_key',
    'delete_all',
    'purge',
    'external_id',
    'hard',
  ],
  ...[
    'seed',
    'name',
    'tenant',
    'environment',
    'scopes',
    'permissions',
    'key',
    'enabled',
    'kind',
    'vocabulary',
  ],
  ...['egress', 'hosts', 'cors', 'events', 'partner_b', 'data', '__proto__'],
  ...['scope', 'ttl', 'decrypt_reason', 'search', 'pagination', 'device_id', 'ip_address', 'label', 'tag'],
];

const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(
    ...identifiers,
    '+14155552671',
    '121121212',
    '1988-12-30',
    'US',
    '4111111111111111',
    'to_ascii',
  ),
);
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 5 }), fc.jsonValue({ maxDepth: 3 }));
const body = fc.oneof(
  fc.dictionary(fc.oneof(fc.constantFrom(...identifiers, ...members), fc.string()), value, { maxKeys: 6 }),
  fc.jsonValue(),
);

/** Uses JSON.stringify on fast-check's objects, so that unpaired surrogates become escapes. */
const text = body.map((each) => JSON.stringify(each));

const shared = shareStage();
const withBody = endpoints.filter(({ body }) => body).map(({ key }) => key);
const withQuery = endpoints.filter(({ query }) => query);

/** What these take away is what the samples name. */
const ENDS_STAGE = new Set<EndpointKey>(['POST /_kyclone/reset', 'POST /_kyclone/snapshots/{name}/load']);

async function targetOf(key: EndpointKey): Promise<{ service: TestService; sample: RawRequest }> {
  if (ENDS_STAGE.has(key)) return shared.freshSample(key);
  return { service: await shared.service(), sample: await shared.sampleOf(key) };
}

/** `npm run torture` sends each endpoint hostile bodies and queries without end. */
describe('any endpoint', () => {
  // A member `key_file` would make a key file at any path, outside the folders of the test.
  const isHarmless = (sent: string) => !sent.includes('key_file');

  // A hostile request may delete or rename what a later sample would be made from.
  beforeAll(async () => {
    for (const key of new Set([...withBody, ...withQuery.map(({ key }) => key)])) await targetOf(key);
  });

  test('any JSON body has a status below 500, and the service continues', async () => {
    const service = await shared.service();

    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...withBody), text.filter(isHarmless), async (key, sent) => {
        const { service, sample } = await targetOf(key);
        const { secret_key_header } = (await service.call('GET /_kyclone/settings')).body.vocabulary;
        const headers = sample.path.startsWith('/_kyclone/') ? {} : { [secret_key_header]: SANDBOX_KEY };
        const reply = await service.send({ ...sample, headers, body: sent });
        expect(reply.status, reply.text).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
    expect((await service.call('GET /_kyclone/access-log/verify')).body.ok).toBe(true);
    expect((await service.send({ method: 'GET', path: '/_kyclone/requests' })).status).toBe(200);
  });

  test('any query is answered below 500', async () => {
    const requests = fc.constantFrom(...withQuery).chain(({ key, query }) => {
      const names = Object.keys(query?.['properties'] as object);
      const pair = fc.tuple(
        fc.oneof(fc.constantFrom(...names), fc.string()),
        fc.oneof(fc.string({ unit: 'binary' }), fc.webQueryParameters()),
      );
      return fc.tuple(fc.constant(key), fc.array(pair, { maxLength: 4 }));
    });

    await fc.assert(
      fc.asyncProperty(requests, async ([key, pairs]) => {
        const { service, sample } = await targetOf(key);
        const query = pairs.map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&');
        const reply = await service.send({ ...sample, path: `${sample.path}?${query}` });
        expect(reply.status, reply.text).toBeLessThan(500);
      }),
      { numRuns: 200 },
    );
  });

  /** An unpaired surrogate cannot be encoded, so a replacement character is sent. */
  function encode(part: string): string {
    return encodeURIComponent(Buffer.from(part, 'utf8').toString('utf8'));
  }
});

describe('stored data', () => {
  /** JSON values that the contract accepts: exact numbers, no unpaired surrogates, no null at the top. */
  const custom = fc
    .jsonValue({ maxDepth: 5, stringUnit: 'grapheme' })
    .map((each) => JSON.parse(JSON.stringify(each)) as unknown)
    .filter((each) => each !== null && isExact(each));

  function isExact(each: unknown): boolean {
    if (typeof each === 'number') return !Number.isInteger(each) || Number.isSafeInteger(each);
    return typeof each !== 'object' || each === null || Object.values(each).every(isExact);
  }

  test('custom: any JSON value is returned unchanged', async () => {
    await using service = await startService();
    const fp_id = await service.user({});
    const vault = vaultOf(service, fp_id);

    await fc.assert(
      fc.asyncProperty(custom, async (sent) => {
        await vault.write({ 'custom.any': sent });
        expect(JSON.stringify((await vault.decrypt(['custom.any']))['custom.any'])).toBe(
          JSON.stringify(sent),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('custom: any bytes of any type are returned unchanged', async () => {
    await using service = await startService();
    const fp_id = await service.user({});
    const body = { scope: 'decrypt_download', fields: ['custom.any'], decrypt_reason: 'a test' };
    const path = `/users/vault/decrypt/${await service.token(fp_id, body)}`;
    const word = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/);

    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 70_000 }),
        fc.tuple(word, word),
        async (bytes, [kind, subkind]) => {
          const type = `x-${kind}/${subkind}; a="${kind}"`;
          await service.upload(fp_id, 'custom.any', Buffer.from(bytes), type);
          const reply = await service.send({ method: 'GET', path });
          expect(reply.headers['content-type']).toBe(type);
          expect(reply.bytes.equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 12 },
    );
  });

  test('presence: is true exactly where decrypt is not null, after any writes and deletions', async () => {
    const data = fc.record(
      {
        'id.ssn9': fc.constantFrom('121121212', '343343434', null),
        'id.ssn4': fc.constantFrom('1212', '3434', null),
        'id.itin': fc.constantFrom('912701234', null),
        'id.us_tax_id': fc.constantFrom('121121212', '912701234', null),
        'card.a.number': fc.constantFrom('4111111111111111', '378282246310005', null),
        'card.a.expiration': fc.constantFrom('1/30', '12/2031', null),
        'custom.x': fc.constantFrom(false, 0, '', [], null),
      },
      { requiredKeys: [] },
    );
    const step = fc.oneof(
      data.map((body) => ({ kind: 'write' as const, body })),
      fc.subarray(['id.ssn9', 'id.itin', 'card.a.number', 'custom.x'], { minLength: 1 }).map((fields) => ({
        kind: 'delete' as const,
        body: { fields },
      })),
    );
    const asked = [
      ...[
        'id.ssn9',
        'id.ssn4',
        'id.itin',
        'id.us_tax_id',
        'custom.x',
        'card.a.number',
        'card.a.number_last4',
      ],
      ...['card.a.issuer', 'card.a.fingerprint', 'card.a.expiration', 'card.a.expiration_month'],
    ];
    await using service = await startService();

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const fp_id = await service.user({});
        const vault = vaultOf(service, fp_id);
        for (const { kind, body } of steps) {
          const key = kind === 'write' ? 'PATCH /users/{fp_id}/vault' : 'DELETE /users/{fp_id}/vault';
          const { status } = await service.request(key, { params: { fp_id }, body });
          expect([200, 400]).toContain(status);
        }

        const values = await vault.decrypt(asked);
        const present = await vault.present(asked);
        expect(present).toEqual(Object.fromEntries(asked.map((name) => [name, values[name] !== null])));
        const shown = Object.keys(await vault.present());
        expect(shown).toEqual(
          asked
            .filter((name) => present[name])
            .concat(shown.filter((name) => !asked.includes(name)))
            .sort(),
        );
      }),
      { numRuns: 30 },
    );
  });
});
