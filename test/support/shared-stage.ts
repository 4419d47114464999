/**
 * One service with one stage for many tests of a file, made when the first asks for it: a service of its own costs each
 * test more than the requests that it sends. Only for requests that change nothing: those that must be refused, and
 * those that read.
 */
import { afterAll } from 'vitest';
import type { EndpointKey } from '../../src/contract/registry.ts';
import { samples, setStage, type Stage } from './samples.ts';
import { asRaw, startService, type RawRequest, type TestService } from './service.ts';

export interface SharedStage {
  stage(): Promise<Stage>;
  service(): Promise<TestService>;
  /** A request that would succeed. It is made once: what it names stays, for no test of the file sends it unchanged. */
  sampleOf(key: EndpointKey): Promise<RawRequest>;
}

/** Call it at the top level of a test file; the service ends with the file. */
export function shareStage(): SharedStage {
  let made: Promise<Stage> | undefined;
  const requests = new Map<EndpointKey, Promise<RawRequest>>();
  const stage = () => (made ??= startService().then((service) => setStage(service)));

  async function makeSample(key: EndpointKey): Promise<RawRequest> {
    const shared = await stage();
    // The journal holds the last requests only, and those of other tests push out the stage's own.
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
