/**
 * Each call of the service as its samples make it (contract §0.8, §0.13): with the words of another service set, the
 * key in a header of its own, and JSON without saying so.
 */
import { Value } from '@sinclair/typebox/value';
import { expect, test } from 'vitest';
import { endpoints, type EndpointKey } from '../../src/contract/registry.ts';
import { sampleResolve } from '../support/sample-target.ts';
import { SANDBOX_KEY, type RawRequest } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';

const OURS = ['partner_a', 'partner_b', 'partner_response', 'vendor_1', 'name_dobname', 'service.onboarding'];
const vocabulary = {
  event_prefix: 'acme',
  partner_a: 'ledger',
  partner_b: 'broker',
  partner_response: 'broker_response',
  vendors: Array.from({ length: 16 }, (_, index) => `bureau ${index}`),
  secret_key_header: 'x-acme-secret-key',
  duplicate_name_dob: 'name_and_dob',
  webhook_style: 'svix' as const,
};
const shared = shareStage({ outside: { resolve: sampleResolve } });

/** A request of a service that has taken on these words after what the request names was made. */
async function renamed(key: EndpointKey) {
  const { service, sample } = await shared.freshSample(key);
  const { body } = await service.call('GET /_kyclone/settings');
  await service.call('PATCH /_kyclone/settings', { body: { vocabulary } });
  const restore = () => service.call('PATCH /_kyclone/settings', { body: { vocabulary: body.vocabulary } });
  return { service, sample, [Symbol.asyncDispose]: async () => void (await restore()) };
}

/** The calls that apps make: neither the control plane's nor those of our own pages. */
const published = endpoints.filter(({ key }) => !/ \/(?:_kyclone|hosted)\//.test(key));

/** The request in the words of the other service, sent as curl sends it. */
function inTheirWords(sample: RawRequest, isByKey: boolean): RawRequest {
  const { path, headers, body } = sample;
  const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  return {
    ...sample,
    path: path.replace(/(?<=\/integrations\/)partner_([ab])/, (_, which) =>
      which === 'a' ? vocabulary.partner_a : vocabulary.partner_b,
    ),
    ...(isJson && { body: JSON.stringify(body) }),
    headers: {
      ...headers,
      ...(isJson && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(isByKey && { [vocabulary.secret_key_header]: sample.as ?? SANDBOX_KEY }),
    },
    ...(isByKey && { as: null }),
  };
}

test.each(published.map((endpoint) => [endpoint.key, endpoint] as const))(
  '%s: works in the words of the service that it stands in for',
  async (key, { auth, response, produces }) => {
    await using stage = await renamed(key);
    const { service, sample } = stage;

    const answer = await service.send(inTheirWords(sample, auth.kind === 'key'));

    expect(answer.status, answer.text).toBe(200);
    for (const word of OURS) expect(answer.text).not.toContain(word);
    if (produces !== undefined || key.includes('/integrations/') || key.endsWith('/duplicates')) return;
    expect(Value.Check(response, answer.body), answer.text).toBe(true);
  },
);

test('the partners answer under their own words, and under no others', async () => {
  await using stage = await renamed('POST /users/{fp_id}/integrations/{partner_b}/cip');
  const { service, sample } = stage;

  const answer = await service.send(inTheirWords(sample, true));
  const before = await service.send({ ...inTheirWords(sample, true), path: sample.path });

  expect(answer.body).toMatchObject({ status_code: 200, broker_response: { provider: 'acme' } });
  expect(before.status).toBe(404);
});
