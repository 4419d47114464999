import { string } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import { commandOf } from '../exec/command.ts';
import { planExec } from '../exec/plan.ts';
import { execReports, reportFailedRun, runExec } from '../exec/run.ts';
import { integerFlag } from '../shell/flags.ts';
import { withOptionalValues } from '../shell/command-line.ts';
import { OPTIONAL_VALUES, throwAwayFlags } from '../instance/start-options.ts';

export default class Exec extends BaseCommand<undefined> {
  static override summary =
    'Run a command beside an instance of its own, which is gone when the command has ended';
  static override description = [
    'The instance is in memory, at a free port, and ready before the command starts. The command finds KYCLONE_BASE_URL, KYCLONE_API_KEY, KYCLONE_LIVE_API_KEY and KYCLONE_CONTROL_TOKEN in its environment, so that kyclone speaks to that instance there. In a project (see kyclone init) its seed, clock, settings and fixtures apply.',
    "The exit code is the command's own: 128 and the number of a signal that ended it, 127 when it isn't found, 126 when it can't be run. Signals are passed on. When it fails, the end of the daemon's log is shown on stderr and the log is kept.",
  ].join('\n\n');
  static override usage = 'exec [FLAGS] -- COMMAND...';
  static override examples = [
    '<%= config.bin %> exec -- sh -c \'curl -fs "$KYCLONE_BASE_URL/_kyclone/ready"\'',
    'For a program with names of its own:\n<%= config.bin %> exec --env API_URL={url} --env API_KEY={api_key} -- env',
    '<%= config.bin %> exec --seed 42 --clock 2026-01-31T12:00:00Z -- <%= config.bin %> users create id.first_name=Jane',
  ];
  static override flags = {
    ...throwAwayFlags,
    env: string({
      summary:
        'another variable; {url}, {port}, {api_key}, {live_api_key}, {control_token} are filled in; repeatable',
      helpValue: 'NAME=TEMPLATE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'log-lines': integerFlag({
      summary: "lines of the daemon's log to show when the command fails",
      default: 20,
      min: 0,
      helpValue: 'N',
    }),
    'log-file': string({ summary: "keep the daemon's log here in any case", helpValue: 'FILE' }),
  };

  async run(): Promise<undefined> {
    const command = commandOf(this.argv);
    const own = withOptionalValues(this.argv.slice(0, this.argv.indexOf('--')), OPTIONAL_VALUES);
    const { flags } = await this.parse(Exec, own);
    const plan = await planExec(flags, command, { root: this.config.root, environment: this.environment });
    const output = { asJson: this.isJson, style: this.errorStyle, lines: flags['log-lines'] };
    const end = await runExec(plan, execReports(output));
    reportFailedRun(end, output);
    // Whatever was reported meanwhile: the code is the command's.
    process.exitCode = end.exitCode;
    return undefined;
  }
}
