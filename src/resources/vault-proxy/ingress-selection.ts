/** Selects the values for ingress rules from a response, and removes them from it (contract §3.3, Ingress). */
import { isJson, jsonTextOf, type JsonValue } from '../../kernel/json.ts';
import type { IngressRule } from './ingress-rules.ts';
import { addPath, emptyPathTree } from './json-path.ts';
import { compact, holdsUnpairedSurrogate, locate } from './json-text.ts';

export interface SelectedValue {
  readonly value: JsonValue;
  /** A string unchanged; anything else as compact JSON, with numbers as written. */
  readonly text: string;
  /** False when a string in it has an unpaired surrogate, which UTF-8 can't encode. */
  readonly isWellFormed: boolean;
}

export interface Selection {
  /** By rule; undefined when the path selected nothing or null. */
  readonly values: readonly (SelectedValue | undefined)[];
  /**
   * The compact body, with the value of each of these rules (from 0) replaced by `<entity>.<identifier>`; the rest
   * stays as written. Members along a path that are hidden by a later one of the same name are left out.
   */
  rewritten(stored: ReadonlySet<number>): Buffer;
}

/** Undefined when the body is not JSON in UTF-8. Paths must not overlap. */
export function selectIngress(body: Buffer, rules: readonly IngressRule[]): Selection | undefined {
  const text = jsonTextOf(body);
  if (text === undefined || !isJson(text)) return undefined;
  const tree = emptyPathTree();
  rules.forEach(({ path }, index) => addPath(tree, path, index));
  const places = locate(text, tree);
  const values = rules.map((): SelectedValue | undefined => undefined);
  for (const { start, end, position } of places) {
    if (position !== undefined) values[position] = selectedValue(text.slice(start, end));
  }

  return {
    values,
    rewritten(stored) {
      const kept: string[] = [];
      let copied = 0;
      for (const { start, end, position } of places) {
        const rule = position === undefined ? undefined : rules[position];
        if (position !== undefined && !stored.has(position)) continue;
        kept.push(compact(text.slice(copied, start)));
        if (rule) kept.push(JSON.stringify(`${rule.fpId}.${rule.identifier}`));
        copied = end;
      }
      kept.push(compact(text.slice(copied)));
      return Buffer.from(kept.join(''), 'utf8');
    },
  };
}

function selectedValue(json: string): SelectedValue | undefined {
  const value = JSON.parse(json) as JsonValue;
  if (value === null) return undefined;
  return {
    value,
    text: typeof value === 'string' ? value : compact(json),
    isWellFormed: !holdsUnpairedSurrogate(json),
  };
}
