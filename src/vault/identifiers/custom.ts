import type { JsonValue } from '../../kernel/json.ts';
import { shape } from './masks.ts';
import { REFUSED } from './refusals.ts';
import type { Cleaner } from './rule.ts';
import { familyTable, inWords } from './rule.ts';

const NESTING_LIMIT = 64;

/** Numbers that survive JSON without loss: no infinity, no integer beyond ±(2^53−1). */
function isExact(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

const ANY_JSON = `any JSON value but null, kept as it is; at most ${NESTING_LIMIT} lists or objects within one another`;

/** Any JSON value, stored exactly. Iterative, since the caller controls the depth. */
export const anyJson: Cleaner = inWords(ANY_JSON, (value: JsonValue) => {
  const open: { value: JsonValue; depth: number }[] = [{ value, depth: 0 }];
  let isTooDeep = false;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: node, depth } = next;
    if (typeof node === 'number' && !isExact(node)) return REFUSED.NUM;
    if (typeof node !== 'object' || node === null) continue;
    isTooDeep ||= depth >= NESTING_LIMIT;
    for (const member of Array.isArray(node) ? node : Object.values(node)) {
      open.push({ value: member, depth: depth + 1 });
    }
  }
  return isTooDeep ? REFUSED.DEEP : value;
});

/** `custom.<suffix>` (contract §1.4). */
export const CUSTOM_SUFFIX = /^[A-Za-z0-9\-_.]{1,200}$/;

export const customTable = familyTable(
  { family: 'custom', kinds: ['user', 'business'], storage: 'json' },
  { '*': { clean: anyJson, mask: shape } },
);
