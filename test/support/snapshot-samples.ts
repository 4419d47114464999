/** For every endpoint of snapshots a request that succeeds, and for every error it declares one that meets it. */
import type { LooseParts, TestService } from './service.ts';

interface Stage {
  readonly service: TestService;
}

const named = () => ({ params: { name: 'before' }, body: undefined });
const saved = async ({ service }: Stage) => {
  await service.call('PUT /_kyclone/snapshots/{name}', { params: { name: 'before' } });
  return named();
};
const later = (): LooseParts => ({ params: { name: 'before' } });

export const snapshotSamples = {
  'PUT /_kyclone/snapshots/{name}': named,
  'GET /_kyclone/snapshots': () => ({ params: {}, body: undefined }),
  'GET /_kyclone/snapshots/{name}': saved,
  'DELETE /_kyclone/snapshots/{name}': saved,
  'POST /_kyclone/snapshots/{name}/load': saved,
  'GET /_kyclone/snapshots/{name}/diff': saved,
  'GET /_kyclone/snapshots/{name}/content': saved,
  'PUT /_kyclone/snapshots/{name}/content': named as never,
};

export const snapshotProvocations = {
  'PUT /_kyclone/snapshots/{name}': { conflict: saved, storage_full: later },
  'GET /_kyclone/snapshots': {},
  'GET /_kyclone/snapshots/{name}': {},
  'DELETE /_kyclone/snapshots/{name}': {},
  'POST /_kyclone/snapshots/{name}/load': { conflict: later, storage_full: later, vault_damaged: later },
  'GET /_kyclone/snapshots/{name}/diff': { conflict: later, vault_damaged: later },
  'GET /_kyclone/snapshots/{name}/content': { conflict: later, storage_full: later },
  'PUT /_kyclone/snapshots/{name}/content': {
    conflict: later,
    storage_full: later,
    vault_damaged: later,
    vault_key_invalid: later,
  },
};
