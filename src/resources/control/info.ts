/** Facts and counts of the instance (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { sqliteInUse } from '../../storage/binding.ts';
import type { Database } from '../../storage/database.ts';
import type { ClockService } from '../clock/index.ts';
import { countByKind } from '../entities/index.ts';
import type { Faults } from '../faults/index.ts';
import type { Journal } from '../requests/index.ts';
import type { LiveSettings } from '../settings/index.ts';
import type { Instance } from './instance.ts';

export interface InfoContext {
  readonly database: Database;
  readonly instance: Instance;
  readonly settings: LiveSettings;
  readonly clockService: Pick<ClockService, 'state'>;
  readonly journal: Pick<Journal, 'size'>;
  readonly faults: Pick<Faults, 'size'>;
  /** The number of waiting work items: delayed outcomes, delivery attempts, a key rotation. */
  readonly pendingWork: () => number;
}

export function instanceInfo(context: InfoContext): AnswerOf<'GET /_kyclone/info'> {
  const { instance, settings } = context;
  return {
    version: instance.version,
    pid: instance.pid,
    url: instance.url,
    instance: instance.name,
    storage: instance.storage,
    sqlite: sqliteInUse(),
    started_at: timestamp(instance.startedAt),
    clock: context.clockService.state(),
    egress_policy: settings.current.egress.policy,
    vocabulary: settings.current.vocabulary,
    counts: { ...countByKind(context.database), requests: context.journal.size },
    faults: context.faults.size,
    pending_work: context.pendingWork(),
    ...(!instance.readiness.ready && { not_ready: instance.readiness.reason }),
  };
}
