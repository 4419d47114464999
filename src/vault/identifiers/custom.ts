import { ExactNumber, type JsonValue } from '../../kernel/text/json.ts';
import { shape, REFUSED, type Cleaner, familyTable, inWords } from './rule.ts';

const NESTING_LIMIT = 64;

const ANY_JSON = `any JSON value but null, kept as it is; at most ${NESTING_LIMIT} lists or objects within one another`;

/** Any JSON value, stored exactly. Iterative, since the caller controls the depth. */
const anyJson: Cleaner = inWords(ANY_JSON, (value: JsonValue) => {
  const open: { value: JsonValue; depth: number }[] = [{ value, depth: 0 }];
  let isTooDeep = false;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: node, depth } = next;
    if (typeof node !== 'object' || node === null || node instanceof ExactNumber) continue;
    isTooDeep ||= depth >= NESTING_LIMIT;
    for (const member of Array.isArray(node) ? node : Object.values(node)) {
      open.push({ value: member, depth: depth + 1 });
    }
  }
  return isTooDeep ? REFUSED.DEEP : value;
});

/**
 * Letters and signs of any script, without those that separate or quote identifiers somewhere (in lists, patterns,
 * versions, tokens of the proxy, paths of files), and without invisible ones.
 */
const SIGNS = String.raw`A-Za-z0-9\-_.@+$#\u00A1-\u00AA\u00AC\u00AE-\u00BA\u00BC-\u061B\u061D-\u167F\u1681-\u180A\u1810-\u1FFF\u2010-\u2017\u2020-\u2027\u2030-\u2038\u203B-\u205E\u2070-\u2FFF\u3001-\uD7FF\uF900-\uFDFF\uFE10-\uFEFE\uFF01-\uFFEF`;

/** `custom.<suffix>` (contract §1.4): blanks may stand within. */
export const CUSTOM_SUFFIX = new RegExp(`^[${SIGNS}](?:[${SIGNS} ]{0,198}[${SIGNS}])?$`);

/** The source of an expression for other languages, in which `\uXXXX` may mean nothing. */
export const plainSource = ({ source }: RegExp) =>
  source.replace(/\\u([0-9A-F]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

export const customTable = familyTable(
  { family: 'custom', kinds: ['user', 'business'], storage: 'json' },
  { '*': { clean: anyJson, mask: shape } },
);
