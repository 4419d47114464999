import { BaseCommand } from '../shell/base-command.ts';
import { createClient } from '../../client/client.ts';
import { pollUntil } from '../../client/discover.ts';
import { connectionOf, findDaemon } from '../shell/daemon-access.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError, describeFailure } from '../shell/failure.ts';
import { integerFlag } from '../shell/flags.ts';

const POLL_MS = 50;

export default class Wait extends BaseCommand<{ ready: boolean }> {
  static override summary = 'Wait until the daemon serves requests; exit code 124 when the time is up';
  static override examples = [
    '<%= config.bin %> wait --timeout 10',
    '<%= config.bin %> wait --timeout 60 --json',
  ];
  static override flags = {
    timeout: integerFlag({
      summary: 'seconds to wait',
      default: 30,
      min: 0,
      max: 86_400,
      helpValue: 'SECONDS',
    }),
  };

  async run(): Promise<{ ready: boolean }> {
    const { flags } = await this.parse(Wait);
    const isReady = await pollUntil(() => this.isReady(flags.instance), {
      everyMs: POLL_MS,
      timeoutMs: flags.timeout * 1000,
    });
    if (!isReady) {
      throw new CliError(`Not ready after ${flags.timeout} s`, {
        code: 'timed_out',
        exitCode: EXIT.timedOut,
      });
    }
    return this.present({ ready: true }, () => 'Ready');
  }

  /** No daemon, or one that is not ready, is worth waiting for. */
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
