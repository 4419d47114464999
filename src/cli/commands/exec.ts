import { string } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import { commandOf } from '../exec/command.ts';
import { planExec } from '../exec/plan.ts';
import { execReports, reportFailedRun } from '../exec/messages.ts';
import { runExec } from '../exec/run.ts';
import { DAY_MS, SECOND_MS } from '../../kernel/numbers/units.ts';
import { integerFlag, repeatable, needing } from '../shell/flags.ts';
import { byDefault, durationFlag } from '../shell/times.ts';
import { pipelineOf } from '../shell/environment.ts';
import { errorStyle } from '../shell/output.ts';
import { withOptionalValues } from '../shell/command-line.ts';
import { OPTIONAL_VALUES, throwAwayFlags } from '../instance/start-options.ts';

export default class Exec extends BaseCommand<undefined> {
  static override summary =
    'Run a command with an instance of its own, which is deleted when the command ends';
  static override description = [
    'The instance is in memory, on a free port, and ready before the command starts. The command finds KYCLONE_BASE_URL, KYCLONE_API_KEY, KYCLONE_LIVE_API_KEY and KYCLONE_CONTROL_TOKEN in its environment, so that kyclone uses that instance there. The keys of vaults, snapshots and remotes (KYCLONE_VAULT_KEY, KYCLONE_VAULT_PASSPHRASE, KYCLONE_SNAPSHOT_KEY, KYCLONE_REMOTE_API_KEY) are removed from it. Where a proxy is set (http_proxy, HTTP_PROXY, ALL_PROXY), NO_PROXY and no_proxy get the host of the instance too. In a project (see kyclone init) its seed, clock, settings and fixtures apply. Each output of a fixture is in KYCLONE_OUT_<NAME>, the name in capital letters; one that is no text is JSON.',
    "The exit code is the command's own: 128 plus the number of a signal that ended it, 127 when it isn't found, 126 when it can't be run. Signals are passed on. When it fails, its last failed requests and the end of the daemon's log are shown on stderr, and the log is kept; --report keeps more. Under GitHub Actions there is an annotation, and a summary of the step.",
    'With --timeout the command has a process group of its own: when the time runs out, all of it is stopped, by SIGTERM and then SIGKILL, and the exit code is 124.',
  ].join('\n\n');
  static override usage = 'exec [FLAGS] -- COMMAND...';
  static override examples = [
    `-- sh -c 'curl -fs "$KYCLONE_BASE_URL/_kyclone/ready"'`,
    'For a program with names of its own:\n--env API_URL={url} --env API_KEY={api_key} -- env',
    'In a pipeline, where the folder is kept as an artefact:\n<%= config.bin %> exec --timeout 10m --report kyclone-report -- <%= config.bin %> users list',
    '<%= config.bin %> exec --seed 42 --clock 2026-01-31T12:00:00Z -- <%= config.bin %> users create id.first_name=Jane',
  ];
  static override flags = {
    ...throwAwayFlags,
    env: string({
      summary:
        'another variable; {url}, {port}, {api_key}, {live_api_key}, {control_token} are filled in; repeatable',
      helpValue: 'NAME=TEMPLATE',
      ...repeatable,
    }),
    'log-lines': integerFlag({
      summary: "lines of the daemon's log to show when the command fails",
      default: 20,
      min: 0,
      helpValue: 'N',
    }),
    report: string({
      summary: 'when the command fails, write requests, events, rules and log into this folder; masked',
      helpValue: 'DIR',
    }),
    timeout: durationFlag({
      summary: 'stop the command after this time; exit code 124',
      min: 1,
      max: DAY_MS,
    }),
    'kill-after': needing(
      durationFlag({
        summary: 'how long the command may take to stop before it is killed',
        max: DAY_MS,
        ...byDefault(10 * SECOND_MS),
      }),
      'timeout',
    ),
    'log-file': string({ summary: "keep the daemon's log here in any case", helpValue: 'FILE' }),
  };

  async run(): Promise<undefined> {
    const { own, command } = commandOf(this.argv, takesValue());
    const { flags } = await this.parse(Exec, withOptionalValues([...own], OPTIONAL_VALUES));
    const plan = await planExec(flags, command, { root: this.config.root, environment: this.environment });
    const output = { asJson: this.isJson, style: errorStyle(), lines: flags['log-lines'] };
    const end = await runExec(plan, execReports(output));
    if (end.failed !== undefined) {
      reportFailedRun(end.exitCode, end.failed, { ...output, pipeline: pipelineOf() });
    }
    // The exit code is the command's, whatever was reported meanwhile.
    process.exitCode = end.exitCode;
    return undefined;
  }
}

function takesValue(): Map<string, boolean> {
  const optional: readonly string[] = OPTIONAL_VALUES;
  const flags = Object.entries({ ...Exec.baseFlags, ...Exec.flags });
  return new Map(
    flags.map(([name, { type }]) => [`--${name}`, type === 'option' && !optional.includes(name)]),
  );
}
