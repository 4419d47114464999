import { string as stringArg } from '@oclif/core/args';
import { made } from '../../shell/derived.ts';
import { emulatorFlags } from '../../compare/flags.ts';
import { untilInterrupted } from '../../compare/interruption.ts';
import { readKnown } from '../../compare/known.ts';
import { chooseScenarios, givenVariables, recordedScenarios } from '../../compare/scenarios.ts';
import { compareWith } from '../../compare/session.ts';
import { readTranscript } from '../../compare/transcript.ts';
import { comparisonView } from '../../compare/view.ts';
import { readSet } from '../../fixtures/set.ts';

export default made(
  {
    summary: 'Compare the emulator with a transcript; only the emulator is called',
    description:
      'The same scenarios are played as were recorded; one that has changed since cannot be compared. Exit code 1 when ' +
      'there is a difference that --allow does not list, or nothing could be compared.',
    examples: ['answers.json', 'answers.json --allow known.txt --json'],
    args: { transcript: stringArg({ description: 'file that compare record wrote', required: true }) },
    flags: emulatorFlags,
    fails: ({ ok }) => !ok,
    view: comparisonView,
  },
  async ({ args, flags }, { client, access, note }) => {
    const transcript = readTranscript(args.transcript, 'TRANSCRIPT');
    const scenarios = chooseScenarios(flags.scenario ?? recordedScenarios(transcript));
    const known = readKnown(flags.allow);
    const { controlToken } = await access();
    const given = givenVariables(scenarios, readSet(flags.set ?? []));
    if (!transcript.complete) note('The transcript is not complete; compare record --resume completes it');
    return await untilInterrupted(note, (playing) =>
      compareWith(transcript, { ...playing, client, controlToken, scenarios, given, known }),
    );
  },
);
