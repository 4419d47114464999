/** Playbooks (contract §4.1, §11). */
import type { Environment } from '../entities/facts.ts';
import type { Outcome } from '../outcomes/facts.ts';
import type { PlaybookKind } from '../onboardings/facts.ts';
import type { DocumentKind } from '../vault/facts.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { orderedPage } from '../cursor.ts';
import { ServiceError, invalid } from '../../kernel/errors.ts';
import { ID_PREFIX, newId } from '../../kernel/ids/ids.ts';
import type { Database } from '../../storage/database.ts';
import { exists } from '../../storage/statement.ts';
import { boolean, integer, json, optional, type RowOf, table, text, textOf } from '../../storage/table.ts';
import { describeIdentifier, requireKnownIdentifiers } from '../../vault/identifiers/index.ts';
import { type Space, spaceOf } from '../api-keys/service/index.ts';
import { answer, type Handlers, type KeysUnder, written, doneWriting } from '../handlers.ts';
import type { Needs } from '../needs.ts';

// All SQL of playbooks. Times are epoch milliseconds.

const PLAYBOOKS = table(
  'playbooks',
  {
    /** Row id. */
    space: integer,
    key: text,
    name: text,
    kind: textOf<PlaybookKind>(),
    version: integer,
    /** Groups of identifiers; one of a group is enough. */
    requirements: json<string[][]>(),
    has_rules: boolean,
    default_outcome: textOf<Outcome>(),
    /** Milliseconds until the outcome of a headless run. */
    delay_ms: integer,
    /** Milliseconds until the outcome after the user has left the hosted flow. */
    session_delay_ms: integer,
    collects_owners: boolean,
    /** The kyc playbook on which each owner is run; null: they are only linked. */
    owners_playbook_key: optional(text),
    /** Kinds of which the hosted flow requires one; null for none, except in a playbook of kind document. */
    documents: optional(json<DocumentKind[]>()),
    /** Whether the hosted flow requires a selfie with a document. */
    selfie: boolean,
    /** Whether the hosted flow asks for a bank. */
    bank_link: boolean,
    created_at: integer,
  },
  { key: ['space', 'key'], fixed: ['kind', 'created_at'] },
);

/** A playbook in the form that runs use. */
export type PlaybookRow = RowOf<typeof PLAYBOOKS>;

export const findPlaybook = PLAYBOOKS.first<[space: number, key: string]>('WHERE space = ? AND key = ?');
const hasPlaybooks = PLAYBOOKS.has<[space: number]>('space = ?');

/** Returns false when the key is taken in this space. */
const insertPlaybook = PLAYBOOKS.insertNew;
const updatePlaybook = PLAYBOOKS.update;

/** Returns how many were deleted: 0 when the space has no playbook of this key. */
const deletePlaybook = PLAYBOOKS.delete<[space: number, key: string]>('space = ? AND key = ?');

/** Whether an onboarding on it is still open. Those of deleted entities never end and don't count. */
const hasOpenOnboardings = exists<[space: number, key: string]>(`SELECT 1 FROM onboardings
  WHERE space = ? AND playbook_key = ? AND completed_at IS NULL AND entity IS NOT NULL LIMIT 1`);

interface PlaybookFilter {
  readonly space: number;
  readonly kind: PlaybookKind | null;
}

/** Newest first, ties by key descending. */
const playbooksOf = PLAYBOOKS.page<PlaybookFilter, 'created_at' | 'key'>(
  'space = @space AND (@kind IS NULL OR kind = @kind)',
  { created_at: 'number', key: 'string' },
  'DESC',
);

// Defaults of playbooks (contract §4.1, A51, A52).

/** The delay of a hosted kyb flow after the user has left it: the 'few minutes' of the spec. */
const KYB_SESSION_DELAY_MS = 120_000;

const anyOneOf = (...identifiers: string[]): string[] => identifiers;
const each = (prefix: string, fields: readonly string[]): string[][] =>
  fields.map((field) => [prefix + field]);

const REQUIREMENTS: Readonly<Record<PlaybookKind, string[][]>> = {
  kyc: [
    ...each('id.', ['first_name', 'last_name', 'dob', 'address_line1', 'city', 'state', 'zip', 'country']),
    anyOneOf('id.ssn9', 'id.ssn4', 'id.itin', 'id.us_tax_id'),
  ],
  kyb: each('business.', ['name', 'tin', 'address_line1', 'city', 'state', 'zip', 'country']),
  // It requires a front image of any kind of document, which is not a list of identifiers.
  document: [],
};

