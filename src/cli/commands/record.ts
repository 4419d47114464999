import { recordingView } from '../record/recording.ts';
import { derived } from '../shell/derived.ts';

export default {
  'record:start': derived('POST /_kyclone/recording', {
    summary: 'Start recording calls with their values, in the memory of the daemon',
    description:
      'Records calls of every client until kyclone record stop; 1,000 calls or 64 MiB at most. Files and proxied calls are ' +
      'left out, as are reset, snapshots and the keyring.',
    examples: ['record start', 'record start --json'],
    view: recordingView,
  }),
  'record:status': derived('GET /_kyclone/recording', {
    summary: 'Show whether calls are being recorded, and how many',
    examples: ['record status', 'record status --json'],
    view: recordingView,
  }),
};
