/** Searches people and businesses by what a caller says, and lists open manual reviews (contract §11). */
import { Type } from '@sinclair/typebox';
import { SEARCH_LIMIT, SEARCHED_BY } from './facts.ts';
import { Claim } from '../claims/endpoints.ts';
import { control, endpoint } from '../../contract/endpoint.ts';
import { EntityItem, EntityKindName, GraveSignal } from '../inspector/endpoints.ts';
import {
  named,
  CursorPage,
  CursorQuery,
  Nullable,
  OneOf,
  SpaceQuery,
  Timestamp,
} from '../../contract/shapes.ts';

const SearchedBy = named('SearchedBy', OneOf(SEARCHED_BY));

const FoundEntity = named(
  'FoundEntity',
  Type.Object({
    ...EntityItem.properties,
    matched: Type.Array(SearchedBy, { description: 'attributes that matched' }),
  }),
);

const page = CursorPage(FoundEntity).properties;

const SearchResult = named(
  'SearchResult',
  Type.Object({
    ...page,
    search_id: Type.String({ description: 'identifies this search in its follow-up requests' }),
    searched_by: Type.Array(SearchedBy, { description: 'attributes that were searched' }),
    too_short: Type.Array(
      named(
        'TooShort',
        Type.Object({
          searched_by: SearchedBy,
          needs: Type.String({ description: 'what the text lacks for a search by this attribute' }),
        }),
      ),
    ),
    reading: Nullable(
      named(
        'SearchProgress',
        Type.Object(
          { done: Type.Integer(), of: Type.Integer() },
          { description: 'number of vaults whose values have been read; nothing is found before all are' },
        ),
      ),
    ),
    unreadable: Type.Integer({ description: 'vaults that were left out because of damaged values' }),
  }),
);

const WaitingEntity = named(
  'WaitingEntity',
  Type.Object({
    ...EntityItem.properties,
    waiting_since: Timestamp,
    onboarding_id: Type.String({ description: 'the run that needs a review' }),
    playbook_key: Type.String(),
    signals: Type.Array(GraveSignal, { description: 'the most serious signals of the run, three at most' }),
    signal_count: Type.Integer(),
    claim: Nullable(Claim),
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
              'the text to search for: an id, external id, name, e-mail address, phone number, date of birth, tax ' +
              'number or its end, label, tag or status; word:text names the attribute, such as tag:vip or review:needed',
          }),
          kind: Type.Optional(EntityKindName),
          search_id: Type.Optional(
            Type.String({
              description: 'search_id of an earlier response to the same search, to continue it',
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
        what: 'the endpoint; a search by vault data is one entry of the access log, without the searched text; requests that continue it with its search_id belong to the same entry',
        why: 'ours: support staff find people by what callers say, and such searches are recorded',
      },
      {
        what: 'names match by the beginnings of their words, without case and accents; phone and tax numbers by their ends',
        why: 'ours: callers rarely give complete values',
      },
      {
        what: 'while names are being read the response has no results, and reading has the progress: repeat the request with search_id',
        why: 'ours: searched parts of vaults are in memory only, for five minutes after the last search',
      },
    ],
    summary: 'Find users and businesses by what a caller says, masked',
  }),
  endpoint('GET /_kyclone/reviews', {
    operationId: 'listReviews',
    ...control,
    query: Type.Object({ ...SpaceQuery, ...CursorQuery, kind: Type.Optional(EntityKindName) }),
    response: CursorPage(WaitingEntity),
    errors: ['not_found'],
    assumed: [
      {
        what: 'entities that need a manual review, by waiting time, with the most serious signals of the run that needs it',
        why: 'ours: the longest wait is handled first',
      },
    ],
    summary: 'Entities waiting for a manual review, longest wait first',
  }),
] as const;
