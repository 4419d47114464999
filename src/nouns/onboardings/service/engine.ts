/** The status transitions of an onboarding (contract §4.2–4.5, §4.7), in one write job for each way of starting it. */
import { outcomeOfSandboxId, type Outcome } from '../../outcomes/facts.ts';
import { ServiceError, conflict, invalid } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids/ids.ts';
import type { Database } from '../../../storage/database.ts';
import { accessEntry, type AccessCall } from '../../../vault/access-entry.ts';
import type { VaultReads } from '../../../vault/vault.ts';
import type { Space } from '../../api-keys/service/index.ts';
import { joinOnboarding } from '../../documents/service.ts';
import type { EntityRow } from '../../entities/service/index.ts';
import type { ChosenOutcome, Outcomes } from '../../outcomes/service.ts';
import type { PlaybookRow } from '../../playbooks/service.ts';
import { storedText } from './known-person.ts';
import { requireDomestic, requireRequirements } from './readiness.ts';
import { findOnboarding, isOnboarded, isOnboardingId, type OnboardingRow } from './repository.ts';
import type { NewOnboarding, StatusChanges } from './status-changes.ts';
import { comesLater, comesTo, DOCUMENT_ARRIVED, OPENED, type Change } from './transitions.ts';
import { onboardingView, runResult, type OnboardingView, type RunResult } from './views.ts';
import type { Needs } from '../../needs.ts';

export interface NewRun {
  /** The current row within the job. */
  readonly entity: EntityRow;
  readonly playbook: PlaybookRow;
  /** `fixture_result` of the call. */
  readonly fixture: Outcome | undefined;
  readonly onboardingExternalId: string | null;
  /** Milliseconds until the outcome, unless a rule overrides it: the playbook's delay_ms or session_delay_ms. */
  readonly delayMs: number;
  /** The run of the owner who completes a business's flow; its playbook is not for users. */
  readonly isOwnerRun: boolean;
  /** The incomplete onboarding opened by a session, to be continued; by default a new one starts. */
  readonly opened?: string | undefined;
  /** For the access log, when an outcome rule compares a value. */
  readonly call: AccessCall;
}

type Draft = Pick<NewRun, 'entity' | 'playbook' | 'onboardingExternalId' | 'isOwnerRun'>;

export type Engine = ReturnType<typeof createEngine>;

