/**
 * Shares one service and one stage among many tests of a file, and makes them when the first test needs them. Starting
 * a service costs a test more time than its requests. Use it only for requests that change nothing: requests that must
 * be refused, and requests that read.
 */
import { afterAll } from 'vitest';
import type { EndpointKey } from '../../src/contract/registry.ts';
import { samples, setStage, type Stage } from './samples.ts';
import { asRaw, startService, type RawRequest, type TestService } from './service.ts';

export interface SharedStage {
  stage(): Promise<Stage>;
  service(): Promise<TestService>;
  /**
   * Returns a request that would succeed. It is made once, and what it names stays, because no test of the file sends
   * it unchanged.
   */
  sampleOf(key: EndpointKey): Promise<RawRequest>;
}

/** Call this at the top level of a test file. The service ends with the file. */
export function shareStage(): SharedStage {
  let made: Promise<Stage> | undefined;
  const requests = new Map<EndpointKey, Promise<RawRequest>>();
  const stage = () => (made ??= startService().then((service) => setStage(service)));

  async function makeSample(key: EndpointKey): Promise<RawRequest> {
    const shared = await stage();
    // The journal keeps only the last requests, so requests of other tests push out the one of the stage.
    const { requestId } = await shared.service.call('GET /users');
    return asRaw(key, await samples[key]({ ...shared, journalled: requestId }));
  }

  afterAll(async () => {
    await (await made)?.service[Symbol.asyncDispose]();
  });

  return {
    stage,
    service: async () => (await stage()).service,
    sampleOf(key) {
      const request = requests.get(key) ?? makeSample(key);
      requests.set(key, request);
      return request;
    },
  };
}
