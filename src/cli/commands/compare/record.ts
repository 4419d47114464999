import { boolean, string } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { openRemote, remoteFlags, scenarioFlags } from '../../compare/flags.ts';
import { untilInterrupted } from '../../compare/interruption.ts';
import { chooseScenarios } from '../../compare/scenarios.ts';
import { chooseTranscript, recordRemote, summaryOf, type RecordingSummary } from '../../compare/session.ts';
import { recordingView } from '../../compare/view.ts';

export default class CompareRecord extends BaseCommand<RecordingSummary> {
  static override summary = 'Record the responses of a remote sandbox to scenarios, for a later comparison';
  static override description =
    'The transcript holds no credential, no id and no value, so that it can be committed: ids are named by where they ' +
    'were first seen, what was sent by where it was sent, anything else is its kind. No daemon is needed.';
  static override examples = [
    '--remote https://sandbox.example --remote-key @sandbox.key --out answers.json',
    '--remote https://sandbox.example --out answers.json --resume',
  ];
  static override flags = {
    ...remoteFlags,
    ...scenarioFlags,
    out: string({ summary: 'the transcript to write', helpValue: 'FILE', required: true }),
    resume: boolean({ summary: 'continue after the scenarios that --out already has' }),
    force: boolean({ summary: 'let --out replace an existing file' }),
  };

  async run(): Promise<RecordingSummary> {
    const { flags } = await this.parse(CompareRecord);
    const scenarios = chooseScenarios(flags.scenario);
    const { target, earlier } = chooseTranscript(flags.out, flags, '--out');
    const note = (text: string) => this.note(text);
    const remote = await openRemote(flags, scenarios, {
      environment: this.environment,
      input: this.input,
      note,
    });
    const transcript = await untilInterrupted(note, (playing) =>
      recordRemote({ ...playing, ...remote, scenarios, earlier, target }),
    );
    return this.present(summaryOf(transcript), recordingView);
  }
}
