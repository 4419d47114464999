import type { EndpointKey } from '../../contract/registry.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import { listAccess } from './access-log.ts';
import { changeAttributes } from './attributes.ts';
import { inspect, listInspected } from './entities.ts';
import { listTimeline } from './timeline.ts';
import type { TimelineContext } from './timeline-sources.ts';

export { inspectedItem } from './entities.ts';

/** Other resources have their own endpoints below an entity, such as bank links. */
type InspectedKeys = Extract<
  EndpointKey,
  | `${string} /_kyclone/entities`
  | `${string} /_kyclone/entities/{fp_id}`
  | `${string} /_kyclone/entities/{fp_id}/timeline`
>;

export function inspectorHandlers(
  context: Omit<TimelineContext, 'database'> & {
    readonly queue: WriteQueue;
    readonly accessLog: AccessLog;
    readonly clock: Clock;
  },
): Handlers<InspectedKeys> {
  const { queue, vault, labels } = context;
  const inspector = { ...context, database: queue.database };
  return {
    'GET /_kyclone/entities': async (request) => answer(await listInspected(inspector, request)),
    'GET /_kyclone/entities/{fp_id}': async ({ params, query }) =>
      answer(await inspect(inspector, params.fp_id, query)),
    'GET /_kyclone/entities/{fp_id}/timeline': ({ params, query }) =>
      answer(listTimeline(inspector, params.fp_id, query)),
    'PATCH /_kyclone/entities/{fp_id}': async ({ params, query, body }) => {
      await changeAttributes({ queue, vault, labels }, params.fp_id, { query, body });
      return answer({});
    },
  };
}

export function accessLogHandlers({
  queue: { database },
  accessLog,
}: {
  readonly queue: WriteQueue;
  readonly accessLog: AccessLog;
}): Handlers<KeysUnder<'/_kyclone/access-log'>> {
  return {
    'GET /_kyclone/access-log': async ({ query }) => answer(await listAccess({ database, accessLog }, query)),
    'GET /_kyclone/access-log/verify': async () => answer(await accessLog.verify(database)),
  };
}
