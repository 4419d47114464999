import type { AnswerOf, EndpointKey } from '../../contract/registry.ts';
import { answer, type Handlers } from '../handlers.ts';
import { healthAnswer, type IdentityContext } from './identity.ts';
import { instanceInfo, type InfoContext } from './info.ts';

export type { Instance } from './instance.ts';
export { pageHandlers } from './pages.ts';

export type StoreCheck = AnswerOf<'GET /_kyclone/store/check'>;

/** Checks of every page of the store. */
export interface StoreChecks {
  state(): StoreCheck;
  /** Starts a check, unless one is in progress. */
  begin(): StoreCheck;
}

export interface ControlContext extends IdentityContext, InfoContext {
  readonly storeChecks: StoreChecks;
}

type ControlKeys = Extract<
  EndpointKey,
  | `${string} /_kyclone/health`
  | `${string} /_kyclone/ready`
  | `${string} /_kyclone/info`
  | `${string} /_kyclone/store/check`
>;

export function controlHandlers(context: ControlContext): Handlers<ControlKeys> {
  const { instance, storeChecks } = context;
  return {
    'GET /_kyclone/health': (request) => answer(healthAnswer(context, request)),
    'GET /_kyclone/ready': () => ({ body: instance.readiness, status: instance.readiness.ready ? 200 : 503 }),
    'GET /_kyclone/info': () => answer(instanceInfo(context)),
    'GET /_kyclone/store/check': () => answer(storeChecks.state()),
    'POST /_kyclone/store/check': () => answer(storeChecks.begin()),
  };
}
