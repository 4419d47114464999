import { ExactNumber, jsonText } from '../../kernel/exact-number.ts';
import type { JsonValue } from '../../kernel/json.ts';

/**
 * Masks of contract §1.2. They accept any submitted value, including invalid ones: a mask never fails, and reveals no
 * more of a malformed value than of a valid one.
 */
export type Mask = (value: JsonValue) => string;

const HIDDEN = '***';
const TAIL = 4;

/** J: type and size only. */
export const shape: Mask = (value) => {
  if (value === null) return '<null>';
  if (Array.isArray(value)) return `<list ${value.length}>`;
  if (value instanceof ExactNumber) return '<number>';
  if (typeof value === 'object') return `<object ${Object.keys(value).length}>`;
  return `<${typeof value}>`;
};

/** For typed text: a number is masked as its text, anything else shows its shape only. */
function ofText(mask: (text: string) => string): Mask {
  return (value) => {
    if (typeof value === 'string') return mask(value);
    return typeof value === 'number' ? mask(String(value)) : shape(value);
  };
}

function hideAfterFirst(text: string): string {
  const [first = ''] = text;
  return first + HIDDEN;
}

/** N: first character. */
export const firstCharacter: Mask = ofText(hideAfterFirst);

/** 4: the last four characters; a value with up to four shows none. */
export const lastFour: Mask = ofText((text) => {
  const end = Array.from(text.slice(-2 * TAIL - 1));
  return end.length > TAIL ? HIDDEN + end.slice(-TAIL).join('') : HIDDEN;
});

/** Y: the year. */
export const yearOnly: Mask = ofText((text) =>
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? `${text.slice(0, 4)}-**-**` : HIDDEN,
);

/** E: first character and domain. */
export const domainOnly: Mask = ofText((text) => {
  const at = text.indexOf('@');
  const isOneAddress = at >= 0 && at === text.lastIndexOf('@');
  return hideAfterFirst(text) + (isOneAddress ? text.slice(at) : '');
});

/** F: nothing, not even the length. */
export const hidden: Mask = () => '******';

/** S: unmasked; a value that is no string as compact JSON. */
export const shown: Mask = (value) => (typeof value === 'string' ? value : jsonText(value));

/** N for each element of a list. */
export const firstCharacterOfEach: Mask = (value) =>
  Array.isArray(value) ? JSON.stringify(value.map(firstCharacter)) : firstCharacter(value);

/** B: type, without its parameters, and size of a stored file. */
export function maskFile(contentType: string, bytes: number): string {
  return `<${mediaTypeOf(contentType)} ${bytes} bytes>`;
}

function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim();
}

/** S for a content type: without its parameters, which may contain a file name. */
export const mediaTypeOnly: Mask = ofText(mediaTypeOf);