function defaultsOf(kind: PlaybookKind) {
  return {
    version: 1,
    requirements: REQUIREMENTS[kind],
    has_rules: true,
    default_outcome: 'pass',
    delay_ms: 0,
    session_delay_ms: kind === 'kyb' ? KYB_SESSION_DELAY_MS : 0,
    collects_owners: false,
    owners_playbook_key: null,
    documents: null,
    selfie: false,
    bank_link: false,
  } as const;
}

export const KEY_PREFIX: Readonly<Record<Environment, string>> = {
  sandbox: ID_PREFIX.sandboxPlaybook,
  live: ID_PREFIX.livePlaybook,
};

/** The two initial playbooks of each space; the third migration adds the same to older spaces. */
function firstPlaybooks(
  space: { readonly space: number; readonly environment: Environment },
  created_at: number,
): PlaybookRow[] {
  const prefix = KEY_PREFIX[space.environment];
  return (['kyc', 'kyb'] as const).map((kind) => ({
    space: space.space,
    key: `${prefix}${kind}default000000000000`,
    name: kind.toUpperCase(),
    kind,
    ...defaultsOf(kind),
    created_at,
  }));
}

// Lists playbooks for error messages about a missing or unknown one.

const NAMED = 5;

/** `pb_test_… (kyc), pb_test_… (document)`: the newest of these kinds in this space; empty when there are none. */
export function playbookChoices(database: Database, space: number, kinds: readonly PlaybookKind[]): string {
  const playbooks = kinds.flatMap((kind) =>
    playbooksOf(database, { space, kind }).list({ after: undefined, limit: NAMED }),
  );
  const named = playbooks.slice(0, NAMED).map(({ key, kind }) => `${key} (${kind})`);
  return [...named, ...(playbooks.length > NAMED ? ['and more'] : [])].join(', ');
}

type PlaybookView = AnswerOf<'GET /_kyclone/playbooks/{key}'>;

export type Playbooks = ReturnType<typeof createPlaybooks>;

export function createPlaybooks({ queue, clock, random }: Needs<'queue' | 'clock' | 'random'>) {
  return {
    /** The playbook of this key in this space, if it is of one of these kinds; else throws `playbook_unknown`. */
    require(database: Database, space: Space, key: string, kinds: readonly PlaybookKind[]): PlaybookRow {
      const playbook = findPlaybook(database, space.space, key);
      const wanted = kinds.join(', ').replace(/, (?!.*, )/, ' or ');
      const choices = () => playbookChoices(database, space.space, kinds);
      if (!playbook) {
        throw unknown(`No ${wanted} playbook has this key in this tenant and environment`, choices());
      }
      if (!kinds.includes(playbook.kind)) {
        throw unknown(
          `The playbook of this key is a ${playbook.kind} playbook, not a ${wanted} one`,
          choices(),
        );
      }
      return playbook;
    },

    /** Call it in the write job that creates a space: adds the two initial playbooks, unless there are some. */
    install(database: Database, space: Space): void {
      if (hasPlaybooks(database, space.space)) return;
      for (const playbook of firstPlaybooks(space, clock.now())) insertPlaybook(database, playbook);
    },

    handlers: {
      'GET /_kyclone/playbooks': ({ query }) => {
        const space = spaceOf(queue.database, query);
        const filter = { space: space.space, kind: query.kind ?? null };
        const list = playbooksOf(queue.database, filter);
        return answer(orderedPage(query, { ...list, view: (row) => view(space, row) }));
      },

      'POST /_kyclone/playbooks': ({ query, body: { key, requirements, ...body } }) =>
        written(queue, (database) => {
          const space = spaceOf(database, query);
          const prefix = KEY_PREFIX[space.environment];
          if (key !== undefined && !key.startsWith(prefix)) throw invalid(`key must begin with ${prefix}`);
          const playbook: PlaybookRow = {
            ...defaultsOf(body.kind),
            ...body,
            ...(requirements && { requirements: readRequirements(requirements, body.kind) }),
            key: key ?? freshKey(database, space),
            space: space.space,
            created_at: clock.now(),
          };
          refuseMisfits(database, playbook);
          if (!insertPlaybook(database, playbook)) {
            throw new ServiceError('conflict', 'A playbook has this key already');
          }
          return view(space, playbook);
        }),

      'GET /_kyclone/playbooks/{key}': ({ params, query }) => {
        const space = spaceOf(queue.database, query);
        return answer(view(space, getPlaybook(queue.database, space, params.key)));
      },

      'PATCH /_kyclone/playbooks/{key}': ({ params, query, body: { requirements, ...body } }) =>
        written(queue, (database) => {
          const space = spaceOf(database, query);
          const before = getPlaybook(database, space, params.key);
          const changed = {
            ...before,
            ...body,
            ...(requirements && { requirements: readRequirements(requirements, before.kind) }),
          };
          refuseMisfits(database, changed);
          const after = { ...changed, version: before.version + Number(isAnotherVersion(before, changed)) };
          updatePlaybook(database, after);
          return view(space, after);
        }),

      'DELETE /_kyclone/playbooks/{key}': ({ params, query }) =>
        doneWriting(queue, (database) => {
          const space = spaceOf(database, query);
          if (hasOpenOnboardings(database, space.space, params.key)) {
            throw new ServiceError('conflict', 'Onboardings on this playbook are open: let them end first');
          }
          if (deletePlaybook(database, space.space, params.key) === 0) throw notFound();
        }),
    } satisfies Handlers<KeysUnder<'/_kyclone/playbooks'>>,
  };

  function freshKey(database: Database, space: Space): string {
    const kind = space.environment === 'live' ? 'livePlaybook' : 'sandboxPlaybook';
    return newId(kind, random, (key) => findPlaybook(database, space.space, key) !== undefined);
  }
}

