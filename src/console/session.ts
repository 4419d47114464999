/**
 * The session of the page (contract §11.1). A link brings a code, which is exchanged once. The token stays in the memory
 * of the tab; what continues a session after a reload is of no use without the cookie of this daemon.
 */
import type { Environment } from '../nouns/entities/facts.ts';
import { callOwn } from './client.ts';

export interface SessionOfPage {
  readonly operator: string | null;
  readonly is_readonly: boolean;
  readonly permissions: readonly string[];
  readonly instance: string;
  readonly tenant: string;
  readonly environment: Environment;
  readonly version: string;
  readonly expires_at: string;
  readonly token: string;
}

const SESSIONS = '/_kyclone/console/sessions';
const KEPT = 'kyclone-console-resume';

/** The code of a link: `#code=…`. */
export function codeIn(hash: string): string | undefined {
  return /^#code=([^&/]+)$/.exec(hash)?.[1];
}

/** Throws what callOwn throws: ApiError with 401 for a code that was used or is too old. */
export async function startSession(code: string): Promise<SessionOfPage> {
  const { resume_key, ...session } = (await callOwn(SESSIONS, 'POST', { code })) as SessionOfPage & {
    readonly resume_key: string;
  };
  localStorage.setItem(KEPT, resume_key);
  return session;
}

/** Undefined without a session to continue. Throws what callOwn throws. */
export async function resumeSession(): Promise<SessionOfPage | undefined> {
  const resume_key = localStorage.getItem(KEPT);
  if (resume_key === null) return undefined;
  return (await callOwn(`${SESSIONS}/resume`, 'POST', { resume_key })) as SessionOfPage;
}

/** Ends the session in all of its tabs. */
export async function endSession(token: string): Promise<void> {
  localStorage.removeItem(KEPT);
  await callOwn('/_kyclone/console/session', 'DELETE', undefined, token);
}

export function forgetSession(): void {
  localStorage.removeItem(KEPT);
}
