/** Ends a recording and writes its fixture. Ends the recording only if the fixture can be written. */
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import type { Client } from '../../client/client.ts';
import type { FileTarget } from '../shell/files.ts';
import { fixtureText, toFixture } from './to-fixture.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { facts, yesNo } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';

export interface RecordedFixture {
  /** Null for stdout. */
  readonly file: string | null;
  readonly steps: number;
  readonly left_out: number;
  /** Variables that must be set for a run. */
  readonly variables: readonly string[];
}

export async function stopRecording(
  client: Client,
  { target, isMasked }: { target: FileTarget; isMasked: boolean },
): Promise<RecordedFixture> {
  const { recorded } = await target.fill(async () => {
    const ended = await client.call('DELETE /_kyclone/recording');
    const name = `recorded ${ended.started_at ?? ''}`.trim();
    const { fixture, variables } = toFixture(ended.recorded, { name, isMasked });
    const isJson = target.path !== undefined && extname(target.path).toLowerCase() === '.json';
    return {
      content: Readable.from([Buffer.from(fixtureText(fixture, isJson ? 'json' : 'yaml'))]),
      recorded: {
        file: target.path ?? null,
        steps: fixture.steps.length,
        left_out: ended.left_out,
        variables,
      },
    };
  });
  return recorded;
}

export function recordingView(
  { is_recording, started_at, calls, left_out }: AnswerOf<'GET /_kyclone/recording'>,
  style: Style,
): string {
  return facts({ recording: yesNo(is_recording), since: started_at, calls, 'left out': left_out }, style);
}

export function recordedFixtureView(
  { file, steps, left_out, variables }: RecordedFixture,
  style: Style,
): string {
  return facts(
    {
      ...(file !== null && { file }),
      steps,
      'left out': left_out,
      ...(variables.length > 0 && { 'needs values for': variables }),
    },
    style,
  );
}
