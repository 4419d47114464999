import { createClient } from '../../client/client.ts';
import { pollUntil } from '../../kernel/time/poll-until.ts';
import { DAY_MS, SECOND_MS } from '../../kernel/numbers/units.ts';
import { connectionOf } from '../shell/daemon-access.ts';
import { made } from '../shell/derived.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError, describeFailure } from '../shell/failure.ts';
import { byDefault, durationFlag, durationText } from '../shell/times.ts';

const POLL_MS = 50;

export default made(
  {
    summary: 'Wait until the daemon serves requests; exit code 124 when the time runs out',
    examples: ['--timeout 10s', '--timeout 1m --json'],
    flags: {
      timeout: durationFlag({ summary: 'how long to wait', max: DAY_MS, ...byDefault(30 * SECOND_MS) }),
    },
    view: () => 'Ready',
  },
  async ({ flags: { timeout: timeoutMs } }, { find }) => {
    /** A missing or unready daemon may become ready; other failures end the wait. */
    const isReady = async () => {
      try {
        const client = createClient(connectionOf(await find(), false));
        return (await client.request({ method: 'GET', path: '/_kyclone/ready' })).status === 200;
      } catch (error) {
        if (describeFailure(error).exitCode === EXIT.unreachable) return false;
        throw error;
      }
    };
    if (await pollUntil(isReady, { everyMs: POLL_MS, timeoutMs })) return { ready: true };
    throw new CliError(`Not ready after ${durationText(timeoutMs)}`, { code: 'timed_out' });
  },
);
