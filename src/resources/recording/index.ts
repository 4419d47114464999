import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import type { Recorder } from './service.ts';

export { createRecorder, type RecordedCall, type Recorder } from './service.ts';

export function recordingHandlers(recorder: Recorder): Handlers<KeysUnder<'/_kyclone/recording'>> {
  return {
    'GET /_kyclone/recording': () => answer(recorder.state()),
    'POST /_kyclone/recording': () => answer(recorder.start()),
    'DELETE /_kyclone/recording': () => answer(recorder.stop()),
  };
}
