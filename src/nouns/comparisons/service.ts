/** Checks stated values and compares two entities. Both are recorded in the access log and return no value. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { jsonText } from '../../kernel/text/json.ts';
import { COMPARISON_RESULTS, type VerificationResult } from '../vault/facts.ts';
import type { EndpointKey, RequestOf } from '../../contract/registry.ts';
import { type Day, dayOf, parseDate } from '../../kernel/time/civil-date.ts';
import { ServiceError, invalid } from '../../kernel/errors.ts';
import { givenReason } from '../../kernel/text/text.ts';
import { type Access, accessEntry, denial } from '../../vault/access-entry.ts';
import type { StoredValue } from '../../vault/reader.ts';
import { StoredFile } from '../../vault/files/index.ts';
import {
  equalForms,
  fold,
  howToState,
  parseIdentifierReference,
  requireKnownIdentifiers,
  statedForms,
} from '../../vault/identifiers/index.ts';
import { type EntityRow, findEntity, forBusinessesToo } from '../entities/service/index.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Needs } from '../needs.ts';

type VerifyBody = RequestOf<'POST /users/{fp_id}/verify'>['body'];
type Asking<What extends 'verify' | 'compare'> = Omit<
  Parameters<Comparisons[`POST /users/{fp_id}/${What}`]>[0],
  'params'
>;
type ComparisonCall = Omit<Asking<'compare'>, 'body'>;

export type Comparisons = Handlers<Extract<EndpointKey, `${string}}/verify` | `${string}}/compare`>>;

export function createComparisons(context: Needs<'queue' | 'vault' | 'accessLog' | 'clock'>): Comparisons {
  const { queue, vault, accessLog, clock } = context;

  /** One commit for all entities that were read. */
  function record(call: ComparisonCall, entities: readonly EntityRow[], access: Access): Promise<void> {
    return queue.write((database) => {
      for (const entity of entities)
        accessLog.append(database, accessEntry(call, entity, { ...access, at: clock.now() }));
    });
  }

  async function refuse(
    call: ComparisonCall,
    entities: readonly EntityRow[],
    access: Omit<Access, 'outcome'>,
    error: ServiceError,
  ): Promise<never> {
    await record(call, entities, { ...access, outcome: 'refused' });
    throw error;
  }

  function valuesOf(entity: EntityRow, identifiers: readonly string[]) {
    const references = identifiers.map(parseIdentifierReference);
    const found = vault.reveal(queue.database, entity, { references, version: entity.vault_version });
    return (identifier: string) => {
      const value = found.get(identifier);
      return value === undefined ? undefined : comparableValue(value);
    };
  }

  async function verify({ body, ...call }: Asking<'verify'>) {
    const { caller, entity } = call;
    const sayings = sayingsOf(body);
    const identifiers = sayings.map(({ identifier }) => identifier);
    requireKnownIdentifiers(identifiers);
    const reason = givenReason(body.reason);
    const access = { operation: 'verify', identifiers, reason: reason ?? null } as const;
    const refusal = denial(caller, 'decrypt', identifiers);
    if (refusal) return await refuse(call, [entity], access, refusal);
    if (reason === undefined) {
      const missing = new ServiceError('reason_required', 'A verification needs a reason, in member reason');
      return await refuse(call, [entity], access, missing);
    }
    const stored = valuesOf(entity, identifiers);
    const today = dayOf(clock.now());
    const results = sayings.map((saying) => verified(saying, stored(saying.identifier), today));
    const outcomes = Object.fromEntries(results.map(({ identifier, result }) => [identifier, result]));
    await record(call, [entity], { ...access, outcome: 'granted', results: outcomes });
    const [first] = results;
    return answer(
      body.values !== undefined || first === undefined
        ? { results }
        : { identifier: first.identifier, result: first.result, results },
    );
  }

  async function compare({ body: { with: otherId, reason: given }, ...call }: Asking<'compare'>) {
    const { caller, entity } = call;
    const other = findEntity(queue.database, caller, otherId);
    if (other?.kind !== entity.kind)
      throw new ServiceError('not_found', `with: no ${entity.kind} has this id`);
    if (other.id === entity.id) throw invalid(`with must be the id of another ${entity.kind}`);
    const both = [entity, other];
    const namesOf = (row: EntityRow) => vault.present(queue.database, row, row.vault_version);
    const identifiers = [...new Set(both.flatMap(namesOf))].toSorted();
    const access = { operation: 'compare', identifiers, reason: givenReason(given) ?? null } as const;
    const refusal = denial(caller, 'decrypt', identifiers);
    if (refusal) return await refuse(call, both, access, refusal);
    const [mine, theirs] = [valuesOf(entity, identifiers), valuesOf(other, identifiers)];
    const fields = identifiers.map((identifier) => {
      const [one, another] = [mine(identifier), theirs(identifier)];
      if (one === undefined || another === undefined) return { identifier, result: 'unknown' as const };
      return { identifier, result: areSame(one, another) ? ('same' as const) : ('different' as const) };
    });
    await record(call, both, { ...access, outcome: 'granted' });
    const sorted = COMPARISON_RESULTS.flatMap((result) => fields.filter((field) => field.result === result));
    return answer({ with: other.fp_id, fields: sorted });
  }

  return forBusinessesToo({ 'POST /users/{fp_id}/verify': verify, 'POST /users/{fp_id}/compare': compare });
}

// Compares a stated value with a stored one, in the stored form of the identifier. Compares in constant time. Pure.

/** The comparable form of a stored value: folded text, a file's SHA-256, JSON for anything else. */
function comparableValue(value: StoredValue): string {
  if (value instanceof StoredFile) return value.sha256;
  return typeof value === 'string' ? fold(value) : jsonText(value);
}

interface Saying {
  readonly identifier: string;
  readonly value: string;
}

/** Throws `invalid_request` unless the request has one value, or several different ones. */
function sayingsOf({ identifier, value, values }: VerifyBody): readonly Saying[] {
  const isOne = identifier !== undefined && value !== undefined;
  if ((values === undefined) !== isOne || (values !== undefined && (identifier ?? value) !== undefined))
    throw invalid('Send identifier and value, or values in place of both');
  const sayings = values ?? (isOne ? [{ identifier, value }] : []);
  if (new Set(sayings.map((each) => each.identifier)).size < sayings.length)
    throw invalid('values has an identifier twice');
  return sayings;
}

function verified({ identifier, value }: Saying, stored: string | undefined, today: Day) {
  const resultOf = (result: VerificationResult, hint: string | null = null) => ({ identifier, result, hint });
  if (stored === undefined) return resultOf('nothing_to_compare');
  const stated = statedForms(identifier, value, today);
  if (stated.length === 0) return resultOf('unreadable', howToState(identifier, value));
  const pairs = equalForms(identifier, stored).flatMap((one) => stated.map((other) => areSame(one, other)));
  if (pairs.includes(true)) return resultOf('match');
  const days = identifier === 'id.dob' ? stated.flatMap((each) => parseDate(each) ?? []) : [];
  const isAhead = days.length > 0 && days.every((day) => day > today);
  return isAhead ? resultOf('unreadable', 'A date of birth is not in the future') : resultOf('no_match');
}

/** In constant time for any lengths. */
function areSame(one: string, other: string): boolean {
  const key = randomBytes(32);
  const digestOf = (text: string) => createHmac('sha256', key).update(text, 'utf8').digest();
  return timingSafeEqual(digestOf(one), digestOf(other));
}
