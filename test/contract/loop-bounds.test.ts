/**
 * Limits of request bodies (contract §0.8, §0.10). Bodies are sent with a text of 80,000 letters, a value nested 5,000
 * deep, ten thousand members and a repeated member. The control plane bounds every body before it looks at its members,
 * so one place is enough there. Other endpoints get the values in each of their places. No answer is a 5xx.
 */
import { expect, test } from 'vitest';
import { JSON_BODY_LIMIT_BYTES } from '../../src/contract/facts/limits.ts';
import { endpoints, type EndpointKey } from '../../src/contract/registry.ts';
import { placesOf, withAt } from '../support/body-places.ts';
import { asRefusal, startService } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';
import '../support/tier-all.ts';

const bodies = endpoints.flatMap((endpoint) =>
  endpoint.body && !('takesFile' in endpoint) && !('takesAnyBody' in endpoint)
    ? [
        [
          endpoint.key,
          {
            schema: endpoint.body,
            limit: 'bodyLimitBytes' in endpoint ? endpoint.bodyLimitBytes : JSON_BODY_LIMIT_BYTES,
          },
        ] as const,
      ]
    : [],
);
const shared = shareStage();
const isControl = (key: EndpointKey) => key.includes(' /_kyclone/');

const PLACEHOLDER = '@here@';
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

const isBoundedFirst = ([key]: (typeof bodies)[number]) =>
  isControl(key) && key !== 'PATCH /_kyclone/settings';

test.each(bodies.filter((each) => !isBoundedFirst(each)))(
  '%s: no text, depth or number of members is a 5xx',
  async (key, { schema, limit }) => {
    const { service, sample } = await shared.freshSample(key);
    const letters = Math.min(80_000, limit - 4_000);
    const large = [
      ['letters', JSON.stringify('x'.repeat(letters))],
      ['marks', JSON.stringify('a' + '\u0345\u0327'.repeat(letters / 4))],
      ['depth', deep(5_000)],
      [
        'members',
        JSON.stringify(Object.fromEntries(Array.from({ length: letters / 16 }, (_, i) => [`k${i}`, 1]))),
      ],
    ] as const;

    for (const place of placesOf(schema)) {
      const template = JSON.stringify(withAt(sample.body, place, PLACEHOLDER));
      for (const [what, text] of large) {
        const answer = await service.send({
          ...sample,
          body: template.replace(`"${PLACEHOLDER}"`, () => text),
        });
        const where = `${what} at ${place.join('.')}: ${answer.text.slice(0, 200)}`;
        expect(answer.status, where).toBeLessThan(500);
        expect(answer.text.length, where).toBeLessThan(4_000);
        if (isControl(key))
          expect(asRefusal(answer, where), where).toMatchObject({ status: 400, code: 'invalid_request' });
      }
    }
  },
);

test.each(bodies.filter(([key]) => isControl(key)))(
  '%s: a bound is judged before any rule of a member is',
  async (key, { schema }) => {
    const [service, sample] = [await shared.service(), await shared.sampleOf(key)];
    const [first] = Object.keys((schema['properties'] ?? {}) as object);
    const bodyWith = (text: string) => `{"${first ?? 'any'}":${text}}`;
    const refused = async (text: string) =>
      asRefusal(await service.send({ ...sample, body: bodyWith(text) }), key).message;

    expect(await refused(JSON.stringify('x'.repeat(32_769)))).toContain(
      'a text of more than 32768 characters',
    );
    expect(await refused(deep(64))).toContain('nested more than 64 levels');
    expect(await refused(`{${Array.from({ length: 1_001 }, (_, i) => `"k${i}":1`).join()}}`)).toContain(
      'more than 1000 members',
    );
    expect(await refused(`{"${'n'.repeat(257)}":1}`)).toContain('a member whose name is over 256 characters');
  },
);

test.each(bodies)(
  '%s: a repeated member is 400 in the control plane, elsewhere the last one counts',
  async (key) => {
    const { service, sample } = isControl(key)
      ? { service: await shared.service(), sample: await shared.sampleOf(key) }
      : await shared.freshSample(key);
    if (typeof sample.body !== 'object' || Array.isArray(sample.body)) return;
    const [[name, value] = ['unheard_of', 1]] = Object.entries(sample.body as Record<string, unknown>);
    const rest = JSON.stringify({ ...(sample.body as object), [name]: value }).slice(1);
    const escaped = `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`;

    const answer = await service.send({ ...sample, body: `{"${escaped}":{"ignored":true},${rest}` });

    if (isControl(key)) {
      const refusal = asRefusal(answer, key);
      expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(refusal.message).toContain(`Member ${name} stands more than once`);
      return;
    }
    expect(answer.status, answer.text).toBe(200);
    expect((await service.call('GET /_kyclone/requests', {})).body.data[0]?.hint).toContain(
      `Member ${name} stands more than once in one object: the last one counts`,
    );
  },
);

test('a recording holds bodies of any depth', async () => {
  await using service = await startService();
  await service.call('POST /_kyclone/recording', {});
  const body = `{"id.city":"Enclave","custom.deep":${deep(12_000)}}`;
  const answer = await service.send({ method: 'POST', path: '/users', body });
  expect(asRefusal(answer, 'POST /users')).toMatchObject({ status: 400, code: 'T120' });
  const ignored = `{"bootstrap_data":{},"unknown":${deep(12_000)}}`;
  await service.send({ method: 'POST', path: '/onboarding/session', body: ignored });
  const { calls, left_out } = (await service.call('GET /_kyclone/recording')).body;
  // A body that is too deep to be written counts as left out, at whatever depth the limit is.
  expect(calls + left_out).toBe(2);
  expect(service.log.filter(({ code }) => code === 'internal_error')).toEqual([]);
});
