/**
 * Refuses rules that have no effect or can never apply, when they are created (contract §4.3): a test that waits for
 * such a rule would not learn the reason. Each refusal is `invalid_request` and names the member.
 */
import { ENTITY_KINDS, type EntityKind } from '../../contract/facts/entities.ts';
import type { Environment } from '../../contract/facts/entities.ts';
import type { Outcome, PlaybookKind } from '../../contract/facts/onboardings.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { ID_PREFIX } from '../../kernel/ids.ts';
import { mayBeginWith } from '../../kernel/text-glob.ts';
import {
  comparableText,
  describeIdentifier,
  requireKnownIdentifiers,
} from '../../vault/identifiers/index.ts';
import { KEY_PREFIX } from '../playbooks/index.ts';
import { isReasonCode } from '../risk-signals/index.ts';
import type { SignalChanges, StoredMatch } from './repository.ts';

/** Outcomes that store no signals (contract §4.5). */
const WITHOUT_SIGNALS: readonly Outcome[] = ['none', 'error'];

interface Circumstances {
  readonly environment: Environment;
  /** The kind of the playbook of this key; undefined when there is none. */
  readonly kindOf: (key: string) => PlaybookKind | undefined;
}

export function requirePossibleMatch(match: StoredMatch, { environment, kindOf }: Circumstances): void {
  if (Object.keys(match).length === 0) throw refused('match', 'give at least one of its members');
  const { sandbox_id, playbook_key, kind } = match;
  if (sandbox_id !== undefined && environment === 'live') {
    throw refused('match.sandbox_id', 'live entities have none');
  }
  if (playbook_key !== undefined) {
    const prefix = KEY_PREFIX[environment];
    if (!mayBeginWith(playbook_key, prefix)) {
      throw refused('match.playbook_key', `the keys of this environment begin with ${prefix}`);
    }
    const itsKind = kindOf(playbook_key);
    if (kind !== undefined && itsKind !== undefined && kind !== itsKind) {
      throw refused('match.kind', `the playbook of match.playbook_key is of kind ${itsKind}`);
    }
  }
  requireSomebody(match);
}

/** Requires that an entity can match id, kind and identifier together. */
function requireSomebody({ fp_id, kind, identifier }: StoredMatch): void {
  if (identifier) requireKnownIdentifiers([identifier.name]);
  const ofId = ENTITY_KINDS.filter((who) => fp_id === undefined || mayBeginWith(fp_id, ID_PREFIX[who]));
  if (ofId.length === 0) throw refused('match.fp_id', 'ids begin with fp_id_ or fp_bid_');
  const ofKind = ofId.filter((who) => kind === undefined || who === entityOf(kind));
  if (ofKind.length === 0) throw refused('match.kind', `no ${ofId.join()} is run on a playbook of this kind`);
  const description = identifier && describeIdentifier(identifier.name);
  if (description && !ofKind.some((who) => description.belongsTo(who))) {
    throw refused('match.identifier.name', `a ${ofKind.join()} has no ${description.name}`);
  }
}

function entityOf(kind: PlaybookKind): EntityKind {
  return kind === 'kyb' ? 'business' : 'user';
}

/** The identifier must be known. */
export function requirePossibleValue(identifier: string, equals: string): void {
  if (comparableText(identifier, equals) === undefined) {
    throw refused('match.identifier.equals', `${identifier} never has such a text`);
  }
}

/** The codes without duplicates; null for none. */
export function readSignals({
  add = [],
  remove = [],
}: {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}): SignalChanges | null {
  for (const [name, codes] of Object.entries({ add, remove })) {
    const place = codes.findIndex((code) => !isReasonCode(code));
    if (place !== -1) throw refused(`signals.${name}[${place}]`, 'no reason code of the catalogue');
  }
  const both = add.find((code) => remove.includes(code));
  if (both !== undefined) throw refused('signals', `${both} cannot be both added and removed`);
  if (add.length + remove.length === 0) return null;
  return { add: [...new Set(add)], remove: [...new Set(remove)] };
}

export function requireSignalsFit(signals: SignalChanges | null, outcome: Outcome): void {
  if (signals && WITHOUT_SIGNALS.includes(outcome)) {
    throw refused('signals', `the outcome ${outcome} stores no signals`);
  }
}

function refused(member: string, why: string): ServiceError {
  return new ServiceError('invalid_request', `${member}: ${why}`);
}
