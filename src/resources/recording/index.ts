export { recordingHandlers } from './handlers.ts';
export { createRecorder, type RecordedCall, type Recorder } from './service.ts';
