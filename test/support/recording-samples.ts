/**
 * A successful request for every endpoint of recordings, and a request that causes each error that the endpoint
 * declares.
 */
import type { LooseParts, TestService } from './service.ts';

interface Stage {
  readonly service: TestService;
}

const plain = () => ({ params: {}, body: undefined });
// A recording outlives a reset, so an earlier sample may have begun one or not: either is refused once.
const whileRecording = async ({ service }: Stage) => {
  await service.request('POST /_kyclone/recording', {});
  return plain();
};
const whileIdle = async ({ service }: Stage) => {
  await service.request('DELETE /_kyclone/recording', {});
  return plain();
};

export const recordingSamples = {
  'POST /_kyclone/recording': whileIdle,
  'DELETE /_kyclone/recording': whileRecording,
};

export const recordingProvocations = {
  'POST /_kyclone/recording': { conflict: (stage: Stage): Promise<LooseParts> => whileRecording(stage) },
  'DELETE /_kyclone/recording': { conflict: (): LooseParts => ({}) },
};
