import { string as stringArg } from '@oclif/core/args';
import { BaseCommand } from '../../shell/base-command.ts';
import { EXIT } from '../../shell/exit-codes.ts';
import type { Comparison } from '../../compare/comparison.ts';
import { emulatorFlags } from '../../compare/flags.ts';
import { untilInterrupted } from '../../compare/interruption.ts';
import { readKnown } from '../../compare/known.ts';
import { chooseScenarios, givenVariables, recordedScenarios } from '../../compare/scenarios.ts';
import { compareWith } from '../../compare/session.ts';
import { readTranscript } from '../../compare/transcript.ts';
import { comparisonView } from '../../compare/view.ts';
import { readSet } from '../../fixtures/set.ts';

export default class CompareReplay extends BaseCommand<Comparison> {
  static override summary = 'Compare the emulator with a transcript; only the emulator is called';
  static override description =
    'The same scenarios are played as were recorded; one that has changed since cannot be compared. Exit code 1 when ' +
    'there is a difference that --allow does not list, or nothing could be compared.';
  static override examples = ['answers.json', 'answers.json --allow known.txt --json'];
  static override args = {
    transcript: stringArg({ description: 'file that compare record wrote', required: true }),
  };
  static override flags = emulatorFlags;

  async run(): Promise<Comparison> {
    const { args, flags } = await this.parse(CompareReplay);
    const transcript = readTranscript(args.transcript, 'transcript');
    const scenarios = chooseScenarios(flags.scenario ?? recordedScenarios(transcript));
    const known = readKnown(flags.allow);
    const { controlToken } = await this.access;
    const given = givenVariables(scenarios, readSet(flags.set ?? []));
    if (!transcript.complete)
      this.note('The transcript is not complete; compare record --resume completes it');
    const emulator = { client: this.client, controlToken, scenarios, given, known };
    const result = await untilInterrupted(
      (text) => this.note(text),
      (playing) => compareWith(transcript, { ...playing, ...emulator }),
    );
    this.present(result, comparisonView);
    this.endWith(result.ok ? EXIT.ok : EXIT.failed);
    return result;
  }
}
