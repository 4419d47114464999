/**
 * Shares services and stages among many tests of a file, and makes them when the first test needs them. Starting a
 * service costs a test more time than its requests.
 */
import { afterAll } from 'vitest';
import type { EndpointKey } from '../../src/contract/registry.ts';
import { samples, setStage, type Stage } from './samples.ts';
import { asRaw, startService, type RawRequest, type ServiceOptions, type TestService } from './service.ts';

/** Endpoints that change what a hard reset keeps. */
const OUTLASTS_RESET = /\/_kyclone\/(?:keyring|playbooks|recording|snapshots|store)/;

/** Call this at the top level of a test file. The services end with the file. */
export function shareStage(options: ServiceOptions = {}) {
  let made: Promise<Stage> | undefined;
  let used: { service: TestService; isReusable: boolean } | undefined;
  let resets = 0;
  const requests = new Map<EndpointKey, Promise<RawRequest>>();
  const stage = () => (made ??= startService(options).then((service) => setStage(service)));

  async function makeSample(key: EndpointKey): Promise<RawRequest> {
    const shared = await stage();
    // The journal keeps only the last requests, so requests of other tests push out the one of the stage.
    const { requestId } = await shared.service.call('GET /users');
    return asRaw(key, await samples[key]({ ...shared, journalled: requestId }));
  }

  async function freshService(key: EndpointKey): Promise<TestService> {
    // The ids begin anew with each reset, so each has a seed of its own.
    const body = { hard: true, seed: String((resets += 1)) };
    if (used?.isReusable) await used.service.call('POST /_kyclone/reset', { body });
    else {
      await used?.service[Symbol.asyncDispose]();
      used = undefined;
    }
    const service = used?.service ?? (await startService(options));
    used = { service, isReusable: !OUTLASTS_RESET.test(key) };
    return service;
  }

  async function freshStage(key: EndpointKey): Promise<Stage> {
    return setStage(await freshService(key));
  }

  afterAll(async () => {
    await (await made)?.service[Symbol.asyncDispose]();
    await used?.service[Symbol.asyncDispose]();
  });

  return {
    /** For requests that change nothing: requests that must be refused, and requests that read. */
    stage,
    service: async () => (await stage()).service,
    /**
     * Returns a request that would succeed. It is made once, and what it names stays, because no test of the file sends
     * it unchanged.
     */
    sampleOf(key: EndpointKey): Promise<RawRequest> {
      const request = requests.get(key) ?? makeSample(key);
      requests.set(key, request);
      return request;
    },
    /** Returns a stage on which nothing has happened, for any request of this endpoint. It ends with the next one. */
    freshStage,
    /** Returns a request that succeeds once, on a fresh stage. */
    async freshSample(key: EndpointKey): Promise<{ service: TestService; sample: RawRequest }> {
      const fresh = await freshStage(key);
      return { service: fresh.service, sample: asRaw(key, await samples[key](fresh)) };
    },
  };
}
