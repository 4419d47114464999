/** Marks of users and businesses: one label, any number of tags (contract §10). */
import { Type } from '@sinclair/typebox';
import { endpoint, ofBusiness, secretKey } from '../../contract/endpoint.ts';
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

const readLabel = endpoint('GET /users/{fp_id}/label', {
  operationId: 'getUserLabel',
  ...labelScope,
  response: LabelAnswer,
  summary: "A user's label",
});
const setLabel = endpoint('POST /users/{fp_id}/label', {
  operationId: 'setUserLabel',
  ...labelScope,
  isAct: true,
  body: LabelBody,
  response: Empty,
  summary: 'Label a user; null removes the label',
});
const listTags = endpoint('GET /users/{fp_id}/tags', {
  operationId: 'listUserTags',
  ...tagScope,
  response: Type.Array(TagRecord),
  summary: "A user's tags",
});
const addTag = endpoint('POST /users/{fp_id}/tags', {
  operationId: 'addUserTag',
  ...tagScope,
  isAct: true,
  body: TagBody,
  response: TagRecord,
  summary: 'Tag a user; the same tag again is the same record',
});
const removeTag = endpoint('DELETE /users/{fp_id}/tags/{tag_id}', {
  operationId: 'removeUserTag',
  ...tagScope,
  isAct: true,
  body: ReasonBody,
  bodyOptional: true,
  response: Empty,
  summary: 'Remove a tag from a user',
});

export const labelEndpoints = [
  readLabel,
  setLabel,
  listTags,
  addTag,
  removeTag,
  ofBusiness(readLabel),
  ofBusiness(setLabel),
  ofBusiness(listTags),
  ofBusiness(addTag),
  ofBusiness(removeTag),
] as const;
