/**
 * The session of the page (contract §11.1). A link brings a code, which is exchanged once. The token stays in the memory
 * of the tab; what continues a session after a reload is of no use without the cookie of this daemon.
 */
import type { AnswerOf } from '../contract/registry.ts';
import { callOwn } from './client.ts';

export type SessionOfPage = AnswerOf<'POST /_kyclone/console/sessions/resume'>;

const SESSIONS = '/_kyclone/console/sessions';
const KEPT = 'kyclone-console-resume';

/** The code of a link: `#code=…`. */
export function codeIn(hash: string): string | undefined {
  return /^#code=([^&/]+)$/.exec(hash)?.[1];
}

/** Throws what callOwn throws: ApiError with 401 for a code that was used or is too old. */
export async function startSession(code: string): Promise<SessionOfPage> {
  const started = (await callOwn(SESSIONS, 'POST', { code })) as AnswerOf<'POST /_kyclone/console/sessions'>;
  const { resume_key, ...session } = started;
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
