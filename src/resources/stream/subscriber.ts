/** One who listens to the stream: what is still to be sent to them, within bounds. */
import { MIB } from '../../kernel/units.ts';

export interface Subscriber {
  push(text: string): void;
  /** Nothing more is taken; what waits is still sent. */
  end(): void;
  /** All that waits; waits for something itself. Undefined when there is no more. */
  next(): Promise<Buffer | undefined>;
}

/** A reader that falls this far behind is disconnected: it may come back with the id of the last message it has. */
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
