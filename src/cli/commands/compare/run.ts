import { boolean, string } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { EXIT } from '../../shell/exit-codes.ts';
import type { Comparison } from '../../compare/comparison.ts';
import { emulatorFlags, openRemote, remoteFlags } from '../../compare/flags.ts';
import { untilInterrupted } from '../../compare/interruption.ts';
import { readKnown } from '../../compare/known.ts';
import { chooseScenarios, givenVariables } from '../../compare/scenarios.ts';
import { chooseTranscript, compareWith, recordRemote } from '../../compare/session.ts';
import { comparisonView } from '../../compare/view.ts';
import { readSet } from '../../fixtures/set.ts';

export default class CompareRun extends BaseCommand<Comparison> {
  static override summary =
    'Play scenarios against the emulator and a remote sandbox, and compare the answers';
  static override description =
    'Only made-up data is sent, with a sandbox key; values are shown as kinds and names. Exit code 1 when there is a ' +
    'difference that --allow does not list, or nothing could be compared. Scenarios delete what they made.';
  static override examples = [
    '--remote https://sandbox.example --remote-key @sandbox.key',
    '--remote https://sandbox.example --scenario users --allow known.txt --transcript answers.json ' +
      '--resume',
  ];
  static override flags = {
    ...remoteFlags,
    ...emulatorFlags,
    transcript: string({ summary: 'file to keep the responses of the remote in', helpValue: 'FILE' }),
    resume: boolean({ summary: 'continue after the scenarios that --transcript already has' }),
    force: boolean({ summary: 'let --transcript replace an existing file' }),
  };

  async run(): Promise<Comparison> {
    const { flags } = await this.parse(CompareRun);
    const scenarios = chooseScenarios(flags.scenario);
    const known = readKnown(flags.allow);
    const { target, earlier } = chooseTranscript(flags.transcript, flags, '--transcript');
    const note = (text: string) => this.note(text);
    const remote = await openRemote(flags, scenarios, {
      environment: this.environment,
      input: this.input,
      note,
    });
    const { controlToken } = await this.access;
    const given = givenVariables(scenarios, readSet(flags.set ?? []));
    const result = await untilInterrupted(note, async (playing) => {
      const transcript = await recordRemote({ ...playing, ...remote, scenarios, earlier, target });
      const { client } = this;
      return await compareWith(transcript, { ...playing, client, controlToken, scenarios, given, known });
    });
    this.present(result, comparisonView);
    this.endWith(result.ok ? EXIT.ok : EXIT.failed);
    return result;
  }
}
