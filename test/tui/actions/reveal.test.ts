import { expect } from 'vitest';
import { reveal } from '../../../src/nouns/vault/screen.ts';
import { aPng } from '../../support/builders.ts';
import type { TestService } from '../../support/service.ts';
import { fieldOf, noticeOf, test } from './a-source.ts';

const REASON = { reason: 'support case 4711' };
const FRONT = 'document.passport.front.image';

async function logOf(service: TestService) {
  return (await service.call('GET /_kyclone/access-log')).body.data;
}

test('reveal: the value comes from the API and the access log has the reason', async ({
  service,
  source,
}) => {
  const fp_id = await service.user();

  const outcome = await reveal.perform(source, fieldOf(fp_id, 'id.ssn9'), REASON);

  expect(outcome).toEqual({ type: 'reveal', title: `id.ssn9 of ${fp_id}`, values: ['121121212'] });
  const [entry] = await logOf(service);
  expect(entry).toMatchObject({
    operation: 'decrypt',
    outcome: 'granted',
    fp_id,
    identifiers: ['id.ssn9'],
    reason: REASON.reason,
    actor: { kind: 'api_key' },
  });
});

test("reveal: a business's value, and an earlier version of one", async ({ service, source }) => {
  const fp_bid = await service.business();
  await service.call('PATCH /businesses/{fp_bid}/vault', {
    params: { fp_bid },
    body: { 'business.name': 'Acme Reborn' },
  });
  const valueOf = async (identifier: string) => {
    const outcome = await reveal.perform(source, fieldOf(fp_bid, identifier), REASON);
    return outcome.type === 'reveal' ? [outcome.title, ...outcome.values] : outcome;
  };
  expect(await valueOf('business.name')).toEqual([`business.name of ${fp_bid}`, 'Acme Reborn']);
  expect(await valueOf('business.name:1')).toEqual([`business.name:1 of ${fp_bid}`, 'Acme Incorporated']);
});

test('reveal: what is no text is shown as JSON', async ({ service, source }) => {
  const fp_id = await service.user({ 'custom.tags': ['a', { b: 1 }] });

  const outcome = await reveal.perform(source, fieldOf(fp_id, 'custom.tags', 'json'), REASON);

  expect(outcome).toMatchObject({ type: 'reveal', values: ['["a",{"b":1}]'] });
});

test.eachWith([
  ['id.ssn9', 'text'],
  [`${FRONT}:3`, 'file'],
] as const)(
  'reveal: %s that is not there has no value, and that is no failure',
  async ({ service, source }, identifier, type) => {
    const fp_id = await service.user({ 'id.first_name': 'Jane' });

    const outcome = await reveal.perform(source, fieldOf(fp_id, identifier, type), REASON);

    expect(noticeOf(outcome)).toBe(`warn: ${identifier} has no value`);
  },
);

test.eachWith(['users', 'businesses'])(
  'reveal: an image of %s is for the terminal, byte for byte',
  async ({ service, source }, kind) => {
    const fp_id = kind === 'users' ? await service.user() : await service.business();
    const identifier = kind === 'users' ? FRONT : 'custom.logo';
    const png = aPng(100_000);
    await service.upload(fp_id, identifier, png);

    const outcome = await reveal.perform(source, fieldOf(fp_id, identifier, 'file'), REASON);

    expect(outcome).toMatchObject({
      type: 'image',
      title: `${identifier} of ${fp_id}`,
      contentType: 'image/png',
    });
    if (outcome.type === 'image') expect(Buffer.from(outcome.bytes).equals(png)).toBe(true);
    const [entry] = await logOf(service);
    expect(entry).toMatchObject({ operation: 'download', identifiers: [identifier], reason: REASON.reason });
  },
);

test('reveal: a file that is no image is not shown, and no connection stays taken by it', async ({
  service,
  source,
}) => {
  const fp_id = await service.user();
  await service.upload(fp_id, 'custom.lease', Buffer.alloc(1_000_000, 'x'), 'application/pdf');

  // There are more rounds than connections, so an unclosed download would block one.
  for (let time = 0; time < 10; time++) {
    const outcome = await reveal.perform(source, fieldOf(fp_id, 'custom.lease', 'file'), REASON);
    expect(noticeOf(outcome)).toBe('warn: custom.lease is a application/pdf: w saves it');
  }
  expect(await logOf(service), 'nothing was shown').toEqual([]);
});

test('reveal: an image of more than 8 MiB is not shown', async ({ service, source }) => {
  const fp_id = await service.user();
  await service.upload(fp_id, FRONT, aPng(8 * 1024 * 1024));

  const outcome = await reveal.perform(source, fieldOf(fp_id, FRONT, 'file'), REASON);

  expect(noticeOf(outcome)).toBe(`warn: ${FRONT} is larger than 8 MiB: w saves it`);
  expect(await logOf(service), 'nothing was shown').toEqual([]);
});
