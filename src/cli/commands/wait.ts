import { BaseCommand } from '../shell/base-command.ts';
import { createClient } from '../../client/client.ts';
import { pollUntil } from '../../kernel/poll-until.ts';
import { DAY_MS, SECOND_MS } from '../../kernel/units.ts';
import { connectionOf, findDaemon } from '../shell/daemon-access.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError, describeFailure } from '../shell/failure.ts';
import { byDefault, durationFlag, durationText } from '../shell/times.ts';

const POLL_MS = 50;

export default class Wait extends BaseCommand<{ ready: boolean }> {
  static override summary = 'Wait until the daemon serves requests; exit code 124 when the time runs out';
  static override examples = ['--timeout 10s', '--timeout 1m --json'];
  static override flags = {
    timeout: durationFlag({ summary: 'how long to wait', max: DAY_MS, ...byDefault(30 * SECOND_MS) }),
  };

  async run(): Promise<{ ready: boolean }> {
    const { flags } = await this.parse(Wait);
    const isReady = await pollUntil(() => this.isReady(flags.instance), {
      everyMs: POLL_MS,
      timeoutMs: flags.timeout,
    });
    if (!isReady) {
      throw new CliError(`Not ready after ${durationText(flags.timeout)}`, { code: 'timed_out' });
    }
    return this.present({ ready: true }, () => 'Ready');
  }

  /** A missing or unready daemon may become ready; other failures end the wait. */
  private async isReady(instance: string | undefined): Promise<boolean> {
    try {
      const access = await findDaemon(this.environment, instance);
      const client = createClient(connectionOf(access, false));
      return (await client.request({ method: 'GET', path: '/_kyclone/ready' })).status === 200;
    } catch (error) {
      if (describeFailure(error).exitCode === EXIT.unreachable) return false;
      throw error;
    }
  }
}
