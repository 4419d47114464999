/** Playbooks (contract §4.1, §11). */
import type { PlaybookKind } from '../../contract/facts/onboardings.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp, type Clock } from '../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { spaceOf, type Space } from '../api-keys/index.ts';
import { playbookChoices } from './choices.ts';
import { defaultsOf, firstPlaybooks, KEY_PREFIX } from './defaults.ts';
import {
  countPlaybooks,
  deletePlaybook,
  findPlaybook,
  hasOpenOnboardings,
  hasPlaybooks,
  insertPlaybook,
  listPlaybooks,
  updatePlaybook,
  type PlaybookRow,
} from './repository.ts';
import { readRequirements } from './requirements.ts';

type PlaybookView = AnswerOf<'GET /_kyclone/playbooks/{key}'>;
type SpaceChoice = RequestOf<'POST /_kyclone/playbooks'>['query'];

export interface Playbooks {
  /** The playbook of this key in this space, if it is of one of these kinds; else throws `playbook_unknown`. */
  require(database: Database, space: Space, key: string, kinds: readonly PlaybookKind[]): PlaybookRow;
  /** Call it in the write job that creates a space: adds the two initial playbooks, unless there are some. */
  install(database: Database, space: Space): void;
  list(query: RequestOf<'GET /_kyclone/playbooks'>['query']): AnswerOf<'GET /_kyclone/playbooks'>;
  /** Throws `conflict` when the given key is taken. */
  create(space: SpaceChoice, body: RequestOf<'POST /_kyclone/playbooks'>['body']): Promise<PlaybookView>;
  get(key: string, space: SpaceChoice): PlaybookView;
  /** Creates a new version when requirements, has_rules or default_outcome change. */
  change(
    key: string,
    space: SpaceChoice,
    body: RequestOf<'PATCH /_kyclone/playbooks/{key}'>['body'],
  ): Promise<PlaybookView>;
  /** Throws `conflict` while an onboarding on it is open. */
  remove(key: string, space: SpaceChoice): Promise<void>;
}

export interface PlaybooksContext {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly random: Randomness;
}

export function createPlaybooks({ queue, clock, random }: PlaybooksContext): Playbooks {
  return {
    require(database, space, key, kinds) {
      const playbook = findPlaybook(database, space.space, key);
      const wanted = kinds.join(' or ');
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

    install(database, space) {
      if (hasPlaybooks(database, space.space)) return;
      for (const playbook of firstPlaybooks(space, clock.now())) insertPlaybook(database, playbook);
    },

    list(query) {
      const space = spaceOf(queue.database, query);
      const filter = { space: space.space, kind: query.kind ?? null };
      const place = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['number', 'string']);
      const after = place && { created_at: place[0], key: place[1] };
      const size = pageSize(query.page_size);
      return cursorPage(listPlaybooks(queue.database, filter, { after, limit: size }), {
        size,
        count: countPlaybooks(queue.database, filter),
        cursorOf: (row) => encodeCursor(row.created_at, row.key),
        view: (row) => view(space, row),
      });
    },

    create: (choice, { key, requirements, ...body }) =>
      queue.write((database) => {
        const space = spaceOf(database, choice);
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

    get(key, choice) {
      const space = spaceOf(queue.database, choice);
      return view(space, getPlaybook(queue.database, space, key));
    },

    change: (key, choice, { requirements, ...body }) =>
      queue.write((database) => {
        const space = spaceOf(database, choice);
        const before = getPlaybook(database, space, key);
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

    remove: (key, choice) =>
      queue.write((database) => {
        const space = spaceOf(database, choice);
        if (hasOpenOnboardings(database, space.space, key)) {
          throw new ServiceError('conflict', 'Onboardings on this playbook are open: let them end first');
        }
        if (deletePlaybook(database, space.space, key) === 0) throw notFound();
      }),
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

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
