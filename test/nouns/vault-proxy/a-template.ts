import fc from 'fast-check';
import type { JsonValue } from '../../../src/kernel/text/json.ts';
import { parseTemplate } from '../../../src/nouns/vault-proxy/service/proxy-template.ts';
import { words } from '../../support/words.ts';
import { refusalOf } from '../../vault/transforms/refusal.ts';

export const ENTITY = 'fp_id_7pd0Wzk2nCzpYGkQxe3Vt1';
export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'application/x-www-form-urlencoded';
export const TEXT_TYPE = 'text/plain; charset=utf-8';

export const parse = (body: string | Buffer, contentType: string | undefined = TEXT_TYPE) =>
  parseTemplate(Buffer.from(body as string), { contentType, defaultEntity: ENTITY });
export const names = (body: string, contentType?: string): string[] =>
  parse(body, contentType).tokens.map(({ reference }) => reference.text);
export const render = (body: string, values: JsonValue[], contentType?: string): string =>
  parse(body, contentType).render(values).toString('utf8');
export const refusal = (body: string | Buffer, contentType?: string) => {
  const { code, message } = refusalOf(() => parse(body, contentType));
  return { code, message };
};

const PIECES = words`" \\ \\" \\u0022 { } {{ }} {{id.dob}} , : [ ] $& $1 $$ & = + %22 é 🦊 a \0`;
const BLANKS = ['{{ id.ssn9 }}', ' ', '\n', '\u2028', '\u2029', '\ufeff'];

/** Draws texts that contain special characters of several formats. */
export const nastyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...PIECES, ...BLANKS), maxLength: 12 }),
  fc.string({ unit: 'binary' }),
);
