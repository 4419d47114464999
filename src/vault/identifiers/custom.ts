import { ExactNumber, type JsonValue } from '../../kernel/json.ts';
import { shape, REFUSED, type Cleaner, familyTable, inWords } from './rule.ts';

const NESTING_LIMIT = 64;

const ANY_JSON = `any JSON value but null, kept as it is; at most ${NESTING_LIMIT} lists or objects within one another`;

/** Any JSON value, stored exactly. Iterative, since the caller controls the depth. */
export const anyJson: Cleaner = inWords(ANY_JSON, (value: JsonValue) => {
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

/** `custom.<suffix>` (contract §1.4): `*` is of patterns, and `:` with digits at the end names a version. */
export const CUSTOM_SUFFIX = /^(?!.*:\d+$)[^\u0000-\u001F\u007F-\u009F\u2028\u2029*]{1,200}$/;

export const customTable = familyTable(
  { family: 'custom', kinds: ['user', 'business'], storage: 'json' },
  { '*': { clean: anyJson, mask: shape } },
);
