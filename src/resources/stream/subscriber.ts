/** A listener of the stream, with a bounded queue of messages. */
import { MIB } from '../../kernel/units.ts';

export interface Subscriber {
  push(text: string): void;
  /** Accepts no more messages; queued ones are still sent. */
  end(): void;
  /** Waits for messages and returns all queued ones; undefined at the end. */
  next(): Promise<Buffer | undefined>;
}

/** A reader that falls this far behind is disconnected; it may reconnect with the id of its last message. */
export const QUEUE_LIMIT_BYTES = 8 * MIB;

export function createSubscriber(): Subscriber {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let hasEnded = false;
  let wake: () => void = () => undefined;

  function take(): Buffer {
    const taken = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    return taken;
  }

  return {
    push(text) {
      if (hasEnded) return;
      const bytes = Buffer.from(text);
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes > QUEUE_LIMIT_BYTES) {
        take();
        hasEnded = true;
      }
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    async next() {
      while (waiting.length === 0 && !hasEnded) await new Promise<void>((resolve) => (wake = resolve));
      return waiting.length > 0 ? take() : undefined;
    },
  };
}
