/**
 * The page of an intent (contract §14): a person makes the choices for `POST /bank_links` there. They are stored sealed
 * beside the intent and have no effect before the person agrees, so that an abandoned page changes nothing.
 */
import { ServiceError, conflict } from '../../../kernel/errors.ts';
import type { Database } from '../../../storage/database.ts';
import type { FlowCaller } from '../../api-keys/service/index.ts';
import type { EntityRow } from '../../entities/service/index.ts';
import { isWhole, requireChoice, type BankChoice, type WholeChoice } from './choice.ts';
import { hasExpired, intentOfDigest, presentedIntent } from './intents.ts';
import { findLinkByRow, type PlacedLinkRow } from './links-repository.ts';
import { deleteExpiredPages, findSealedPage, putPage, type IntentRow } from './intents-repository.ts';
import type { BankSimulations } from './simulations.ts';
import type { Needs } from '../../needs.ts';

/** Data stored for an intent in addition to its row. */
interface Kept {
  /** The target of the page's redirect at its end. */
  readonly redirect_url?: string | undefined;
  readonly choice?: BankChoice | undefined;
  readonly hasAgreed?: true;
}

export interface IntentPage extends Kept {
  readonly intent: IntentRow;
  readonly entity: EntityRow;
  /** The link to reconnect. */
  readonly link: PlacedLinkRow | undefined;
  /** The person agreed, or the intent was used without the page. */
  readonly isOver: boolean;
}

/** Writes must be called within a write job. */
export type BankPages = ReturnType<typeof createBankPages>;

export function createBankPages({ queue, clock, privateValues }: Needs<'queue' | 'clock' | 'privateValues'>) {
  const idOf = (digest: Uint8Array): string => Buffer.from(digest).toString('hex');

  function kept(database: Database, digest: Uint8Array): Kept {
    const sealed = findSealedPage(database, digest);
    return sealed ? (JSON.parse(privateValues.open('bank page', idOf(digest), sealed)) as Kept) : {};
  }

  function keep(database: Database, digest: Uint8Array, what: Kept): void {
    const sealed = privateValues.seal('bank page', idOf(digest), JSON.stringify(what));
    putPage(database, { digest, sealed });
  }

  function read(database: Database, caller: FlowCaller): IntentPage {
    const found = intentOfDigest(database, caller.digest);
    if (!found) throw conflict('The intent is gone: ask for another link');
    const { intent, entity } = found;
    const what = kept(database, intent.digest);
    const link = intent.link === null ? undefined : findLinkByRow(database, intent.link);
    const isOver = what.hasAgreed === true || intent.used_at !== null;
    return { ...what, intent, entity, link, isOver };
  }

  function open(database: Database, caller: FlowCaller): IntentPage {
    const page = read(database, caller);
    if (page.isOver) throw conflict('The bank was chosen already: this page is done');
    if (hasExpired(page.intent, clock.now())) throw expired();
    return page;
  }

  async function forgetExpired(): Promise<void> {
    if (!queue.isReadOnly) await queue.write((database) => deleteExpiredPages(database, clock.now()));
  }

  return {
    /** The caller of an intent's token. Throws `unauthenticated`, `token_expired`. */
    authenticate(token: string): FlowCaller {
      const found = presentedIntent(queue.database, token);
      if (!found) {
        throw new ServiceError(
          'unauthenticated',
          'This call takes the token of a hosted flow (obtok_… or blit_…) in header x-fp-authorization',
        );
      }
      const { intent, entity } = found;
      if (intent.used_at === null && hasExpired(intent, clock.now())) {
        // If the store can't be written now, this is repeated when the page polls again, or at the next start.
        if (findSealedPage(queue.database, intent.digest)) forgetExpired().catch(() => undefined);
        throw expired();
      }
      const { space, tenant, environment, fp_id } = entity;
      const flow = { kind: 'hosted_session', flow: 'bank_link', id: fp_id, digest: intent.digest } as const;
      return { ...flow, space, tenant, environment, permissions: undefined };
    },

    /** Deletes choices of expired intents. */
    forgetExpired,

    /** Throws `conflict` when the intent is gone. */
    read,

    /** Throws `conflict` when it is over, `invalid_request`. */
    choose(database: Database, caller: FlowCaller, choice: BankChoice, worlds: BankSimulations): void {
      const { intent, link, redirect_url } = open(database, caller);
      if (link) throw conflict('This page connects a link again, which keeps its bank and its accounts');
      requireChoice(worlds, choice);
      keep(database, intent.digest, { redirect_url, choice });
    },

    /** Throws `conflict` when it is over, `T121` when a choice is missing. */
    agree(database: Database, caller: FlowCaller): void {
      const { intent, link, redirect_url, choice } = open(database, caller);
      if (!link && !isWhole(choice)) {
        throw new ServiceError('T121', 'The bank, a persona and its accounts have to be chosen first');
      }
      keep(database, intent.digest, { redirect_url, choice, hasAgreed: true });
    },

    /** Discards the choices. Throws `conflict` when it is over. */
    leave(database: Database, caller: FlowCaller): void {
      const { intent, redirect_url } = open(database, caller);
      keep(database, intent.digest, { redirect_url });
    },

    /** For a new intent. */
    keep,

    /** The choice that the person agreed to; undefined for an intent used without the page. */
    agreed(database: Database, { digest }: IntentRow): WholeChoice | undefined {
      const { choice, hasAgreed } = kept(database, digest);
      return hasAgreed && isWhole(choice) ? choice : undefined;
    },
  };
}

function expired(): ServiceError {
  return new ServiceError('token_expired', 'The token of this hosted flow has expired: ask for another link');
}
