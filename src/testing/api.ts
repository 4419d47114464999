/**
 * The public interface of `kyclone/testing`. `dist/testing.d.ts` is generated from this file, so it imports types
 * only. From the client and the contract it imports only what src/devtools/build-testing.ts writes out.
 */
import type { Environment } from '../nouns/entities/facts.ts';
import type { Client } from '../client/client.ts';
import type { AnswerOf, RequestOf } from '../contract/registry.ts';

export interface StartOptions {
  /** Makes every id repeatable: the same calls give the same ids in each run. */
  readonly seed?: string | undefined;
  /**
   * Freezes the clock at this time, until a test moves it: a date, or ISO 8601 text. `'real'`, the default, is the
   * running clock of the machine.
   */
  readonly clock?: Date | string | undefined;
  /** Settings as `PATCH /_kyclone/settings` takes them, such as `{ events: { extended: true } }`. */
  readonly settings?: RequestOf<'PATCH /_kyclone/settings'>['body'] | undefined;
  /** A free port by default. */
  readonly port?: number | undefined;
  /**
   * Fixture files to run before the instance is returned, and again after each reset. A relative path begins at the
   * working directory of the start.
   */
  readonly fixtures?: readonly string[] | undefined;
  /** Values for the variables that the fixtures declare under `vars`. */
  readonly set?: Readonly<Record<string, string>> | undefined;
}

/**
 * A running instance, in memory and in this process. It doesn't keep the process alive: the process ends even if a
 * test forgets `close()`. After `close()`, every member throws a `KycloneError` with the code `closed`.
 */
export interface Kyclone {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** The sandbox API key of tenant `default`. */
  readonly apiKey: string;
  readonly liveApiKey: string;
  /** For calls below `/_kyclone/`. */
  readonly controlToken: string;
  /** Uses `apiKey` and `controlToken`. Every call is typed by its method and path. */
  readonly client: Client;
  readonly clock: Clock;
  readonly faults: Faults;
  /** The `outputs` of the fixtures, by name, as the start or the last reset made them. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Creates a tenant, isolated from all others. For a name that exists already, returns new keys of that tenant. */
  tenant(name?: string): Promise<Tenant>;
  /**
   * Restores the state after the start: deletes users, businesses, runs, links, events and faults, restarts ids from
   * the seed, and freezes the clock again if the option was given. Keeps API keys, playbooks and webhook endpoints
   * unless `hard`.
   */
  reset(options?: ResetOptions): Promise<void>;
  /** Stores the whole state, so that a test can restore it. */
  snapshot(name?: string): Promise<Snapshot>;
  /**
   * Returns the next webhook event of this kind, past or future, that no earlier `waitFor` has returned. `kind` is
   * given with or without its prefix; `*` means any kind. Throws a `KycloneError` with the code `timeout`.
   */
  waitFor(kind: string, options?: WaitOptions): Promise<WebhookEvent>;
  /** Stops the instance within two seconds and leaves nothing behind. May be called more than once. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Tenant {
  readonly name: string;
  readonly apiKey: string;
  readonly liveApiKey: string;
  /**
   * Uses the tenant's `apiKey`, and in calls below `/_kyclone/` that take a `tenant`, this one, unless the call names
   * another. The `environment` of such a call is `sandbox` unless given. Faults, clock, settings and resets are those of
   * the whole instance.
   */
  readonly client: Client;
  waitFor(kind: string, options?: Omit<WaitOptions, 'tenant'>): Promise<WebhookEvent>;
}

export interface ResetOptions {
  /** Replaces the seed. */
  readonly seed?: string | undefined;
  /** Also deletes tenants, keys, playbooks, webhook endpoints and settings. */
  readonly hard?: boolean | undefined;
}

export interface Snapshot {
  readonly name: string;
  restore(): Promise<void>;
  delete(): Promise<void>;
}

/** Each method returns the resulting time of the instance. */
export interface Clock {
  now(): Promise<Date>;
  /** Freezes the clock, at the current time or at another. */
  freeze(at?: Date | string): Promise<Date>;
  /** Sets the time; the clock runs on from there. */
  set(at: Date | string): Promise<Date>;
  /** Takes milliseconds or text such as `90s`, `2h`, `P1D`. Resolves when all work that falls due has been done. */
  advance(by: number | string): Promise<Date>;
  /** Returns to the time of the machine. */
  resume(): Promise<Date>;
}

export type FaultRule = AnswerOf<'POST /_kyclone/faults'>;
export type FaultMatch = RequestOf<'POST /_kyclone/faults'>['body']['match'];
export type NewFault = Omit<RequestOf<'POST /_kyclone/faults'>['body'], 'match'> & {
  readonly match?: Partial<FaultMatch>;
};

export interface Faults {
  /** Adds a rule, or a preset by its name. It matches every call unless `match` limits it. */
  add(rule: NewFault | string, match?: Partial<FaultMatch>): Promise<FaultRule>;
  list(): Promise<FaultRule[]>;
  /** Removes one rule, or all. */
  clear(id?: string): Promise<void>;
}

export type WebhookEvent = AnswerOf<'GET /_kyclone/events'>['data'][number];

export interface WaitOptions {
  /** Only events about this user or business. */
  readonly fp_id?: string | undefined;
  /** Returns at once, without a promise. */
  readonly where?: ((event: WebhookEvent) => boolean) | undefined;
  /** 4,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** `default` if omitted. */
  readonly tenant?: string | undefined;
  /** `sandbox` if omitted. */
  readonly environment?: Environment | undefined;
}
