/** Marks of users and businesses: one label, any number of tags (contract §10). */
import { Type } from '@sinclair/typebox';
import { endpoint, secretKey } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import {
  named,
  Empty,
  LabelName,
  Nullable,
  Timestamp,
  OptionalReason,
  ReasonBody,
} from '../../contract/shapes.ts';

const labelScope = { auth: secretKey({ scope: 'preview:labels' }), stability: 'extension' } as const;
const tagScope = { auth: secretKey({ scope: 'preview:tags' }), stability: 'extension' } as const;

const LabelAnswer = named(
  'Label',
  Type.Object({ kind: Nullable(LabelName), created_at: Type.Optional(Timestamp) }),
);
const LabelBody = named(
  'SetLabelRequest',
  Type.Object({ kind: Nullable(LabelName), reason: OptionalReason }),
);

export const TagRecord = named(
  'Tag',
  Type.Object({ id: Type.String(), tag: Type.String(), created_at: Timestamp }),
);
const TagBody = named(
  'AddTagRequest',
  Type.Object({
    tag: Type.String({
      pattern: '^[A-Za-z0-9 _:.\\-]{1,64}$',
      description: '1 to 64 letters, digits, blanks and _ - : .',
      [EXPECTS]: '1 to 64 letters, digits, spaces, underscores, hyphens, colons or dots',
    }),
    reason: OptionalReason,
  }),
);

const readLabel = { ...labelScope, response: LabelAnswer } as const;
const setLabel = { ...labelScope, isAct: true, body: LabelBody, response: Empty } as const;
const listTags = { ...tagScope, response: Type.Array(TagRecord) } as const;
const addTag = { ...tagScope, isAct: true, body: TagBody, response: TagRecord } as const;
const removeTag = {
  ...tagScope,
  isAct: true,
  body: ReasonBody,
  bodyOptional: true,
  response: Empty,
} as const;

export const labelEndpoints = [
  endpoint('GET /users/{fp_id}/label', {
    operationId: 'getUserLabel',
    ...readLabel,
    summary: "A user's label",
  }),
  endpoint('POST /users/{fp_id}/label', {
    operationId: 'setUserLabel',
    ...setLabel,
    summary: 'Label a user; null removes the label',
  }),
  endpoint('GET /users/{fp_id}/tags', { operationId: 'listUserTags', ...listTags, summary: "A user's tags" }),
  endpoint('POST /users/{fp_id}/tags', {
    operationId: 'addUserTag',
    ...addTag,
    summary: 'Tag a user; the same tag again is the same record',
  }),
  endpoint('DELETE /users/{fp_id}/tags/{tag_id}', {
    operationId: 'removeUserTag',
    ...removeTag,
    summary: 'Remove a tag from a user',
  }),
  endpoint('GET /businesses/{fp_bid}/label', {
    operationId: 'getBusinessLabel',
    ...readLabel,
    summary: "A business's label",
  }),
  endpoint('POST /businesses/{fp_bid}/label', {
    operationId: 'setBusinessLabel',
    ...setLabel,
    summary: 'Label a business; null removes the label',
  }),
  endpoint('GET /businesses/{fp_bid}/tags', {
    operationId: 'listBusinessTags',
    ...listTags,
    summary: "A business's tags",
  }),
  endpoint('POST /businesses/{fp_bid}/tags', {
    operationId: 'addBusinessTag',
    ...addTag,
    summary: 'Tag a business; the same tag again is the same record',
  }),
  endpoint('DELETE /businesses/{fp_bid}/tags/{tag_id}', {
    operationId: 'removeBusinessTag',
    ...removeTag,
    summary: 'Remove a tag from a business',
  }),
] as const;
