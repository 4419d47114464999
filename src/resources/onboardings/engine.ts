/** How an onboarding moves from status to status (contract §4.2–4.5, §4.7); whoever starts it, in one write job. */
import type { Outcome } from '../../contract/shapes.ts';
import type { Database } from '../../storage/database.ts';
import type { Space } from '../api-keys/index.ts';
import type { EntityRow } from '../entities/index.ts';
import type { PlaybookRow } from '../playbooks/index.ts';
import type { OnboardingView, RunResult } from './service.ts';

export interface NewRun {
  /** As it is within the job. */
  readonly entity: EntityRow;
  readonly playbook: PlaybookRow;
  /** `fixture_result` of the call. */
  readonly fixture: Outcome | undefined;
  readonly onboardingExternalId: string | null;
  /** Milliseconds until the outcome, unless a rule says otherwise: the playbook's delay_ms or session_delay_ms. */
  readonly delayMs: number;
  /** The owner who goes through the flow of a business: the playbook is not one for users. */
  readonly isOwnerRun: boolean;
  /** The incomplete onboarding that a session opened, to go on with; otherwise a new one begins. */
  readonly opened?: string | undefined;
}

/** Everything here is called within a write job. */
export interface Engine {
  /** Throws T122 when a completed or open onboarding of the entity on this playbook exists, other than `opened`. */
  requireNotOnboarded(database: Database, entity: EntityRow, playbook: PlaybookRow, opened?: string): void;
  /** Throws T121 naming what is missing, and `invalid_request` for a user of another country on kyc (contract §4.2). */
  requireReady(database: Database, entity: EntityRow, playbook: PlaybookRow): void;
  /** An incomplete onboarding, as a session begins it; answers its id. */
  open(
    database: Database,
    run: Pick<NewRun, 'entity' | 'playbook' | 'onboardingExternalId' | 'isOwnerRun'>,
  ): string;
  /** Chooses the outcome (contract §4.3), and brings it about now or when its delay is over. */
  start(database: Database, run: NewRun): RunResult;
  /** What an onboarding is now, for whoever reports it later. Throws `not_found`. */
  resultOf(database: Database, space: Space, id: string): RunResult;
  view(database: Database, id: string): OnboardingView | undefined;
}
