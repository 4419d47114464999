/**
 * What `kyclone/testing` promises to tests. `dist/testing.d.ts` is made of this file, so it imports types only, and of
 * the client and the contract only what src/devtools/build-testing.ts writes out.
 */
import type { Environment } from '../contract/facts/entities.ts';
import type { Client } from '../client/client.ts';
import type { AnswerOf, RequestOf } from '../contract/registry.ts';

export interface StartOptions {
  /** Every id is fixed by it: the same calls give the same ids, run after run. */
  readonly seed?: string | undefined;
  /** Where the clock stands still until it is moved: a date, or ISO 8601 text. `'real'`, the default: it runs. */
  readonly clock?: Date | string | undefined;
  /** As `PATCH /_kyclone/settings` takes them, such as `{ events: { extended: true } }`. */
  readonly settings?: RequestOf<'PATCH /_kyclone/settings'>['body'] | undefined;
  /** A free one unless given. */
  readonly port?: number | undefined;
  /** Files of API calls that are made before it is handed over, and again after each reset. */
  readonly fixtures?: readonly string[] | undefined;
}

/**
 * A running instance, in memory and in this process. It doesn't keep the process alive: a test that forgets `close()`
 * ends all the same. Once closed, everything on it throws a `KycloneError` with the code `closed`.
 */
export interface Kyclone {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** The API key of the sandbox of tenant `default`. */
  readonly apiKey: string;
  readonly liveApiKey: string;
  /** For calls below `/_kyclone/`. */
  readonly controlToken: string;
  /** Speaks with `apiKey` and `controlToken`; every call is typed by its method and path. */
  readonly client: Client;
  readonly clock: Clock;
  readonly faults: Faults;
  /** A tenant of its own, which sees nothing of the others. A name that was used before: new keys for that one. */
  tenant(name?: string): Promise<Tenant>;
  /**
   * Back to how it was started: users, businesses, runs, links, events and faults go, ids restart from the seed, the
   * clock is frozen again where that was asked for. API keys, playbooks and webhook endpoints stay unless `hard`.
   */
  reset(options?: ResetOptions): Promise<void>;
  /** Keeps the whole state, to come back to. */
  snapshot(name?: string): Promise<Snapshot>;
  /**
   * The next webhook event of this kind that was not handed out before, of those that have happened or are to come.
   * `kind` with its prefix or without, or `*` for any. Throws a `KycloneError` with the code `timeout`.
   */
  waitFor(kind: string, options?: WaitOptions): Promise<WebhookEvent>;
  /** Stops it, within two seconds; nothing is left behind. May be called again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Tenant {
  readonly name: string;
  readonly apiKey: string;
  readonly liveApiKey: string;
  /** Speaks with `apiKey` of the tenant. */
  readonly client: Client;
  waitFor(kind: string, options?: Omit<WaitOptions, 'tenant'>): Promise<WebhookEvent>;
}

export interface ResetOptions {
  /** Another seed from now on. */
  readonly seed?: string | undefined;
  /** Tenants, keys, playbooks, webhook endpoints and settings go too. */
  readonly hard?: boolean | undefined;
}

export interface Snapshot {
  readonly name: string;
  restore(): Promise<void>;
  delete(): Promise<void>;
}

/** Each returns the time that the instance has then. */
export interface Clock {
  now(): Promise<Date>;
  /** Stands still, now or at another time. */
  freeze(at?: Date | string): Promise<Date>;
  /** Runs on from this time. */
  set(at: Date | string): Promise<Date>;
  /** Milliseconds or text such as `90s`, `2h`, `P1D`. What falls due on the way is done before this resolves. */
  advance(by: number | string): Promise<Date>;
  /** The machine's time again. */
  resume(): Promise<Date>;
}

export type FaultRule = AnswerOf<'POST /_kyclone/faults'>;
export type FaultMatch = RequestOf<'POST /_kyclone/faults'>['body']['match'];
export type NewFault = Omit<RequestOf<'POST /_kyclone/faults'>['body'], 'match'> & {
  readonly match?: Partial<FaultMatch>;
};

export interface Faults {
  /** A rule, or the name of a preset. What it matches: every call unless `match` says otherwise. */
  add(rule: NewFault | string, match?: Partial<FaultMatch>): Promise<FaultRule>;
  list(): Promise<FaultRule[]>;
  /** One of them, or all. */
  clear(id?: string): Promise<void>;
}

export type WebhookEvent = AnswerOf<'GET /_kyclone/events'>['data'][number];

export interface WaitOptions {
  /** About this user or business. */
  readonly fp_id?: string | undefined;
  readonly where?: ((event: WebhookEvent) => boolean) | undefined;
  /** 5,000 unless given. */
  readonly timeoutMs?: number | undefined;
  /** `default` unless given. */
  readonly tenant?: string | undefined;
  /** `sandbox` unless given. */
  readonly environment?: Environment | undefined;
}
