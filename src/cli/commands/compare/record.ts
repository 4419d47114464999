import { boolean, string } from '@oclif/core/flags';
import { made } from '../../shell/derived.ts';
import { openRemote, remoteFlags, scenarioFlags } from '../../compare/flags.ts';
import { untilInterrupted } from '../../compare/interruption.ts';
import { chooseScenarios } from '../../compare/scenarios.ts';
import { chooseTranscript, recordRemote, summaryOf } from '../../compare/session.ts';
import { recordingView } from '../../compare/view.ts';

export default made(
  {
    summary: 'Record the responses of a remote sandbox to scenarios, for a later comparison',
    description:
      'The transcript holds no credential, no id and no value, so that it can be committed: ids are named by where they ' +
      'were first seen, what was sent by where it was sent, anything else is its kind. No daemon is needed.',
    examples: [
      '--remote https://sandbox.example --remote-key @sandbox.key --out answers.json',
      '--remote https://sandbox.example --out answers.json --resume',
    ],
    flags: {
      ...remoteFlags,
      ...scenarioFlags,
      out: string({ summary: 'the transcript to write', helpValue: 'FILE', required: true }),
      resume: boolean({ summary: 'continue after the scenarios that --out already has' }),
      force: boolean({ summary: 'let --out replace an existing file' }),
    },
    view: recordingView,
  },
  async ({ flags }, from) => {
    const scenarios = chooseScenarios(flags.scenario);
    const { target, earlier } = chooseTranscript(flags.out, flags, '--out');
    const remote = await openRemote(flags, scenarios, from);
    const transcript = await untilInterrupted(from.note, (playing) =>
      recordRemote({ ...playing, ...remote, scenarios, earlier, target }),
    );
    return summaryOf(transcript);
  },
);
