/**
 * Finds out why a page of the service can't be shown, so that an app gets a sentence in place of an empty frame (contract
 * §14). A browser hides the reason from scripts; two requests, and the reports about the page's own policy, reveal it.
 */
import { HOSTED_PATHS } from '../nouns/hosted/facts.ts';

const PATIENCE_MS = 3500;
/** A page posts its first message before its `load` event, which an error page of the browser has, too. */
const AFTER_LOAD_MS = 2000;

/** Calls `fail` at most once, within five seconds. `found`: the page in the frame has posted a message. */
export function watchFrame(frame: HTMLIFrameElement, address: URL, fail: (message: string) => void) {
  let isOver = false;
  let waiting: number | undefined;
  document.addEventListener('securitypolicyviolation', violated);
  frame.addEventListener('load', loaded);
  const base = address.href.slice(0, address.href.lastIndexOf('/hosted/'));
  void problemOf(base).then((problem) => {
    // The page that embeds the frame need not call the instance itself.
    if (problem !== undefined && problem !== forbidden('connect-src', base)) end(problem);
  });
  return { found: () => end(), stop: () => end() };

  function end(problem?: string): void {
    if (isOver) return;
    isOver = true;
    window.clearTimeout(waiting);
    document.removeEventListener('securitypolicyviolation', violated);
    frame.removeEventListener('load', loaded);
    if (problem !== undefined) fail(problem);
  }

  function violated({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void {
    if (effectiveDirective === 'frame-src' && blockedURI.startsWith(address.origin)) {
      end(forbidden('frame-src', address.origin));
    }
  }

  function loaded(): void {
    waiting = window.setTimeout(
      () => end(`${address.origin} shows no page in this frame. ${REMEDY}`),
      AFTER_LOAD_MS,
    );
  }
}

const REMEDY =
  'kyclone config set cors.origins admits the origin of this page, which must not be an IPv6 address.';

/** The reason why a page of this origin can't use the instance at `base`; undefined if it can. */
export async function problemOf(base: string): Promise<string | undefined> {
  const violations: string[] = [];
  const violated = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
    if (effectiveDirective === 'connect-src' && blockedURI.startsWith(base)) violations.push(blockedURI);
  };
  document.addEventListener('securitypolicyviolation', violated);
  try {
    const answer = await ask(base, 'cors');
    if (answer === 'answered') return undefined;
    if (answer === 'late') return `${base} does not answer within ${PATIENCE_MS / 1000} s.`;
    const isThere = (await ask(base, 'no-cors')) === 'answered';
    // Browsers report a violation in a task of its own.
    await new Promise((resolve) => window.setTimeout(resolve, 0));
    if (violations.length > 0) return forbidden('connect-src', base);
    return isThere
      ? `${base} does not serve pages of ${window.location.origin}. ${REMEDY}`
      : `Nothing answers at ${base}. kyclone start -d starts an instance; one at another address is named by baseUrl.`;
  } finally {
    document.removeEventListener('securitypolicyviolation', violated);
  }
}

/** A browser refuses the answer to a page whose origin is not served, except to `no-cors`, which hides it. */
async function ask(base: string, mode: 'cors' | 'no-cors'): Promise<'answered' | 'refused' | 'late'> {
  const late = new AbortController();
  const timer = window.setTimeout(() => late.abort(), PATIENCE_MS);
  try {
    await fetch(base + HOSTED_PATHS.browserScript, {
      method: 'HEAD',
      mode,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: late.signal,
    });
    return 'answered';
  } catch {
    return late.signal.aborted ? 'late' : 'refused';
  } finally {
    window.clearTimeout(timer);
  }
}

function forbidden(directive: string, origin: string): string {
  return `The content security policy of this page forbids ${origin}: add it to ${directive}.`;
}
