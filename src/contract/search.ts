/** Finding people and businesses by what a caller says, and who waits for a person to decide (contract §11). */
import { Type } from '@sinclair/typebox';
import { SEARCH_LIMIT, SEARCHED_BY } from './facts/search.ts';
import { controlToken, endpoint, type Stability } from './endpoint.ts';
import { EntityItem, EntityKindName, GraveSignal } from './inspector.ts';
import { named } from './named.ts';
import { CursorPage, CursorQuery, Nullable, OneOf, SpaceQuery, Timestamp } from './shapes.ts';

const control = { stability: 'emulator' satisfies Stability, errors: [], auth: controlToken } as const;

const SearchedBy = named('SearchedBy', OneOf(SEARCHED_BY));

const FoundEntity = named(
  'FoundEntity',
  Type.Object({
    ...EntityItem.properties,
    matched: Type.Array(SearchedBy, { description: 'by what it was found' }),
  }),
);

const page = CursorPage(FoundEntity).properties;

const SearchResult = named(
  'SearchResult',
  Type.Object({
    ...page,
    search_id: Type.String({ description: 'names this search in the requests that go on with it' }),
    searched_by: Type.Array(SearchedBy, { description: 'what the text was looked for as' }),
    too_short: Type.Array(
      named(
        'TooShort',
        Type.Object({
          searched_by: SearchedBy,
          needs: Type.String({ description: 'what the text needs to be looked for as this' }),
        }),
      ),
    ),
    reading: Nullable(
      named(
        'SearchProgress',
        Type.Object(
          { done: Type.Integer(), of: Type.Integer() },
          {
            description:
              'of how many vaults what is looked for has been read; nothing is found before all are',
          },
        ),
      ),
    ),
    unreadable: Type.Integer({ description: 'how many were left out, since values of theirs are damaged' }),
  }),
);

const WaitingEntity = named(
  'WaitingEntity',
  Type.Object({
    ...EntityItem.properties,
    waiting_since: Timestamp,
    onboarding_id: Type.String({ description: 'the run that asks for a review' }),
    playbook_key: Type.String(),
    signals: Type.Array(GraveSignal, { description: 'the gravest of the run, three at most' }),
    signal_count: Type.Integer(),
  }),
);

export const searchEndpoints = [
  endpoint('POST /_kyclone/search', {
    operationId: 'searchEntities',
    ...control,
    query: Type.Object(SpaceQuery),
    body: named(
      'SearchEntitiesRequest',
      Type.Object(
        {
          search: Type.String({
            minLength: 1,
            maxLength: SEARCH_LIMIT,
            description:
              'what a person says or pastes: an id, external id, name, e-mail address, phone number, date of birth, tax ' +
              'number or its end, label, tag or status; word:text says as what, such as tag:vip or review:needed',
          }),
          kind: Type.Optional(EntityKindName),
          search_id: Type.Optional(
            Type.String({
              description: 'of an earlier answer to the same search, which this one goes on with',
            }),
          ),
          ...CursorQuery,
        },
        { additionalProperties: false },
      ),
    ),
    response: SearchResult,
    errors: ['not_found'],
    assumed: [
      {
        what: 'the endpoint; a search by data of vaults is one entry of the access log, without what was looked for, and so are all requests that go on with its search_id',
        why: 'ours: support staff find people by what callers say, and who looks for people leaves a trace',
      },
      {
        what: 'names match by the beginnings of their words, without case and accents; phone and tax numbers by their ends',
        why: 'ours: what people say is seldom whole',
      },
      {
        what: 'while names are being read the answer finds nobody and says in reading how far it is: ask again with search_id',
        why: 'ours: the parts of vaults that are searched are in memory only, for five minutes after the last search',
      },
    ],
    summary: 'Find users and businesses by what a person says of them, masked',
  }),
  endpoint('GET /_kyclone/reviews', {
    operationId: 'listReviews',
    ...control,
    query: Type.Object({ ...SpaceQuery, ...CursorQuery, kind: Type.Optional(EntityKindName) }),
    response: CursorPage(WaitingEntity),
    errors: ['not_found'],
    assumed: [
      {
        what: 'who needs a manual review, by how long they have waited, with the gravest signals of the run that asks for it',
        why: 'ours: a queue is worked from its front',
      },
    ],
    summary: 'Who waits for a manual review, longest first',
  }),
] as const;
