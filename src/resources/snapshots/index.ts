import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import type { Snapshots } from './service.ts';

export { adoptFile, type Adopted } from './carry.ts';
export type { Replacement, SnapshotHome } from './context.ts';
export { sealExisting } from './seal.ts';
export { createSnapshots, type Snapshot, type Snapshots } from './service.ts';
export { createTurns } from './turns.ts';

export function snapshotHandlers(snapshots: Snapshots): Handlers<KeysUnder<'/_kyclone/snapshots'>> {
  return {
    'PUT /_kyclone/snapshots/{name}': async ({ params, query }) =>
      answer(await snapshots.save(params.name, { overwrite: query.overwrite ?? false })),
    'GET /_kyclone/snapshots': async ({ query }) => answer(await snapshots.list(query)),
    'GET /_kyclone/snapshots/{name}': async ({ params }) => answer(await snapshots.get(params.name)),
    'DELETE /_kyclone/snapshots/{name}': async ({ params }) => answer(await snapshots.remove(params.name)),
    'POST /_kyclone/snapshots/{name}/load': async ({ params, query, requestId }) => {
      const keepRevoked = query.keep_revoked ?? false;
      return answer(await snapshots.load(params.name, { requestId, keepRevoked }));
    },
    'GET /_kyclone/snapshots/{name}/diff': async ({ params, query }) =>
      answer(await snapshots.diff(params.name, query.to)),
    'GET /_kyclone/snapshots/{name}/content': async ({ params }) => {
      const { content, bytes } = await snapshots.content(params.name);
      const name = `attachment; filename="${params.name}.kysnap"`;
      const headers = { 'content-length': String(bytes), 'content-disposition': name };
      return { body: content, headers };
    },
    'PUT /_kyclone/snapshots/{name}/content': async ({ params, query, body }) =>
      answer(
        await snapshots.take(params.name, body, {
          overwrite: query.overwrite ?? false,
          withAccess: query.with_access ?? false,
        }),
      ),
  };
}
