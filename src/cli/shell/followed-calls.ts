/**
 * Follows the calls of a command. On a terminal, a line shows that a slow call goes on. If a signal comes, the command
 * ends with the changes that were made: the pending call gets a moment to finish, and no further call begins.
 */
import type { Client } from '../../client/client.ts';
import { hasIdForm } from '../../kernel/ids/ids.ts';
import { realTime } from '../../kernel/time/real-time.ts';
import { SECOND_MS } from '../../kernel/numbers/units.ts';
import { exitCodeOfSignal } from './exit-codes.ts';
import { CliError } from './failure.ts';
import { statusLine } from './reading-progress.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const SLOW_MS = 1_500;
const GRACE_MS = 500;

interface Follower {
  readonly isShown: () => boolean;
  readonly end: (failure: CliError) => void;
}

export class FollowedCalls {
  /** How often each call made a change. */
  readonly #done = new Map<string, number>();
  readonly #pending = new Set<{ readonly name: string }>();
  readonly #follower: Follower;
  /** Those that this object listens to. */
  #signals: readonly NodeJS.Signals[] = [];
  #signal: NodeJS.Signals | undefined;
  #grace: NodeJS.Timeout | undefined;

  constructor(follower: Follower) {
    this.#follower = follower;
  }

  /** The same client, followed. Files have progress of their own, and are left out. */
  client(client: Client): Client {
    return {
      ...client,
      call: (async (key: string, ...options: []) =>
        await this.#follow(key, () => client.call(key as 'GET /users', ...options))) as Client['call'],
      exchange: (async (key: string, ...options: []) =>
        await this.#follow(key, () =>
          client.exchange(key as 'GET /users', ...options),
        )) as Client['exchange'],
      request: (raw) =>
        this.#follow(
          `${raw.method} ${nameOfPath(raw.path)}`,
          () => client.request(raw),
          // Not the daemon works then but the target, and the command says so.
          raw.path.startsWith('/vault_proxy/') ? () => () => undefined : undefined,
        ),
    };
  }

  /** `done: POST /users`, the changes that were made; undefined without any. */
  get done(): string | undefined {
    const done = [...this.#done].map(([name, times]) => (times === 1 ? name : `${name} ${times} times`));
    return done.length === 0 ? undefined : `done: ${done.join(', ')}`;
  }

  /** Restores the default behaviour of signals; the command is at its end. */
  release(): void {
    for (const signal of this.#signals) process.off(signal, this.#interrupt);
    this.#signals = [];
    realTime.clearTimeout(this.#grace);
  }

  async #follow<T>(name: string, send: () => Promise<T>, show = () => this.#show()): Promise<T> {
    if (this.#signal !== undefined) throw this.#interrupted(this.#signal);
    const endShowing = show();
    const change = /^(?:GET|HEAD) |\/search$/.test(name) ? undefined : { name };
    if (change !== undefined) {
      this.#pending.add(change);
      this.#listen();
    }
    try {
      const answer = await send();
      if (change !== undefined) this.#done.set(name, (this.#done.get(name) ?? 0) + 1);
      return answer;
    } finally {
      if (change !== undefined) this.#pending.delete(change);
      endShowing();
    }
  }

  /** From the first change to the end of the command: a signal can come between two calls. */
  #listen(): void {
    if (this.#signals.length > 0) return;
    this.#signals = SIGNALS.filter((signal) => process.listenerCount(signal) === 0);
    for (const signal of this.#signals) process.on(signal, this.#interrupt);
  }

  /** The same signal again ends the process at once. A command that handles signals itself is not disturbed. */
  readonly #interrupt = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) return;
    this.release();
    this.#signal = signal;
    this.#grace = realTime.setTimeout(() => this.#follower.end(this.#interrupted(signal)), GRACE_MS);
    this.#grace.unref();
  };

  #interrupted(signal: NodeJS.Signals): CliError {
    const open = [...this.#pending].map(({ name }) => name);
    const parts = [
      ...[this.done ?? []].flat(),
      ...(open.length === 0 ? [] : [`sent, and maybe done: ${open.join(', ')}`]),
    ];
    return new CliError(`Interrupted; ${parts.length === 0 ? 'nothing was changed' : parts.join('; ')}`, {
      code: 'cancelled',
      exitCode: exitCodeOfSignal(signal),
      hint: parts.length === 0 ? undefined : 'kyclone requests list shows the calls that arrived',
    });
  }

  #show(): () => void {
    if (!this.#follower.isShown()) return () => undefined;
    const began = realTime.elapsed();
    const line = statusLine();
    let timer = realTime.setTimeout(function next() {
      const seconds = Math.round((realTime.elapsed() - began) / SECOND_MS);
      line.show(`The daemon is working: ${seconds} s`);
      timer = realTime.setTimeout(next, SECOND_MS);
    }, SLOW_MS);
    return () => {
      realTime.clearTimeout(timer);
      line.end();
    };
  }
}

/** A raw path without what may be an id, a token or a value. */
function nameOfPath(path: string): string {
  const [clean = ''] = path.split('?');
  return clean
    .split('/')
    .map((part) => (hasIdForm(part) || /\d|^.{25,}$/.test(part) ? '…' : part))
    .join('/');
}
