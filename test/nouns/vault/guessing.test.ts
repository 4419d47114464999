/**
 * Nothing that a credential without decrypt may send gets an answer that depends on a stored value (contract §0.3): it
 * can't find out a value by guessing.
 */
import { describe, expect } from 'vitest';
import { KYC } from '../../support/builders.ts';
import type { LooseParts, TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import type { EndpointKey } from '../../../src/contract/registry.ts';

const STORED = { 'id.ssn9': '121121212', 'id.first_name': 'Jane' };
const FIELDS = ['id.ssn9', 'id.ssn4', 'id.itin', 'id.us_tax_id', 'id.first_name', 'custom.any'];

/** The ways to submit values about a user without decrypt. */
const WAYS: Readonly<
  Record<
    string,
    (service: TestService, fp_id: string) => Promise<[EndpointKey, (data: object) => LooseParts]>
  >
> = {
  'validate with a write token': async (service, fp_id) => {
    const as = await service.token(fp_id, { scope: 'vault', fields: FIELDS });
    return ['POST /users/vault/validate', (body) => ({ as, body })];
  },
  'a write with a token': async (service, fp_id) => {
    const as = await service.token(fp_id, { scope: 'vault', fields: FIELDS });
    return ['PATCH /users/vault', (body) => ({ as, body })];
  },
  'validate with a write key': async (service, fp_id) => {
    const as = await service.key({ permissions: ['vault.write'] });
    return ['POST /users/{fp_id}/vault/validate', (body) => ({ as, params: { fp_id }, body })];
  },
  'a write with a key': async (service, fp_id) => {
    const as = await service.key({ permissions: ['vault.write'] });
    return ['PATCH /users/{fp_id}/vault', (body) => ({ as, params: { fp_id }, body })];
  },
  'bootstrap data': async (service, fp_id) => {
    const as = await service.key({ permissions: ['onboard', 'vault.write'] });
    const bodyOf = (bootstrap_data: object) => ({ key: KYC, fp_id, bootstrap_data });
    return ['POST /onboarding/session', (data) => ({ as, body: bodyOf(data) })];
  },
  'a run': async (service, fp_id) => {
    const as = await service.key({ permissions: ['onboard', 'vault.write'] });
    const bodyOf = (bootstrap_data: object) => ({ key: KYC, fp_id, bootstrap_data });
    return ['POST /onboarding/session/run', (data) => ({ as, body: bodyOf(data) })];
  },
};

/** A right and a wrong guess about a stored value, by what is stored. */
const GUESSES: readonly (readonly [string, Record<string, string>, object, object])[] = [
  ['the last four digits', STORED, { 'id.ssn4': '1212' }, { 'id.ssn4': '1213' }],
  [
    'a number that looks like an ITIN',
    { 'id.ssn9': '912701234' },
    { 'id.us_tax_id': '912701234' },
    { 'id.us_tax_id': '912701235' },
  ],
];

describe.each(Object.entries(WAYS))('%s', (_way, make) => {
  test.eachWith(GUESSES)(
    'guessing %s: right and wrong are refused in the same words',
    async (service, _what, stored, right, wrong) => {
      const fp_id = await service.user(stored);
      const [key, partsOf] = await make(service, fp_id);

      const [hit, miss] = [
        await service.refused(key, partsOf(right)),
        await service.refused(key, partsOf(wrong)),
      ];

      expect({ ...hit, headers: {} }).toEqual({ ...miss, headers: {} });
      expect(hit).toMatchObject({ status: 400, code: 'T120' });
    },
  );
});

test('upload: the last four digits are refused in the same words, too', async (service) => {
  const fp_id = await service.user(STORED);
  const as = await service.token(fp_id, { scope: 'vault', fields: FIELDS });
  const send = (digits: string) =>
    service.send({
      method: 'POST',
      path: '/users/vault/id.ssn4/upload',
      as,
      body: Buffer.from(digits),
      headers: { 'content-type': 'text/plain' },
    });

  const [hit, miss] = [await send('1212'), await send('1213')];

  expect([hit.status, hit.text]).toEqual([400, miss.text]);
});

test('a write of an equal value by a credential without decrypt makes a version, as any other does', async (service) => {
  const fp_id = await service.user(STORED);
  const as = await service.key({ permissions: ['vault.write'] });
  const write = async (name: string) =>
    (
      await service.call('PATCH /users/{fp_id}/vault', {
        params: { fp_id },
        body: { 'id.first_name': name },
        as,
      })
    ).version;

  expect([await write('Jane'), await write('Joan')]).toEqual([2, 3]);
});
