/** What people mark users and businesses with: one label, many tags (contract §10). */
import { Type } from '@sinclair/typebox';
import { endpoint, secretKey } from './endpoint.ts';
import { EXPECTS } from './expectation.ts';
import { Empty, LABELS, Nullable, OneOf, Timestamp } from './shapes.ts';

const labelScope = {
  auth: secretKey({ scope: 'preview:labels' }),
  stability: 'extension',
  errors: [],
} as const;
const tagScope = { auth: secretKey({ scope: 'preview:tags' }), stability: 'extension', errors: [] } as const;

const LabelAnswer = Type.Object({
  kind: Nullable(OneOf(LABELS)),
  created_at: Type.Optional(Timestamp),
});
const LabelBody = Type.Object({ kind: Nullable(OneOf(LABELS)) });

export const TagRecord = Type.Object({ id: Type.String(), tag: Type.String(), created_at: Timestamp });
const TagBody = Type.Object({
  tag: Type.String({
    pattern: '^[A-Za-z0-9 _:.\\-]{1,64}$',
    description: '1 to 64 letters, digits, blanks and _ - : .',
    [EXPECTS]: '1 to 64 letters, digits, spaces, underscores, hyphens, colons or dots',
  }),
});

const readLabel = { ...labelScope, response: LabelAnswer } as const;
const setLabel = { ...labelScope, body: LabelBody, response: Empty } as const;
const listTags = { ...tagScope, response: Type.Array(TagRecord) } as const;
const addTag = { ...tagScope, body: TagBody, response: TagRecord } as const;
const removeTag = { ...tagScope, response: Empty } as const;

export const labelEndpoints = [
  endpoint('GET /users/{fp_id}/label', { ...readLabel, summary: "A user's label" }),
  endpoint('POST /users/{fp_id}/label', { ...setLabel, summary: 'Label a user; null takes the label away' }),
  endpoint('GET /users/{fp_id}/tags', { ...listTags, summary: "A user's tags" }),
  endpoint('POST /users/{fp_id}/tags', {
    ...addTag,
    summary: 'Tag a user; the same tag again is the same record',
  }),
  endpoint('DELETE /users/{fp_id}/tags/{tag_id}', { ...removeTag, summary: 'Take a tag from a user' }),
  endpoint('GET /businesses/{fp_bid}/label', { ...readLabel, summary: "A business's label" }),
  endpoint('POST /businesses/{fp_bid}/label', {
    ...setLabel,
    summary: 'Label a business; null takes the label away',
  }),
  endpoint('GET /businesses/{fp_bid}/tags', { ...listTags, summary: "A business's tags" }),
  endpoint('POST /businesses/{fp_bid}/tags', {
    ...addTag,
    summary: 'Tag a business; the same tag again is the same record',
  }),
  endpoint('DELETE /businesses/{fp_bid}/tags/{tag_id}', {
    ...removeTag,
    summary: 'Take a tag from a business',
  }),
] as const;
