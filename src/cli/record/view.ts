import type { AnswerOf } from '../../contract/registry.ts';
import { facts, yesNo } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import type { RecordedFixture } from './stop.ts';

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
      ...(variables.length > 0 && { 'to be given': variables }),
    },
    style,
  );
}
