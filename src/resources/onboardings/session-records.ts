/** Shows and closes sessions for the control plane (contract §11), without their tokens. */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp, type Clock } from '../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { spaceOf } from '../api-keys/index.ts';
import {
  countSessions,
  findSessionById,
  listSessions,
  type SessionRecordRow,
} from './session-records-repository.ts';
import { cancelSession } from './sessions-repository.ts';
import { conflict } from './sessions-request.ts';
import type { SessionTokens } from './session-tokens.ts';

type SessionView = AnswerOf<'GET /_kyclone/sessions/{id}'>;
type SpaceChoice = RequestOf<'GET /_kyclone/sessions/{id}'>['query'];

export interface SessionRecords {
  /** Newest first. */
  list(query: RequestOf<'GET /_kyclone/sessions'>['query']): AnswerOf<'GET /_kyclone/sessions'>;
  /** Throws `not_found`. */
  get(id: string, space: SpaceChoice): SessionView;
  /** Invalidates its token; does nothing to an expired or canceled one. Throws `conflict` for a completed one. */
  cancel(id: string, space: SpaceChoice): Promise<void>;
}

export function createSessionRecords(context: {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly tokens: Pick<SessionTokens, 'requestOf'>;
}): SessionRecords {
  const { queue, clock, tokens } = context;

  return {
    list(query) {
      const { space } = spaceOf(queue.database, query);
      const place = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['number', 'string']);
      const after = place && { created_at: place[0], session_id: place[1] };
      const size = pageSize(query.page_size);
      const filter = { space, state: query.state ?? null, fp_id: query.fp_id ?? null, now: clock.now() };
      return cursorPage(listSessions(queue.database, filter, { after, limit: size }), {
        size,
        count: countSessions(queue.database, filter),
        cursorOf: (row) => encodeCursor(row.created_at, row.session_id),
        view,
      });
    },

    get: (id, choice) => view(getSession(queue.database, id, choice)),

    cancel: (id, choice) =>
      queue.write((database) => {
        const session = getSession(database, id, choice);
        if (session.state === 'completed') throw conflict('The onboarding session is completed already');
        if (session.state === 'open') cancelSession(database, session, clock.now());
      }),
  };

  function getSession(database: Database, id: string, choice: SpaceChoice): SessionRecordRow {
    const { space } = spaceOf(database, choice);
    const session = findSessionById(database, id, clock.now());
    if (session?.space === space) return session;
    throw new ServiceError('not_found', 'No onboarding session has this id in this tenant and environment');
  }

  /** The current step of the page (contract §14): the first one until the page is opened. */
  function stepOf(row: SessionRecordRow): SessionView['step'] {
    return row.sealed_request.length === 0
      ? 'identify'
      : (tokens.requestOf(row).progress?.step ?? 'identify');
  }

  function view(row: SessionRecordRow): SessionView {
    return {
      id: row.session_id,
      playbook_key: row.playbook_key,
      fp_id: row.fp_id,
      fp_bid: row.fp_bid,
      state: row.state,
      step: row.state === 'open' ? stepOf(row) : null,
      created_at: timestamp(row.created_at),
      expires_at: timestamp(row.expires_at),
    };
  }
}
