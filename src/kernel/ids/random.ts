import { hash, randomFillSync } from 'node:crypto';

/**
 * Randomness by purpose. `ids` may be seeded, so that a test run can be repeated. `secret` never is: keys, tokens and
 * nonces come from the system's generator even with a seed.
 */
export type Randomness = ReturnType<typeof createRandomness>;

/** How many bytes each purpose has drawn from a seed. A digest identifies the seed. */
export interface RandomState {
  readonly seed_digest: string;
  readonly drawn: Readonly<Record<string, number>>;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const POOL_BYTES = 8192;

/** Draws bytes from the system's generator in blocks, which saves a system call for each nonce. */
function systemBytes(): (length: number) => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return (length) => {
    if (length > POOL_BYTES) return randomFillSync(new Uint8Array(length));
    if (used + length > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = pool.slice(used, used + length);
    pool.fill(0, used, used + length);
    used += length;
    return bytes;
  };
}

const BLOCK_BYTES = 32;

/**
 * SHA-256 in counter mode over purpose and seed: the same inputs give the same bytes on every machine. Skips the first
 * `drawn` bytes.
 */
function seededBytes(seed: string, purpose: string, drawn = 0): (length: number) => Uint8Array {
  const blockAt = (index: number) => hash('sha256', `kyclone seed\0${purpose}\0${seed}\0${index}`, 'buffer');
  let counter = Math.floor(drawn / BLOCK_BYTES);
  let block: Uint8Array = new Uint8Array(0);
  if (drawn % BLOCK_BYTES > 0) block = blockAt(counter++).subarray(drawn % BLOCK_BYTES);
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let filled = 0; filled < length;) {
      if (block.length === 0) {
        block = blockAt(counter++);
      }
      const part = block.subarray(0, length - filled);
      bytes.set(part, filled);
      block = block.subarray(part.length);
      filled += part.length;
    }
    return bytes;
  };
}

/** Base62 without modulo bias: bytes of 248 and above are discarded. */
function base62(bytes: (length: number) => Uint8Array, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of bytes(length - text.length)) {
      if (byte < 248) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

/** `length` characters of `[0-9A-Za-z]` derived from a seed and a purpose: the same on every machine. */
export function seededText(seed: string, purpose: string, length: number): string {
  return base62(seededBytes(seed, purpose), length);
}

/** Unpredictable bytes from the system's generator, for keys and nonces. */
export const secretBytes: (length: number) => Uint8Array = /* @__PURE__ */ systemBytes();

/** The instance's randomness; with a `seed` the ids repeat from run to run. */
export function createRandomness(seed?: string) {
  let current = seed;
  const sequences = new Map<string, Sequence>();

  function sequenceOf(purpose: string): (length: number) => Uint8Array {
    if (current === undefined) return secretBytes;
    let sequence = sequences.get(purpose);
    if (!sequence) sequences.set(purpose, (sequence = sequenceFrom(current, purpose, 0)));
    return sequence.next;
  }

  return {
    /**
     * `length` characters of `[0-9A-Za-z]`. With a seed they are deterministic. Each purpose has its own sequence, so
     * that polling for readiness doesn't shift the ids of users.
     */
    id: (length: number, purpose: string): string => base62(sequenceOf(purpose), length),
    /** Whether ids come from a seed and so repeat after a start or a reset. */
    get isSeeded(): boolean {
      return current !== undefined;
    },
    /** `length` unpredictable characters of `[0-9A-Za-z]`. */
    secretText: (length: number): string => base62(secretBytes, length),
    /** Restarts the sequences of ids: from `seed`, or from the instance's own seed if it has one. */
    restart(newSeed?: string): void {
      current = newSeed ?? seed;
      sequences.clear();
    },
    /** The positions in the seeded sequences; undefined without a seed. The seed itself is not included. */
    state(): RandomState | undefined {
      if (current === undefined) return undefined;
      const drawn = [...sequences].map(([purpose, sequence]) => [purpose, sequence.drawn()] as const);
      return { seed_digest: seedDigest(current), drawn: Object.fromEntries(drawn) };
    },
    /**
     * Continues the sequences from `state`, except those of the purposes `except`. Does nothing unless `state` comes from
     * the current seed.
     */
    restore({ seed_digest, drawn }: RandomState, except: readonly string[] = []): void {
      if (current === undefined || seedDigest(current) !== seed_digest) return;
      for (const purpose of sequences.keys()) if (!except.includes(purpose)) sequences.delete(purpose);
      for (const [purpose, bytes] of Object.entries(drawn)) {
        if (!except.includes(purpose)) sequences.set(purpose, sequenceFrom(current, purpose, bytes));
      }
    },
  };
}

interface Sequence {
  readonly next: (length: number) => Uint8Array;
  readonly drawn: () => number;
}

function sequenceFrom(seed: string, purpose: string, from: number): Sequence {
  const bytes = seededBytes(seed, purpose, from);
  let drawn = from;
  return {
    next(length) {
      drawn += length;
      return bytes(length);
    },
    drawn: () => drawn,
  };
}

function seedDigest(seed: string): string {
  return hash('sha256', `kyclone seed digest\0${seed}`);
}
