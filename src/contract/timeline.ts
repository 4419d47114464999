/** The history of an entity, newest first, without values (contract §11). */
import { Type } from '@sinclair/typebox';
import { TIMELINE_KINDS } from './facts/timeline.ts';
import { controlToken, endpoint } from './endpoint.ts';
import { named } from './named.ts';
import { CursorPage, CursorQuery, Nullable, OneOf, SpaceQuery, Timestamp } from './shapes.ts';

const TimelineEntry = named(
  'TimelineEntry',
  Type.Object({
    at: Timestamp,
    kind: named('TimelineKind', OneOf(TIMELINE_KINDS)),
    id: Nullable(
      Type.String({
        description: 'id of the run, document, link, event, tag or note, or of the reading request',
      }),
    ),
    title: Type.String({ description: 'what happened, in words' }),
    by: Nullable(Type.String({ description: 'the operator or reviewer, otherwise the credential' })),
    reason: Nullable(
      Type.String({ description: 'the given reason, the annotation of a decision, or the text of a note' }),
    ),
    details: Type.Array(Type.String(), {
      description: 'names of fields, reason codes, or deliveries; never a value',
    }),
  }),
);

export const timelineEndpoints = [
  endpoint('GET /_kyclone/entities/{fp_id}/timeline', {
    operationId: 'listEntityTimeline',
    stability: 'emulator',
    auth: controlToken,
    query: Type.Object({
      ...SpaceQuery,
      ...CursorQuery,
      kinds: Type.Optional(Type.String({ description: 'comma-separated kinds; all by default' })),
    }),
    response: CursorPage(TimelineEntry),
    errors: [],
    assumed: [
      {
        what: 'runs, signals, decisions, decided hits, notes, labels and tags, vault writes by name, documents, bank links, events with their deliveries, and reads',
        why: 'ours: the order of events explains a case; a purge and a reset also remove entries',
      },
    ],
    summary: 'The history of an entity, newest first',
  }),
] as const;
