/**
 * A successful request for every endpoint of recordings, and a request that causes each error that the endpoint
 * declares.
 */
import type { LooseParts, TestService } from './service.ts';

interface Stage {
  readonly service: TestService;
}

const plain = () => ({ params: {}, body: undefined });
const whileRecording = async ({ service }: Stage) => {
  await service.call('POST /_kyclone/recording');
  return plain();
};

export const recordingSamples = {
  'GET /_kyclone/recording': plain,
  'POST /_kyclone/recording': plain,
  'DELETE /_kyclone/recording': whileRecording,
};

export const recordingProvocations = {
  'GET /_kyclone/recording': {},
  'POST /_kyclone/recording': { conflict: (stage: Stage): Promise<LooseParts> => whileRecording(stage) },
  'DELETE /_kyclone/recording': { conflict: (): LooseParts => ({}) },
};
