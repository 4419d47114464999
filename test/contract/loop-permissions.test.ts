/**
 * Permissions of routes (contract §0.3). Every route that changes something has one in the table of the contract, and is
 * refused without it: to a key, to a client token of a key that lost it, and to a hosted link of such a key.
 */
import { expect } from 'vitest';
import {
  permissionOfRoute,
  ROUTE_PERMISSIONS,
  type RoutePermission,
} from '../../src/contract/facts/route-permissions.ts';
import { PERMISSIONS } from '../../src/contract/facts/permissions.ts';
import { endpoints, splitKey, type EndpointKey } from '../../src/contract/registry.ts';
import { aFlow } from '../support/hosted-samples.ts';
import { samples, setStage } from '../support/samples.ts';
import { type LooseParts, type TestService } from '../support/service.ts';
import { test } from '../support/test-with.ts';

const WITH_KEYS: readonly string[] = ['key', 'token', 'flow'];

test('permissions: every route with a key, token or link that is not a GET is in the table, with a permission', () => {
  const missing = endpoints
    .filter(({ key, auth }) => WITH_KEYS.includes(auth.kind) && splitKey(key).method !== 'GET')
    .map(({ key }) => [key, permissionOfRoute(key)] as const)
    .filter(([, permission]) => permission?.needs === undefined && permission?.ofIdentifiers === undefined)
    .map(([key]) => key);

  expect(missing).toEqual([]);
});

test('permissions: a route without a key is a GET, takes the control token, starts a flow with a public key, or is of the console', () => {
  const others = endpoints.filter(({ auth }) => !WITH_KEYS.includes(auth.kind));

  const changing = others.filter(({ key, auth }) => auth.kind === 'open' && splitKey(key).method !== 'GET');
  expect(changing.map(({ key }) => key)).toEqual([
    'POST /hosted/browser/session',
    'POST /_kyclone/console/sessions',
    'POST /_kyclone/console/sessions/resume',
    'DELETE /_kyclone/console/session',
  ]);
  expect(new Set(others.map(({ auth }) => auth.kind))).toEqual(new Set(['open', 'control']));
});

test('permissions: each entry of the table is a route, and its endpoint has its permission', () => {
  const byKey = new Map(endpoints.map((endpoint) => [endpoint.key as string, endpoint]));

  for (const [key, { needs }] of Object.entries<RoutePermission>(ROUTE_PERMISSIONS)) {
    expect(byKey.get(key)?.auth, key).toMatchObject(needs === undefined ? {} : { permission: needs });
  }
});

const keyOfStage = async (service: TestService) => {
  const { data } = (await service.call('GET /_kyclone/api-keys', { query: { environment: 'sandbox' } })).body;
  return data.find(({ name }) => name === 'default sandbox key')?.id ?? '';
};
const leaveOnly = async (service: TestService, permissions: string[]) =>
  service.call('PATCH /_kyclone/api-keys/{id}', {
    params: { id: await keyOfStage(service) },
    body: { permissions },
  });

/** The sample of an endpoint, with the link of a key where it has an intent of the control plane. */
async function sampleThroughKey(service: TestService, key: EndpointKey): Promise<LooseParts> {
  const sample: LooseParts = await samples[key](await setStage(service));
  return sample.as?.startsWith('blit_') ? { ...sample, as: await aFlow(service) } : sample;
}

/** Routes that are called with something that a key made. */
const throughKeys = endpoints.flatMap(({ key, auth }) =>
  (auth.kind === 'token' || auth.kind === 'flow') && auth.permission ? [[key, auth.permission] as const] : [],
);

test.eachWith(throughKeys)(
  '%s: is 403 once the key behind the token or link has lost %s',
  async (service, key, permission) => {
    const sample = await sampleThroughKey(service, key);
    await leaveOnly(service, [...PERMISSIONS.filter((each) => each !== permission), 'decrypt:*']);

    const refusal = await service.refused(key, sample);

    expect(refusal).toMatchObject({ status: 403, code: 'permission_denied' });
    expect(refusal.message).toContain(permission);
  },
);

test.eachWith(throughKeys)(
  '%s: is 401 once the key behind the token or link is gone',
  async (service, key) => {
    const sample = await sampleThroughKey(service, key);
    await service.call('DELETE /_kyclone/api-keys/{id}', { params: { id: await keyOfStage(service) } });

    expect(await service.refused(key, sample)).toMatchObject({ status: 401, code: 'unauthenticated' });
  },
);
