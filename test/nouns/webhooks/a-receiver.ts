/** Receivers of webhooks: real servers, and an independent library that verifies the requests they receive. */
import { Webhook } from 'standardwebhooks';
import { expect, vi } from 'vitest';
import type { AnswerOf, RequestOf } from '../../../src/contract/registry.ts';
import type { TestService } from '../../support/service.ts';
import { startTarget, type ReceivedRequest, type TargetHandler } from '../../support/targets.ts';

export const REGISTER = 'POST /_kyclone/webhooks';
export const TRIGGER = 'POST /_kyclone/events/trigger';
export const CLOCK = 'PUT /_kyclone/clock';
export const COMPLETED = 'onboarding.completed';
/** Signatures show the time of the instance's clock, which tests move. */
export const BY_CLOCK = { webhooks: { timestamp: 'clock' } } as const;

export type DeliveryView = AnswerOf<'GET /_kyclone/deliveries'>['data'][number];
type SpaceChoice = RequestOf<typeof REGISTER>['query'];
/** A service, or a part of it, at which endpoints are registered. */
interface Registering {
  call(
    key: typeof REGISTER,
    parts: { query?: SpaceChoice; body: RequestOf<typeof REGISTER>['body'] },
  ): Promise<{ readonly body: AnswerOf<typeof REGISTER> }>;
}

/** A URL to which the test sends nothing. */
export const ELSEWHERE = 'https://receiver.example/hooks';

/** Responds with this status and nothing else. */
export const answering =
  (status: number, headers: Record<string, string> = {}): TargetHandler =>
  (_, response) => {
    response.writeHead(status, headers);
    response.end();
  };

/** A receiver that holds its requests while the gate is shut, and then responds with this status. */
export function aGate(status: number) {
  let pass = Promise.resolve();
  let open = (): void => undefined;
  return {
    shut: (): void => void (pass = new Promise((resolve) => (open = resolve))),
    open: (): void => open(),
    handler: (async (...call) => {
      await pass;
      answering(status)(...call);
    }) satisfies TargetHandler,
  };
}

/**
 * Registers an address where nothing listens: a port below 1024, since one that a test gave back may be another's by
 * then.
 */
export async function nobodyThere(service: TestService): Promise<void> {
  await service.call(REGISTER, { body: { url: 'http://127.0.0.1:9/hooks' } });
}

/**
 * Makes a registered receiver, by default for all kinds in the default space. When the test is over, every request that
 * it received is verified with the secret of the registration, unless it `takesAnything`.
 */
export async function aReceiver(
  service: Registering,
  options: {
    handler?: TargetHandler;
    query?: SpaceChoice;
    body?: Partial<RequestOf<typeof REGISTER>['body']>;
    takesAnything?: boolean;
  } = {},
) {
  const target = await startTarget(options.handler ? { handler: options.handler } : {});
  const { body } = await service.call(REGISTER, {
    ...(options.query && { query: options.query }),
    body: { url: `${target.url}/hooks`, ...options.body },
  });
  const { secret = '' } = body;
  const close = target[Symbol.asyncDispose].bind(target);
  return Object.assign(target, {
    id: body.id,
    secret,
    endpoint: body,
    async [Symbol.asyncDispose]() {
      await close();
      if (options.takesAnything !== true) verifyEach(secret, target.requests);
    },
  });
}

/** Throws unless each request is genuine at its own timestamp, with either style of header names. */
export function verifyEach(secret: string, requests: readonly ReceivedRequest[]): void {
  for (const request of requests) {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.replace(/^svix-/, 'webhook-'), value]),
    );
    verified(secret, { ...request, headers }, Number(headers['webhook-timestamp']) * 1000);
  }
}

/** Advances the clock and runs what falls due on the way. Without `by`, it runs only what is due now. */
export async function pass(service: TestService, by: string | number = 0): Promise<number> {
  return (await service.call(CLOCK, { body: { action: 'advance', by } })).body.drained;
}

/** Triggers an event, by default of a completed onboarding, and waits until its deliveries have been attempted. */
export async function triggered(service: TestService, more: Partial<RequestOf<typeof TRIGGER>['body']> = {}) {
  const { body } = await service.call(TRIGGER, { body: { kind: COMPLETED, ...more } });
  await settled(service);
  return body;
}

/** Waits until no due delivery is in flight. */
export async function settled(service: TestService): Promise<void> {
  await pass(service);
}

export async function deliveriesOf(
  service: TestService,
  query: RequestOf<'GET /_kyclone/deliveries'>['query'] = {},
): Promise<DeliveryView[]> {
  return (await service.call('GET /_kyclone/deliveries', { query })).body.data;
}

/** Returns the only delivery. */
export async function theDelivery(service: TestService): Promise<DeliveryView> {
  const deliveries = await deliveriesOf(service);
  expect(deliveries).toHaveLength(1);
  return deliveries[0] as DeliveryView;
}

/** Returns the only request of a receiver. */
export function theRequest({ requests }: { readonly requests: readonly ReceivedRequest[] }): ReceivedRequest {
  const [request] = requests;
  if (!request || requests.length > 1) throw new Error(`${requests.length} requests came`);
  return request;
}

export function idOf({ headers }: ReceivedRequest): string {
  return String(headers['webhook-id']);
}

/**
 * Verifies a request with the library while the machine's clock shows `at` (epoch ms). Throws when the library refuses
 * it.
 */
export function verified(secret: string, { body, headers }: ReceivedRequest, at: number): unknown {
  vi.useFakeTimers({ toFake: ['Date'], now: at });
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  } finally {
    vi.useRealTimers();
  }
}
