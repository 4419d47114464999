/**
 * A successful request for every endpoint of snapshots, and a request that causes each error that the endpoint
 * declares.
 */
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeUnderSeal } from './snapshot-seals.ts';
import { startService, type LooseParts, type TestService } from './service.ts';

interface Stage {
  readonly service: TestService;
  /** Limits the size of files until the end of the test, as a full disk does (file-size-limit.ts). */
  readonly limitFileSize?: (bytes: number) => void;
}

const NAME = 'before';
const plain = () => ({ params: { name: NAME }, body: undefined });

/** Returns the path of the sample snapshot. */
export const snapshotPath = ({ snapshotsFolder }: TestService, name = NAME) =>
  join(snapshotsFolder, `${name}.kysnap`);

const saved = async ({ service }: Stage) => {
  await service.call('PUT /_kyclone/snapshots/{name}', {
    params: { name: NAME },
    query: { overwrite: true },
  });
  return plain();
};

/** Until the end of the test no file may grow beyond 4,096 bytes. */
const whenFull =
  (make: (stage: Stage) => LooseParts | Promise<LooseParts>) =>
  async (stage: Stage): Promise<LooseParts> => {
    const parts = await make(stage);
    if (!stage.limitFileSize) throw new Error('this stage cannot limit the size of files');
    stage.limitFileSize(4_096);
    return parts;
  };

/** Changes a snapshot's head so that it names a later version. The schema number is at byte 60. */
export function makeNewer(path: string): void {
  const bytes = readFileSync(path);
  bytes.writeUInt32BE(9_999, 60);
  writeFileSync(path, bytes);
}

const newer = async (stage: Stage): Promise<LooseParts> => {
  await saved(stage);
  changeUnderSeal(snapshotPath(stage.service), stage.service.vaultKey, makeNewer);
  return plain();
};
const damaged = async (stage: Stage): Promise<LooseParts> => {
  await saved(stage);
  truncateSync(snapshotPath(stage.service), 8_192);
  return plain();
};

/** Returns the content of a snapshot that includes its key, as another instance receives it. */
export async function contentOf(service: TestService, name = NAME): Promise<Buffer> {
  const reply = await service.request('GET /_kyclone/snapshots/{name}/content', { params: { name } });
  if (reply.status !== 200) throw new Error(`no content: ${reply.text}`);
  return reply.bytes;
}

const carried = async (stage: Stage): Promise<LooseParts> => {
  await saved(stage);
  return { params: { name: 'taken' }, body: await contentOf(stage.service) };
};
/** Makes a snapshot of another vault, sealed with a key that this instance doesn't have. */
const foreign = async (): Promise<LooseParts> => {
  await using other = await startService({ snapshotKey: '5'.repeat(64) });
  await saved({ service: other });
  return { params: { name: 'taken' }, body: await contentOf(other) };
};

export const snapshotSamples = {
  'PUT /_kyclone/snapshots/{name}': plain,
  'GET /_kyclone/snapshots/{name}': saved,
  'DELETE /_kyclone/snapshots/{name}': saved,
  'POST /_kyclone/snapshots/{name}/load': saved,
  'GET /_kyclone/snapshots/{name}/diff': saved,
  'GET /_kyclone/snapshots/{name}/content': saved,
  'PUT /_kyclone/snapshots/{name}/content': carried,
};

export const snapshotProvocations = {
  'PUT /_kyclone/snapshots/{name}': { conflict: saved, storage_full: whenFull(plain) },
  'GET /_kyclone/snapshots/{name}': { conflict: newer, vault_damaged: damaged },
  'POST /_kyclone/snapshots/{name}/load': {
    conflict: newer,
    storage_full: whenFull(saved),
    vault_damaged: damaged,
  },
  'GET /_kyclone/snapshots/{name}/diff': { conflict: newer, vault_damaged: damaged },
  'GET /_kyclone/snapshots/{name}/content': {
    conflict: newer,
    storage_full: whenFull(saved),
    vault_damaged: async (stage: Stage): Promise<LooseParts> => {
      await saved(stage);
      copyFileSync(import.meta.filename, snapshotPath(stage.service));
      return plain();
    },
  },
  'PUT /_kyclone/snapshots/{name}/content': {
    conflict: async (stage: Stage): Promise<LooseParts> => ({ ...(await carried(stage)), ...plain() }),
    storage_full: whenFull(carried),
    vault_key_invalid: foreign,
  },
};
