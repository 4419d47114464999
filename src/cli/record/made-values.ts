/** What the daemon made up in its answers (ids, tokens, cursors), and where later calls say it again. */
import { escapeText, writeReference } from '../../client/fixtures/references.ts';

/** An id of ours: prefix and 22 characters. */
export const ID = /(?<![0-9A-Za-z_])(?:fp_id|fp_bid|[a-z]+(?:_test|_live)?)_[0-9A-Za-z]{22}(?![0-9A-Za-z])/g;
const IS_ID = /^(?:fp_id|fp_bid|[a-z]+(?:_test|_live)?)_[0-9A-Za-z]{22}$/;
/** Members that hold what only this answer can tell. */
const TELLING = new Set(['token', 'validation_token', 'intent_token', 'next', 'cursor']);
const IS_TOKEN = /^[A-Za-z0-9_.-]{16,1024}$/;

export interface MadeValues {
  /** Notes what an answer tells that nobody had said before. */
  learn(step: string, answer: unknown): void;
  /** Notes what a caller said by itself: an answer that repeats it tells nothing. */
  hear(value: unknown): void;
  /** `${step.path}`; undefined when no answer told it. */
  referenceTo(value: string): string | undefined;
  /** The text with references in place of what was told, and with every other `${` as it stands. */
  rewritten(text: string): string;
}

export function madeValues(): MadeValues {
  const references = new Map<string, string>();
  const heard = new Set<string>();
  let pattern: RegExp | undefined;

  function walk(value: unknown, path: readonly (string | number)[], visit: Visit): void {
    if (typeof value === 'string') visit(value, path);
    else if (Array.isArray(value)) {
      for (const [index, entry] of value.entries()) walk(entry, [...path, index], visit);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, entry] of Object.entries(value)) walk(entry, [...path, name], visit);
    }
  }

  return {
    learn(step, answer) {
      walk(answer, [], (text, path) => {
        if (references.has(text) || heard.has(text) || !isMade(text, path.at(-1))) return;
        // A name that no reference can write.
        if (path.some((part) => typeof part === 'string' && /["\\\]]/.test(part))) return;
        references.set(text, writeReference(step, path));
        pattern = undefined;
      });
    },
    hear(value) {
      walk(value, [], (text) => heard.add(text));
    },
    referenceTo: (value) => references.get(value),
    rewritten(text) {
      pattern ??= anyOf(references.keys());
      let written = '';
      let from = 0;
      for (const found of text.matchAll(pattern)) {
        written += escapeText(text.slice(from, found.index)) + (references.get(found[0]) ?? found[0]);
        from = found.index + found[0].length;
      }
      return written + escapeText(text.slice(from));
    },
  };
}

type Visit = (text: string, path: readonly (string | number)[]) => void;

function isMade(text: string, member: string | number | undefined): boolean {
  if (IS_ID.test(text)) return true;
  return typeof member === 'string' && TELLING.has(member) && IS_TOKEN.test(text);
}

/** Longer ones first: one may begin another. */
function anyOf(values: Iterable<string>): RegExp {
  const sorted = [...values].sort((a, b) => b.length - a.length);
  if (sorted.length === 0) return /(?!)/g;
  const words = sorted.map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![0-9A-Za-z])(?:${words.join('|')})(?![0-9A-Za-z])`, 'g');
}
