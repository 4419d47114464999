/**
 * One side's responses to scenarios, in a form that can be committed: statuses, relevant headers, and bodies with
 * names in place of values (naming.ts). It contains no credential, no id and no value.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Type, type Static } from '@sinclair/typebox';
import { Nullable } from '../../contract/shapes.ts';
import { requireValid } from '../../contract/validity.ts';
import { jsonOf, withoutByteOrderMark } from '../../kernel/text/json.ts';
import { MIB } from '../../kernel/numbers/units.ts';
import { UsageError } from '../shell/failure.ts';
import { readFileOf, type FileTarget } from '../shell/files.ts';
import type { Fixture } from '../../client/fixtures/index.ts';

export const TRANSCRIPT_FORMAT = 'kyclone-transcript-1';
const MOST_BYTES = 16 * MIB;

/** A body, or a part of one. Its leaves are words, booleans, null or names such as `<text>`. */
export type Named = null | boolean | string | readonly Named[] | { readonly [member: string]: Named };

const Answered = Type.Object({
  id: Type.String(),
  call: Type.String(),
  skipped: Type.Optional(Type.Never()),
  status: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.Unknown(),
  broken_rule: Nullable(
    Type.String({ description: 'the difference from the response that the scenario expects' }),
  ),
});
const Unanswered = Type.Object({
  id: Type.String(),
  call: Type.String(),
  skipped: Type.String({ description: 'why there is nothing to compare' }),
});
const Transcript = Type.Object({
  format: Type.Literal(TRANSCRIPT_FORMAT),
  complete: Type.Boolean({ description: 'false while scenarios are missing' }),
  scenarios: Type.Array(
    Type.Object({
      name: Type.String(),
      digest: Type.String({
        description: 'hash of the played scenario; one that has changed since can not be compared',
      }),
      exchanges: Type.Array(Type.Union([Unanswered, Answered])),
    }),
  ),
});

export type Answered = Static<typeof Answered> & { readonly body: Named };
export type RecordedExchange = Answered | Static<typeof Unanswered>;
export interface RecordedScenario extends Omit<Static<typeof Transcript>['scenarios'][number], 'exchanges'> {
  readonly exchanges: readonly RecordedExchange[];
}
export interface Transcript extends Omit<Static<typeof Transcript>, 'scenarios'> {
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
  const bytes = readFileOf(flag, path, MOST_BYTES);
  if (bytes === undefined)
    throw new UsageError(
      `The file of ${flag} is not a transcript: it is larger than ${MOST_BYTES / MIB} MiB`,
    );
  const value: unknown = jsonOf(withoutByteOrderMark(bytes.toString('utf8')));
  try {
    requireValid(Transcript, value, 'Member');
  } catch {
    throw new UsageError(
      `The file of ${flag} is not a transcript of this version`,
      'kyclone compare record writes one',
    );
  }
  return value as Transcript;
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
