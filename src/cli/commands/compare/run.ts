import { boolean, string } from '@oclif/core/flags';
import { made } from '../../shell/derived.ts';
import { emulatorFlags, openRemote, remoteFlags } from '../../compare/flags.ts';
import { untilInterrupted } from '../../compare/interruption.ts';
import { readKnown } from '../../compare/known.ts';
import { chooseScenarios, givenVariables } from '../../compare/scenarios.ts';
import { chooseTranscript, compareWith, recordRemote } from '../../compare/session.ts';
import { comparisonView } from '../../compare/view.ts';
import { readSet } from '../../fixtures/set.ts';

export default made(
  {
    summary: 'Play scenarios against the emulator and a remote sandbox, and compare the answers',
    description:
      'Only made-up data is sent, with a sandbox key; values are shown as kinds and names. Exit code 1 when there is a ' +
      'difference that --allow does not list, or nothing could be compared. Scenarios delete what they made.',
    examples: [
      '--remote https://sandbox.example --remote-key @sandbox.key',
      '--remote https://sandbox.example --scenario users --allow known.txt --transcript answers.json ' +
        '--resume',
    ],
    flags: {
      ...remoteFlags,
      ...emulatorFlags,
      transcript: string({ summary: 'file to keep the responses of the remote in', helpValue: 'FILE' }),
      resume: boolean({ summary: 'continue after the scenarios that --transcript already has' }),
      force: boolean({ summary: 'let --transcript replace an existing file' }),
    },
    fails: ({ ok }) => !ok,
    view: comparisonView,
  },
  async ({ flags }, from) => {
    const scenarios = chooseScenarios(flags.scenario);
    const known = readKnown(flags.allow);
    const { target, earlier } = chooseTranscript(flags.transcript, flags, '--transcript');
    const remote = await openRemote(flags, scenarios, from);
    const { client } = from;
    const { controlToken } = await from.access();
    const given = givenVariables(scenarios, readSet(flags.set ?? []));
    return await untilInterrupted(from.note, async (playing) => {
      const transcript = await recordRemote({ ...playing, ...remote, scenarios, earlier, target });
      return await compareWith(transcript, { ...playing, client, controlToken, scenarios, given, known });
    });
  },
);
