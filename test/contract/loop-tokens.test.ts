/** Rules for every endpoint of the registry that takes a client token (contract §0.2, §0.3, §2.2). */
import { expect } from 'vitest';
import { TOKEN_SCOPES, type TokenScope, type TokenAbility } from '../../src/nouns/client-tokens/facts.ts';
import { endpoints, type EndpointKey } from '../../src/contract/registry.ts';
import { samples, setStage, type Stage } from '../support/samples.ts';
import {
  asRaw,
  asRefusal,
  CONTROL_TOKEN,
  LIVE_KEY,
  SANDBOX_KEY,
  type LooseParts,
  type Refused,
  type TestService,
} from '../support/service.ts';
import { test } from '../support/test-with.ts';

const tokened = endpoints.flatMap(({ key, auth }) => (auth.kind === 'token' ? [[key, auth] as const] : []));
const inHeader = tokened.filter(([, { place }]) => place === 'header');
const inPath = tokened.filter(([, { place }]) => place === 'path');
const restricted = tokened.flatMap(([key, { may }]) => (may ? [[key, may] as const] : []));

const IMAGE = 'document.passport.front.image';
const EXPIRES_IN_MS = 1_800_000;

/** The scopes that permit each operation (contract §2.3–§2.7). */
const SCOPES_THAT: Readonly<Record<TokenAbility, readonly TokenScope[]>> = {
  write: ['vault', 'vault_and_decrypt', 'vault_card'],
  upload: ['vault', 'vault_and_decrypt'],
  decrypt: ['decrypt', 'vault_and_decrypt'],
  download: ['decrypt_download'],
};

/** Returns the request for a token of each scope. It covers the identifiers that the samples use. */
const minting = (scope: TokenScope): Record<string, unknown> =>
  scope === 'vault_card'
    ? { scope }
    : {
        scope,
        fields: scope === 'decrypt_download' ? ['id.email'] : ['id.email', IMAGE],
        decrypt_reason: 'a test',
      };
const scopeFor = (key: EndpointKey): TokenScope =>
  key.includes('{token}') ? 'decrypt_download' : 'vault_and_decrypt';

/** Returns the sample of an endpoint with another token, in the header or in the path. */
async function withToken(stage: Stage, key: EndpointKey, token: string): Promise<LooseParts> {
  const sample: LooseParts = await samples[key](stage);
  return key.includes('{token}') ? { ...sample, params: { token } } : { ...sample, as: token };
}

async function refusal(stage: Stage, key: EndpointKey, token: string): Promise<Refused> {
  return stage.service.refused(key, await withToken(stage, key, token));
}

const newestToken = async (service: TestService, fp_id: string) =>
  (await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } })).body.tokens[0]?.id ?? '';
const newKey = async (service: TestService) =>
  (await service.call('POST /_kyclone/api-keys', { body: { name: 'of the token' } })).body;

/** Events that end a token after this key minted it for this user. */
const ENDINGS: Readonly<
  Record<string, (of: { service: TestService; user: string; keyId: string }) => Promise<unknown>>
> = {
  'was revoked': async ({ service, user }) =>
    service.call('DELETE /_kyclone/tokens/{id}', { params: { id: await newestToken(service, user) } }),
  'was made by a key that is disabled now': ({ service, keyId }) =>
    service.call('PATCH /_kyclone/api-keys/{id}', { params: { id: keyId }, body: { enabled: false } }),
  'was made by a key that is gone': ({ service, keyId }) =>
    service.call('DELETE /_kyclone/api-keys/{id}', { params: { id: keyId } }),
  'was for a user who is gone': ({ service, user }) =>
    service.call('DELETE /users/{fp_id}', { params: { fp_id: user } }),
  'was minted before a reset': ({ service }) => service.call('POST /_kyclone/reset'),
};

const endings = tokened.flatMap(([key]) =>
  Object.entries(ENDINGS).map(([what, end]) => [key, what, end] as const),
);

test.eachWith(endings)('%s: a token that %s is 401', async (service, key, _what, end) => {
  const stage = await setStage(service);
  const made = await newKey(service);
  const token = await service.token(stage.user, minting(scopeFor(key)), made.key);
  const parts = await withToken(stage, key, token);
  expect((await service.request(key, parts)).status).toBe(200);

  await end({ service, user: stage.user, keyId: made.id });

  expect(await service.refused(key, parts)).toMatchObject({ status: 401, code: 'unauthenticated' });
});

test.eachWith(tokened)('%s: a token that expired is 401 and says so', async (service, key) => {
  const stage = await setStage(service);
  const token = await service.token(stage.user, minting(scopeFor(key)));

  service.clock.advance(EXPIRES_IN_MS - 1);
  const parts = await withToken(stage, key, token);
  expect((await service.request(key, parts)).status).toBe(200);
  service.clock.advance(1);

  expect(await refusal(stage, key, token)).toMatchObject({ status: 401, code: 'token_expired' });
});

