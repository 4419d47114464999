/** Playbooks for onboarding entities (contract §4.1, §11). */
import { Type } from '@sinclair/typebox';
import { control, endpoint } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import { DOCUMENT_KINDS } from '../vault/facts.ts';
import {
  named,
  CursorPage,
  CursorQuery,
  Empty,
  Nullable,
  OneOf,
  OutcomeName,
  PlaybookKindName,
  SpaceQuery,
  Timestamp,
  strict,
} from '../../contract/shapes.ts';

const Delay = Type.Integer({
  minimum: 0,
  maximum: 2_592_000_000,
  description: 'milliseconds, 0 to 30 days',
  [EXPECTS]: 'an integer of milliseconds from 0 to 2592000000 (30 days)',
});

const PlaybookKey = Type.String({
  pattern: '^pb_(test|live)_[0-9A-Za-z_\\-]{1,64}$',
  description: 'pb_test_ or pb_live_ and 1 to 64 of A-Z a-z 0-9 _ -',
  [EXPECTS]: 'pb_test_ or pb_live_ followed by 1 to 64 letters, digits, underscores or hyphens',
});
const Name = Type.String({ minLength: 1, maxLength: 100 });
const Group = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 50,
  [EXPECTS]: 'a list of 1 to 50 data identifiers',
});
const Requirements = Type.Array(Group, {
  maxItems: 100,
  description: 'a list of groups of identifiers; any one of a group satisfies it',
  [EXPECTS]: 'a list of at most 100 groups, each a list of 1 to 50 data identifiers',
});

const DocumentKinds = Type.Array(OneOf(DOCUMENT_KINDS), {
  minItems: 1,
  maxItems: DOCUMENT_KINDS.length,
  uniqueItems: true,
  description: 'the hosted flow asks for a document of one of these kinds',
  [EXPECTS]: `a list of one or more of ${DOCUMENT_KINDS.join(', ')}`,
});

const settable = {
  requirements: Type.Optional(Requirements),
  has_rules: Type.Optional(Type.Boolean()),
  default_outcome: Type.Optional(OutcomeName),
  delay_ms: Type.Optional(Delay),
  session_delay_ms: Type.Optional(Delay),
  collects_owners: Type.Optional(Type.Boolean()),
  owners_playbook_key: Type.Optional(Nullable(PlaybookKey)),
  documents: Type.Optional(Nullable(DocumentKinds)),
  selfie: Type.Optional(Type.Boolean()),
  bank_link: Type.Optional(Type.Boolean()),
};

const Playbook = named(
  'Playbook',
  Type.Object({
    key: Type.String(),
    name: Type.String(),
    kind: PlaybookKindName,
    version: Type.Integer(),
    is_live: Type.Boolean(),
    requirements: Requirements,
    has_rules: Type.Boolean(),
    default_outcome: OutcomeName,
    delay_ms: Type.Integer(),
    session_delay_ms: Type.Integer({ description: 'milliseconds after the user has left the hosted flow' }),
    collects_owners: Type.Boolean(),
    owners_playbook_key: Nullable(
      Type.String({ description: 'the kyc playbook on which the hosted flow runs each owner' }),
    ),
    documents: Nullable(DocumentKinds),
    selfie: Type.Boolean({ description: 'whether the hosted flow asks for one beside the document' }),
    bank_link: Type.Boolean({ description: 'whether the hosted flow asks for a bank' }),
    created_at: Timestamp,
  }),
);

export const playbookEndpoints = [
  endpoint('GET /_kyclone/playbooks', {
    operationId: 'listPlaybooks',
    ...control,
    query: Type.Object({ ...SpaceQuery, ...CursorQuery, kind: Type.Optional(PlaybookKindName) }),
    response: CursorPage(Playbook),
    errors: ['not_found'],
    summary: 'Playbooks of a tenant and environment, newest first',
  }),
  endpoint('POST /_kyclone/playbooks', {
    operationId: 'createPlaybook',
    ...control,
    query: Type.Object(SpaceQuery),
    body: named(
      'CreatePlaybookRequest',
      Type.Object(
        { name: Name, kind: PlaybookKindName, key: Type.Optional(PlaybookKey), ...settable },
        strict,
      ),
    ),
    response: Playbook,
    errors: ['not_found', 'conflict'],
    assumed: [
      {
        what: 'key may be set to a fixed value; one that is taken is 409',
        why: 'ours: as POST /_kyclone/api-keys',
      },
      {
        what: 'without requirements a kyc or kyb playbook has those of the default one',
        why: 'ours: the other members have the defaults of §4.1',
      },
    ],
    summary: 'Create a playbook',
  }),
  endpoint('GET /_kyclone/playbooks/{key}', {
    operationId: 'getPlaybook',
    ...control,
    query: Type.Object(SpaceQuery),
    response: Playbook,
    summary: 'Read a playbook',
  }),
  endpoint('PATCH /_kyclone/playbooks/{key}', {
    operationId: 'updatePlaybook',
    ...control,
    query: Type.Object(SpaceQuery),
    body: named('UpdatePlaybookRequest', Type.Object({ name: Type.Optional(Name), ...settable }, strict)),
    response: Playbook,
    summary: 'Change a playbook; requirements, has_rules and default_outcome make a new version',
  }),
  endpoint('DELETE /_kyclone/playbooks/{key}', {
    operationId: 'deletePlaybook',
    ...control,
    query: Type.Object(SpaceQuery),
    response: Empty,
    errors: ['conflict'],
    summary: 'Delete a playbook without open onboardings',
  }),
] as const;
