/**
 * One side's responses to scenarios, in a form that can be committed: statuses, relevant headers, and bodies with
 * names in place of values (naming.ts). It contains no credential, no id and no value.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { isJsonObject, jsonOf, withoutByteOrderMark } from '../../kernel/json.ts';
import { MIB } from '../../kernel/units.ts';
import { UsageError } from '../shell/failure.ts';
import type { FileTarget } from '../shell/files.ts';
import type { Fixture } from '../../client/fixtures/index.ts';

export const TRANSCRIPT_FORMAT = 'kyclone-transcript-1';
const MOST_BYTES = 16 * MIB;

/** A body, or a part of one. Its leaves are words, booleans, null or names such as `<text>`. */
export type Named = null | boolean | string | readonly Named[] | { readonly [member: string]: Named };

export interface Answered {
  readonly id: string;
  readonly call: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Named;
  /** The difference from the response that the scenario expects; null if there is none. */
  readonly broken_rule: string | null;
}

export interface Unanswered {
  readonly id: string;
  readonly call: string;
  /** Why there is nothing to compare. */
  readonly skipped: string;
}

export type RecordedExchange = Answered | Unanswered;

export interface RecordedScenario {
  readonly name: string;
  /** A hash of the played scenario. A scenario that has changed since can't be compared. */
  readonly digest: string;
  readonly exchanges: readonly RecordedExchange[];
}

export interface Transcript {
  readonly format: typeof TRANSCRIPT_FORMAT;
  /** False while scenarios are missing. */
  readonly complete: boolean;
  readonly scenarios: readonly RecordedScenario[];
}

/** Independent of the fixture's folder and file name. */
export function digestOf({ name, vars, steps, outputs }: Fixture): string {
  return createHash('sha256')
    .update(JSON.stringify({ name, vars, steps, outputs }))
    .digest('hex')
    .slice(0, 16);
}

/** Throws UsageError, which contains neither path nor content. `flag` names the file in messages. */
export function readTranscript(path: string, flag: string): Transcript {
  let text: string;
  try {
    if (statSync(path).size > MOST_BYTES) {
      throw new UsageError(
        `The file of ${flag} is not a transcript: it is larger than ${MOST_BYTES / MIB} MiB`,
      );
    }
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'failed';
    throw new UsageError(`The file of ${flag} cannot be read (${code})`);
  }
  const value: unknown = jsonOf(withoutByteOrderMark(text));
  if (!isTranscript(value)) {
    throw new UsageError(
      `The file of ${flag} is not a transcript of this version`,
      'kyclone compare record writes one',
    );
  }
  return value;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';

function isTranscript(value: unknown): value is Transcript {
  if (
    !isJsonObject(value) ||
    value['format'] !== TRANSCRIPT_FORMAT ||
    typeof value['complete'] !== 'boolean'
  ) {
    return false;
  }
  const { scenarios } = value;
  return (
    isList(scenarios) &&
    scenarios.every(
      (one) =>
        isJsonObject(one) &&
        isText(one['name']) &&
        isText(one['digest']) &&
        isList(one['exchanges']) &&
        one['exchanges'].every(isExchange),
    )
  );
}

function isExchange(value: unknown): boolean {
  if (!isJsonObject(value) || !isText(value['id']) || !isText(value['call'])) return false;
  if ('skipped' in value) return isText(value['skipped']);
  const { status, headers, broken_rule: rule } = value;
  const isWhole = Number.isInteger(status) && isJsonObject(headers) && Object.values(headers).every(isText);
  return isWhole && 'body' in value && (rule === null || isText(rule));
}

/** Replaces the file with one that contains these scenarios. Throws if a secret would be in it. */
export async function writeTranscript(
  target: FileTarget,
  transcript: Transcript,
  secrets: readonly string[],
): Promise<void> {
  const text = `${JSON.stringify(transcript, null, 2)}\n`;
  if (secrets.some((secret) => text.includes(secret))) {
    throw new Error('a transcript would have contained a credential; nothing was written');
  }
  await target.fill(() => Promise.resolve({ content: Readable.from([Buffer.from(text)]) }));
}
