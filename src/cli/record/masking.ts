/**
 * Values of a recording that a fixture can't keep. Secret values become variables for the user to set. Ids, tokens
 * and cursors from the daemon are found in its responses and replaced where later calls use them.
 */
import { PERSONAL_MEMBER } from '../../contract/facts/recording.ts';
import { writeReference, escapeText } from '../../client/fixtures/references.ts';

export interface FixtureVariables {
  /** A variable for a value; the same value always gets the same one. */
  variableFor(value: string, name: string): string;
  /** A variable with this name, created once. */
  named(name: string): string;
  readonly names: readonly string[];
}

export function variables(): FixtureVariables {
  const byValue = new Map<string, string>();
  const names = new Set<string>();

  function fresh(wanted: string): string {
    const base = wanted.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    let name = base;
    for (let number = 2; names.has(name); number++) name = `${base}_${number}`;
    names.add(name);
    return name;
  }

  return {
    variableFor(value, name) {
      let known = byValue.get(value);
      if (known === undefined) byValue.set(value, (known = fresh(name)));
      return writeReference('set', [known]);
    },
    named(name) {
      names.add(name);
      return writeReference('set', [name]);
    },
    get names() {
      return [...names];
    },
  };
}

/** The body with variables in place of personal data. `rewrite` changes the other texts. */
export function maskedBody(
  body: unknown,
  { step, made, rewrite }: { step: string; made: FixtureVariables; rewrite: (text: string) => string },
): unknown {
  const walk = (value: unknown, name: string, isData: boolean): unknown => {
    if (typeof value === 'string')
      return isData ? made.variableFor(value, `${step}_${name}`) : rewrite(value);
    if (isData && typeof value === 'number') return made.variableFor(String(value), `${step}_${name}`);
    if (Array.isArray(value)) return value.map((entry) => walk(entry, name, isData));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, entry]) => [
        member,
        // Numbers inside an object member are kept: they don't represent a text.
        walk(
          entry,
          isData ? `${name}_${member}` : member,
          PERSONAL_MEMBER.test(member) || (isData && typeof entry === 'string'),
        ),
      ]),
    );
  };
  return walk(body, 'body', false);
}

/** One of our ids: a prefix and 22 characters. */
export const ID = /(?<![0-9A-Za-z_])(?:fp_id|fp_bid|[a-z]+(?:_test|_live)?)_[0-9A-Za-z]{22}(?![0-9A-Za-z])/g;
const IS_ID = /^(?:fp_id|fp_bid|[a-z]+(?:_test|_live)?)_[0-9A-Za-z]{22}$/;
/** Members whose values occur only in this response. */
const ONLY_IN_ANSWERS = new Set(['token', 'validation_token', 'intent_token', 'next', 'cursor']);
const IS_TOKEN = /^[A-Za-z0-9_.-]{16,1024}$/;

export interface MadeValues {
  /** Records the values of a response that nobody had sent before. */
  learn(step: string, answer: unknown): void;
  /** Records the values that a caller sent: a response that repeats them adds nothing. */
  learnSent(value: unknown): void;
  /** `${step.path}`; undefined if no response contained the value. */
  referenceTo(value: string): string | undefined;
  /** The text with references in place of values from responses, and every other `${` escaped. */
  rewritten(text: string): string;
}

export function madeValues(): MadeValues {
  const references = new Map<string, string>();
  const sent = new Set<string>();
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
        if (references.has(text) || sent.has(text) || !isMade(text, path.at(-1))) return;
        // A member name that no reference can express.
        if (path.some((part) => typeof part === 'string' && /["\\\]]/.test(part))) return;
        references.set(text, writeReference(step, path));
        pattern = undefined;
      });
    },
    learnSent(value) {
      walk(value, [], (text) => sent.add(text));
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
  return typeof member === 'string' && ONLY_IN_ANSWERS.has(member) && IS_TOKEN.test(text);
}

/** Longer values first, because one may be the beginning of another. */
function anyOf(values: Iterable<string>): RegExp {
  const sorted = [...values].sort((a, b) => b.length - a.length);
  if (sorted.length === 0) return /(?!)/g;
  const words = sorted.map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![0-9A-Za-z])(?:${words.join('|')})(?![0-9A-Za-z])`, 'g');
}