/** Everything here must be called within a write job. */
export function createEngine({
  clock,
  random,
  vault,
  outcomes,
  changes,
  accessLog,
}: Needs<'clock' | 'random' | 'accessLog'> & {
  readonly vault: VaultReads;
  readonly outcomes: Outcomes;
  readonly changes: StatusChanges;
}) {
  /**
   * Throws T121 naming missing data (contract §4.2). A hosted flow accepts every country, and requires tax number and
   * state in the United States only. A headless kyc throws `invalid_request` for another country.
   */
  function requireReady(
    database: Database,
    entity: EntityRow,
    playbook: PlaybookRow,
    flow: 'hosted' | 'headless',
  ): void {
    const textOf = (identifier: string) => storedText(vault, database, entity, identifier);
    const country = entity.kind === 'user' ? textOf('id.country') : undefined;
    const isStored = vault.presence(database, entity, entity.vault_version);
    requireRequirements(playbook, {
      isAbroad: flow === 'hosted' && country !== undefined && country !== 'US',
      isPresent: (group) => group.some(isStored),
      textOf,
    });
    if (flow === 'headless' && playbook.kind === 'kyc') requireDomestic(country);
  }

  /**
   * Chooses the outcome (contract §4.3), and applies it now or after its delay. Documents without an onboarding are
   * assigned to this one (contract §5).
   */
  function start(database: Database, run: NewRun): RunResult {
    const { entity, playbook } = run;
    refuseLiveFixture(entity, run.fixture);
    const opened = run.opened === undefined ? undefined : getOpened(database, entity, run.opened);
    const chosen = choose(database, run);
    const change = arrivalOf(chosen, run);
    const { signals } = chosen;
    const after = opened
      ? changes.apply(database, { ...opened, playbook_version: playbook.version, signals }, change)
      : changes.begin(database, entity, { ...draftOf(database, run), signals }, change);
    joinOnboarding(database, entity.id, after.id);
    return runResult(after);
  }

  return {
    requireReady,
    start,

    /** Throws T122 when the entity has another completed or open onboarding on this playbook than `opened`. */
    requireNotOnboarded(
      database: Database,
      entity: EntityRow,
      { key }: PlaybookRow,
      opened: string | null = null,
    ): void {
      if (!isOnboarded(database, { entity: entity.id, playbook_key: key, except: opened })) return;
      throw new ServiceError('T122', `This ${entity.kind} has an onboarding on this playbook already`);
    },

    /** Creates an incomplete onboarding for a session; returns its id. */
    open: (database: Database, run: Draft): string =>
      changes.begin(database, run.entity, draftOf(database, run), OPENED).id,

    /**
     * Continues the incomplete onboarding `opened`. One that waits for a document ends as if the document had arrived,
     * unless the call chooses an outcome. Throws `conflict` when it is no longer incomplete, and errors of a run.
     */
    goOn(database: Database, run: NewRun & { readonly opened: string }): RunResult {
      const { entity, playbook, fixture } = run;
      const opened = getOpened(database, entity, run.opened);
      const waitsForDocument = opened.next_outcome === 'step_up';
      if (!waitsForDocument) requireReady(database, entity, playbook, 'hosted');
      else if (fixture === undefined) return runResult(changes.apply(database, opened, DOCUMENT_ARRIVED));
      return start(database, run);
    },

    /** An incomplete onboarding stops waiting for a document. */
    awaitNothing(database: Database, id: string): void {
      const row = findOnboarding(database, id);
      if (row?.next_outcome === 'step_up') changes.apply(database, row, OPENED);
    },

    /** The current state of an onboarding. Throws `not_found`. */
    resultOf(database: Database, space: Space, id: string): RunResult {
      const row = findOnboarding(database, id);
      if (row?.space !== space.space) throw notFound();
      return runResult(row);
    },

    view(database: Database, id: string): OnboardingView | undefined {
      const row = findOnboarding(database, id);
      return row && onboardingView(row);
    },

    /** Milliseconds until the outcome arrives; 0 for one that has arrived, or waits for something else. */
    delayOf: (database: Database, id: string): number =>
      Math.max(0, (findOnboarding(database, id)?.due_at ?? 0) - clock.now()),

    /** Whether it waits for a document, or will after its delay. */
    waitsForDocument: (database: Database, id: string): boolean =>
      findOnboarding(database, id)?.next_outcome === 'step_up',
  };

  /** The first that applies: the call's, a rule's, the sandbox id's, the playbook's (contract §4.3, A54). */
  function choose(database: Database, run: NewRun): ChosenOutcome {
    const { fixture, entity, playbook } = run;
    const ruled = fixture === undefined ? ruledOutcome(database, run) : undefined;
    if (ruled) return ruled;
    const bySandboxId = entity.sandbox_id === null ? undefined : outcomeOfSandboxId(entity.sandbox_id);
    const outcome = fixture ?? bySandboxId ?? (playbook.has_rules ? playbook.default_outcome : 'none');
    return { outcome, delayMs: undefined, signals: null };
  }

  /** The outcome shows whether a stored value equals that of a rule, so the access log has the comparison. */
  function ruledOutcome(database: Database, { entity, playbook, call }: NewRun): ChosenOutcome | undefined {
    const { fp_id, external_id, sandbox_id } = entity;
    const { key: playbook_key, kind } = playbook;
    const compared = new Set<string>();
    const chosen = outcomes.choose(database, entity, {
      fp_id,
      external_id,
      sandbox_id,
      playbook_key,
      kind,
      valueOf(identifier) {
        compared.add(identifier);
        return storedText(vault, database, entity, identifier);
      },
    });
    if (compared.size === 0) return chosen;
    const access = {
      operation: 'compare',
      identifiers: [...compared],
      outcome: 'granted',
      reason: null,
    } as const;
    accessLog.append(database, accessEntry(call, entity, { ...access, at: clock.now() }));
    return chosen;
  }

  function draftOf(database: Database, { playbook, onboardingExternalId, isOwnerRun }: Draft): NewOnboarding {
    return {
      id: newId('onboarding', random, (id) => isOnboardingId(database, id)),
      onboarding_external_id: onboardingExternalId,
      playbook_key: playbook.key,
      playbook_kind: playbook.kind,
      playbook_version: playbook.version,
      signals: null,
      is_owner_run: isOwnerRun,
    };
  }

  /** Pending lasts until it is resolved, unless a rule sets a time; the playbook's delay applies to other outcomes. */
  function arrivalOf({ outcome, delayMs }: ChosenOutcome, run: NewRun): Change {
    const delay = delayMs ?? (outcome === 'pending' ? undefined : run.delayMs);
    const isLater = outcome === 'pending' ? delay !== undefined : delay !== 0;
    return isLater && delay !== undefined
      ? comesLater(outcome, clock.now() + delay)
      : comesTo(outcome, run.entity.kind);
  }
}

/** The incomplete onboarding of the entity that a session opened; `conflict` when it has changed in the meantime. */
function getOpened(database: Database, entity: EntityRow, id: string): OnboardingRow {
  const row = findOnboarding(database, id);
  if (row?.entity !== entity.id) throw notFound();
  if (row.status === 'incomplete') return row;
  throw conflict('The onboarding that the session opened has gone on without it');
}

export function notFound(): ServiceError {
  return new ServiceError('not_found', 'No onboarding has this id in this tenant and environment');
}

/** Throws `invalid_request` when a call with a live key chooses an outcome. */
export function refuseLiveFixture(space: Space, fixture: Outcome | undefined): void {
  if (fixture === undefined || space.environment === 'sandbox') return;
  throw invalid('fixture_result is for the sandbox only, and this is the live environment');
}
