import { string } from '@oclif/core/flags';
import { DAY_MS, SECOND_MS } from '../../../kernel/numbers/units.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { connectionOf } from '../../../cli/shell/daemon-access.ts';
import { integerFlag, spaceFlags, spaceQuery, repeatable, needing } from '../../../cli/shell/flags.ts';
import { listenView } from './view.ts';
import { EVENTS_SUMMARY, kindsFlag, secretFlag } from './flags.ts';
import { byDefault, durationFlag, momentFlag } from '../../../cli/shell/times.ts';
import { errorStyle } from '../../../cli/shell/output.ts';
import { forwardUrls } from './targets.ts';
import { isResult, runListen, type ListenLine } from './listening.ts';

class WebhooksListen extends BaseCommand {
  static override isStream = true;
  static override summary = 'Show events as they happen, and deliver them to URLs while this runs';
  static override description =
    'The daemon signs, delivers and retries: each URL becomes a webhook endpoint that is removed at the end. An ' +
    'existing endpoint with the same URL is used, and not removed. An endpoint that is deleted meanwhile, as at the ' +
    'end of another run, is registered again at the next event. --json prints one line for each event, of type ' +
    'ready, event, delivery (one attempt), lost, restored or end.';
  static override examples = [
    '',
    '--forward-to http://localhost:3000/hooks --events onboarding.completed',
    'In a script, for one delivery:\n--forward-to localhost:3000 --json --stop-after 1 --timeout 20s',
  ];
  static override flags = {
    'forward-to': string({
      summary: 'deliver events to this URL; repeatable',
      helpValue: 'URL',
      ...repeatable,
    }),
    events: kindsFlag({ summary: EVENTS_SUMMARY }),
    since: momentFlag({ summary: 'begin with the events since then: a time, or how long ago (10m)' }),
    secret: needing(secretFlag, 'forward-to'),
    'stop-after': integerFlag({
      summary: 'end after this many attempts at the URLs or, without a URL, this many events',
      min: 1,
      helpValue: 'N',
    }),
    timeout: durationFlag({
      summary: 'end after this time; with --stop-after the exit code is 124',
      min: 1,
      max: DAY_MS,
    }),
    reconnect: durationFlag({
      summary: 'how long to look for a lost daemon before exit code 5',
      max: DAY_MS,
      ...byDefault(30 * SECOND_MS),
    }),
    ...spaceFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhooksListen);
    const run = {
      urls: forwardUrls(flags['forward-to'] ?? []),
      kinds: flags.events,
      secret: flags.secret === undefined ? undefined : await this.input.secret(flags.secret, 'Secret'),
      space: spaceQuery(flags),
      since: flags.since,
      stopAfter: flags['stop-after'],
      timeoutMs: flags.timeout,
      reconnectMs: flags.reconnect,
    };
    const connect = async () => connectionOf(await this.find(), flags.live);
    this.endWith(await runListen(run, { connect, show: (line) => this.show(line) }));
  }

  /** Events and attempts are the result. Other lines are notes for people. */
  private show(line: ListenLine): void {
    if (!this.isForPeople || isResult(line)) this.presentEntry(line, listenView);
    else process.stderr.write(`${listenView(line, errorStyle())}\n`);
  }
}

export default { 'webhooks:listen': WebhooksListen };
