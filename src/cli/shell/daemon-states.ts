/** What is said of an instance whose daemon can't be spoken to: the same by every command. */
import type { DaemonState } from '../../client/discover.ts';
import { EXIT } from './exit-codes.ts';
import { CliError } from './failure.ts';

type NotRunning = Exclude<DaemonState, { kind: 'running' }>;

interface StateDescription {
  readonly message: string;
  readonly code: string;
  readonly hint: string;
}

/** The failure of a command that needs the daemon; exit code 5 unless another is given. */
export function notRunning(
  instance: string,
  state: NotRunning,
  exitCode: number = EXIT.unreachable,
): CliError {
  const { message, code, hint } = describeState(instance, state);
  return new CliError(message, { code, exitCode, hint });
}

function describeState(instance: string, state: NotRunning): StateDescription {
  switch (state.kind) {
    case 'absent':
      return {
        message: `No daemon runs for instance ${instance}`,
        code: 'daemon_unreachable',
        hint: startCommand(instance),
      };
    case 'damaged':
      return {
        message: `The locator ${state.file} of instance ${instance} is damaged: where its daemon is, or whether one runs, is not known`,
        code: 'locator_damaged',
        hint: `${startCommand(instance)} writes it anew when none runs; end one that does by its process id`,
      };
    case 'dead': {
      const other = state.isAnswered
        ? `; another program answers at ${state.locator.url}, and nothing was sent to it`
        : '';
      return {
        message: `No daemon runs for instance ${instance}: process ${state.locator.pid} ended without cleaning up${other}`,
        code: 'daemon_unreachable',
        hint: startCommand(instance),
      };
    }
    case 'silent':
      return {
        message: `The daemon of instance ${instance} (process ${state.locator.pid}) hangs: it does not answer at ${state.locator.url}`,
        code: 'daemon_hangs',
        hint: `kill -CONT ${state.locator.pid} wakes one that was suspended; kill -KILL ${state.locator.pid} ends it`,
      };
    case 'unproven':
      return state.isAnswered
        ? {
            message: `What answers at ${state.locator.url} does not prove to be the daemon of instance ${instance}, though process ${state.locator.pid} is there; nothing was sent to it, and no process was signalled`,
            code: 'identity_unproven',
            hint: `end process ${state.locator.pid} yourself if it is a kycloned; kyclone start then starts anew`,
          }
        : {
            message: `The daemon of instance ${instance} (process ${state.locator.pid}) does not listen at ${state.locator.url}: it stops, or another program has its process id; no process was signalled`,
            code: 'identity_unproven',
            hint: `try again; end process ${state.locator.pid} yourself if it is a kycloned that stays`,
          };
  }
}

function startCommand(instance: string): string {
  return instance === 'default' ? 'kyclone start -d' : `kyclone start -d --instance ${instance}`;
}