test.eachWith(tokened)('%s: a token that is none is 401', async (service, key) => {
  const stage = await setStage(service);
  const [known] = [key.includes('{token}') ? stage.downloadToken : stage.token];
  const wrong = [
    'nonsense',
    'cttok_',
    `cttok_${'z'.repeat(34)}`,
    known.slice(0, -1),
    `${known}0`,
    `${known} `.repeat(2).trim(),
    `${known},${known}`,
    `Bearer ${known}`,
    known.slice('cttok_'.length),
    known.toUpperCase(),
    SANDBOX_KEY,
    CONTROL_TOKEN,
    await newestToken(service, stage.user),
  ];

  for (const token of wrong) {
    const answer = await refusal(stage, key, token);
    expect(answer, token).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(answer.headers['www-authenticate']).toBe('ClientToken');
  }
});

const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}` });

test.eachWith(inHeader)('%s: every credential but a token in its header is 401', async (service, key) => {
  const stage = await setStage(service);
  const sample = asRaw(key, await samples[key](stage));
  const wrong: Record<string, Record<string, string>> = {
    none: {},
    'an empty token': { 'x-fp-authorization': '' },
    'a key in its header': { 'x-service-secret-key': SANDBOX_KEY },
    'a key as Basic': basic(SANDBOX_KEY),
    'a key as Bearer': { authorization: `Bearer ${SANDBOX_KEY}` },
    'the control token': { authorization: `Bearer ${CONTROL_TOKEN}` },
    'a token as Bearer': { authorization: `Bearer ${stage.token}` },
    'a token as Basic': basic(stage.token),
    'a token in the header of keys': { 'x-service-secret-key': stage.token },
    'a token in a cookie': { cookie: `x-fp-authorization=${stage.token}` },
  };

  for (const [name, headers] of Object.entries(wrong)) {
    const reply = await service.send({ ...sample, as: null, headers: { ...sample.headers, ...headers } });
    expect(asRefusal(reply, name), name).toMatchObject({ status: 401, code: 'unauthenticated' });
  }
  const beside = { ...sample.headers, 'x-service-secret-key': LIVE_KEY, ...basic(SANDBOX_KEY) };
  expect((await service.send({ ...sample, headers: beside })).status, 'keys beside it').toBe(200);
});

test.eachWith(inPath)('%s: the token of the path is the only credential', async (service, key) => {
  const stage = await setStage(service);
  const sample = asRaw(key, await samples[key](stage));
  const unknown = asRaw(key, await withToken(stage, key, `cttok_${'z'.repeat(34)}`));
  const others = {
    'x-fp-authorization': stage.downloadToken,
    'x-service-secret-key': SANDBOX_KEY,
    authorization: `Bearer ${CONTROL_TOKEN}`,
  };

  const refused = await service.send({ ...unknown, headers: others });
  const granted = await service.send({ ...sample, headers: { 'x-fp-authorization': 'nonsense' } });

  expect(asRefusal(refused, key)).toMatchObject({ status: 401, code: 'unauthenticated' });
  expect(granted.status).toBe(200);
});

test.eachWith(restricted)(
  '%s: a token that may not %s is 403 naming the scopes that do',
  async (service, key, may) => {
    const stage = await setStage(service);

    for (const scope of TOKEN_SCOPES.filter((each) => !SCOPES_THAT[may].includes(each))) {
      const answer = await refusal(stage, key, await service.token(stage.user, minting(scope)));
      expect(answer, scope).toMatchObject({ status: 403, code: 'permission_denied' });
      expect(answer.message).toBe(
        `The token has scope ${scope}; this call takes ${SCOPES_THAT[may].join(', ')}`,
      );
    }
  },
);

const granted = restricted.flatMap(([key, may]) =>
  SCOPES_THAT[may].filter((scope) => scope !== 'vault_card').map((scope) => [key, scope] as const),
);

test.eachWith(granted)('%s: a token of scope %s may', async (service, key, scope) => {
  const stage = await setStage(service);
  const token = await service.token(stage.user, minting(scope));

  expect((await service.request(key, await withToken(stage, key, token))).status).toBe(200);
});

test.eachWith(tokened.filter(([, { may }]) => !may))('%s: any token may', async (service, key) => {
  const stage = await setStage(service);

  for (const scope of TOKEN_SCOPES) {
    const token = await service.token(stage.user, minting(scope));
    expect((await service.request(key, await withToken(stage, key, token))).status, scope).toBe(200);
  }
});
