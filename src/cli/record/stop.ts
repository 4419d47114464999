/** Ends a recording and writes the fixture that it makes, in that order only where it can be written. */
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import type { Client } from '../../client/client.ts';
import type { FileTarget } from '../shell/file-target.ts';
import { fixtureText, toFixture } from './to-fixture.ts';

export interface RecordedFixture {
  /** Null on stdout. */
  readonly file: string | null;
  readonly steps: number;
  readonly left_out: number;
  /** Must be given when it is run. */
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