function getPlaybook(database: Database, space: Space, key: string): PlaybookRow {
  const playbook = findPlaybook(database, space.space, key);
  if (!playbook) throw notFound();
  return playbook;
}

function isAnotherVersion(before: PlaybookRow, after: PlaybookRow): boolean {
  const versioned = ({ requirements, has_rules, default_outcome }: PlaybookRow) =>
    JSON.stringify([requirements, has_rules, default_outcome]);
  return versioned(before) !== versioned(after);
}

/** Throws `invalid_request` for an invalid combination of members. */
function refuseMisfits(database: Database, playbook: PlaybookRow): void {
  const { kind, collects_owners, owners_playbook_key, documents, selfie, space } = playbook;
  if (collects_owners && kind !== 'kyb') throw invalid('collects_owners is for kyb playbooks only');
  if (selfie && documents === null && kind !== 'document') {
    throw invalid('selfie needs documents: it is taken together with a document');
  }
  if (owners_playbook_key === null) return;
  if (!collects_owners) throw invalid('owners_playbook_key needs collects_owners: true');
  if (findPlaybook(database, space, owners_playbook_key)?.kind === 'kyc') return;
  throw invalid('owners_playbook_key must be the key of a kyc playbook of this tenant and environment');
}

function view({ environment }: Space, { space: _space, created_at, ...row }: PlaybookRow): PlaybookView {
  const { key, name, kind, version, ...members } = row;
  const is_live = environment === 'live';
  return { key, name, kind, version, is_live, ...members, created_at: timestamp(created_at) };
}

function notFound(): ServiceError {
  return new ServiceError('not_found', 'No playbook has this key in this tenant and environment');
}

function unknown(message: string, choices: string): ServiceError {
  return new ServiceError('playbook_unknown', choices === '' ? message : `${message}; playbooks: ${choices}`);
}

// The identifiers that a playbook may require (contract §4.1).

/**
 * The groups without duplicate identifiers. Throws `invalid_request` naming an identifier that is unknown, or that no
 * entity of this kind of playbook can have.
 */
function readRequirements(groups: readonly (readonly string[])[], kind: PlaybookKind): string[][] {
  const who = kind === 'kyb' ? 'business' : 'user';
  return groups.map((group) => {
    requireKnownIdentifiers(group);
    const foreign = group.find((identifier) => !describeIdentifier(identifier)?.belongsTo(who));
    if (foreign !== undefined) throw invalid(`requirements: a ${who} has no ${foreign}`);
    return [...new Set(group)];
  });
}
