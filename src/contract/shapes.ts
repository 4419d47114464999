import { Type, type Static, type TObject, type TSchema } from '@sinclair/typebox';
import { ONBOARDING_STATUSES, PLAYBOOK_KINDS } from '../nouns/onboardings/facts.ts';
import { OUTCOMES } from '../nouns/outcomes/facts.ts';
import { PAGE_SIZE } from './facts/limits.ts';
import { ENTITY_STATUSES, ENVIRONMENTS, LABELS } from '../nouns/entities/facts.ts';
import { EXPECTS } from './expectation.ts';
import { REASON_LIMIT } from '../nouns/access-log/facts.ts';

// Names for schemas of the contract. A named schema is one component of the OpenAPI document, and its uses are
// references. The name is a symbol property, so validation and other readers ignore it.

const NAME = Symbol('name of the shape');

/** Names the schema, in PascalCase. Generating the document fails when two different schemas have one name. */
export function named<T extends TSchema>(name: string, schema: T): T {
  return { ...schema, [NAME]: name };
}

/** The name of a schema, or of the one that it was copied from. */
export function nameOf(schema: object): string | undefined {
  return (schema as { [NAME]?: string })[NAME];
}

/** The members of a shape that the row has, in its order: what else a row has, such as a digest, is left out. */
export function viewAs<Shape extends TObject>(
  { properties }: Shape,
  row: Readonly<Static<Shape>>,
): Static<Shape> {
  const values = new Map(Object.entries(row));
  const shown = Object.keys(properties).filter((name) => values.has(name));
  return Object.fromEntries(shown.map((name) => [name, values.get(name)]));
}

/** Refuses other members. */
export const strict = { additionalProperties: false } as const;

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** One of the words of a list. */
export const OneOf = <const W extends readonly string[]>(words: W) =>
  Type.Unsafe<W[number]>({ type: 'string', enum: [...words] });

/** One of the words of a list, for code that produces it as plain text. */
export const WordOf = (words: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: [...words] });

export const Empty = named('Empty', Type.Object({}));

/** Numbers by the name of what is counted. */
export const Counts = named('Counts', Type.Record(Type.String(), Type.Integer()));

/** The body of every failure (contract §0.5). */
export const ErrorBody = named(
  'ApiError',
  Type.Object({
    message: Type.String(),
    code: Type.String(),
    context: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
);
export type ErrorBody = Static<typeof ErrorBody>;

const EXTERNAL_ID_PATTERN = '^[A-Za-z0-9_.\\-]{5,256}$';
export const ExternalId = Type.String({
  pattern: EXTERNAL_ID_PATTERN,
  description: '5 to 256 of A-Z a-z 0-9 _ . -',
  [EXPECTS]: '5 to 256 letters, digits, dots, underscores or hyphens',
});
export const SandboxId = Type.String({
  pattern: '^[A-Za-z0-9_.\\-]{1,64}$',
  description: '1 to 64 of A-Z a-z 0-9 _ . -',
  [EXPECTS]: '1 to 64 letters, digits, dots, underscores or hyphens',
});

export const Timestamp = Type.String({ format: 'date-time', description: 'UTC with milliseconds' });

/** A map from data identifier to value (contract §0.8). */
export const IdentifierMap = named(
  'VaultData',
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'an object of data identifiers and values',
    [EXPECTS]: 'an object of data identifiers and values',
  }),
);
/** What a write of a user vault sends: an identifier map, whose names the document lists (openapi-words.ts). */
export const UserVaultData = named('UserVaultData', IdentifierMap);
/** What a write of a business vault sends. */
export const BusinessVaultData = named('BusinessVaultData', IdentifierMap);
/** An incoming file: its declared content type and its bytes, which can be read once. */
export interface Upload {
  readonly contentType: string;
  readonly content: AsyncIterable<Uint8Array>;
}
export const UploadBody = Type.Unsafe<Upload>({
  type: 'string',
  format: 'binary',
  description: 'the bytes, or a multipart form with the one part upload_file',
});

/** A body of any type, unchanged. */
export const AnyBody = Type.Unsafe<Uint8Array>({
  type: 'string',
  format: 'binary',
  description: 'any text or bytes',
});

/** An outgoing file. */
export const FileContent = Type.Unsafe<AsyncIterable<Uint8Array>>({ type: 'string', format: 'binary' });

export const Fields = Type.Array(Type.String(), {
  maxItems: 1000,
  [EXPECTS]: 'a list of at most 1000 data identifiers',
});

export const EnvironmentName = named('Environment', OneOf(ENVIRONMENTS));
export const TenantName = Type.String({
  pattern: '^[a-z0-9][a-z0-9_\\-]{0,62}$',
  [EXPECTS]: '1 to 63 lower-case letters, digits, underscores or hyphens, beginning with a letter or a digit',
});

export const CursorQuery = {
  cursor: Type.Optional(Type.String({ description: 'meta.next of the previous page, unchanged' })),
  page_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: PAGE_SIZE.default,
      description: `an integer of at least 1; values above ${PAGE_SIZE.most} are capped`,
    }),
  ),
};

/** The cursor envelope (contract §0.9). */
export const CursorPage = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    meta: Type.Object({ count: Type.Integer(), next: Nullable(Type.String()) }),
  });

/** The offset envelope (contract §0.9): pages count from 0. */
export const OffsetQuery = {
  page: Type.Optional(
    Type.Integer({ minimum: 0, default: 0, description: 'an integer of at least 0; 0 is the first page' }),
  ),
  page_size: CursorQuery.page_size,
};
export const OffsetPage = <T extends TSchema>(item: T) =>
  Type.Object({ data: Type.Array(item), meta: Type.Object({ next_page: Nullable(Type.Integer()) }) });

/** The page that a hosted flow leads to at its end (contract §14). */
export const RedirectUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  [EXPECTS]: 'an http or https URL without fragment, on loopback or on the host of an origin in cors.origins',
});

/** The tenant and environment of a control call (contract §11). */
export const SpaceQuery = { tenant: Type.Optional(TenantName), environment: Type.Optional(EnvironmentName) };

export const LabelName = named('LabelKind', OneOf(LABELS));

export const EntityStatusName = named('EntityStatus', OneOf(ENTITY_STATUSES));

export const OnboardingStatusName = named('OnboardingStatus', OneOf(ONBOARDING_STATUSES));

export const PlaybookKindName = named('PlaybookKind', OneOf(PLAYBOOK_KINDS));

export const OutcomeName = named('Outcome', OneOf(OUTCOMES));

// The reason of an action, for the access log (contract §11).

export const Reason = Type.String({ minLength: 1, maxLength: REASON_LIMIT });

/** Clients of the service send none, so that it is never required there. */
export const OptionalReason = Type.Optional(
  Type.String({ minLength: 1, maxLength: REASON_LIMIT, description: 'ours: why, for the access log' }),
);

/** The body of a call that only removes something. */
export const ReasonBody = named('RemovalRequest', Type.Object({ reason: OptionalReason }));
