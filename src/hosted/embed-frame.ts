/**
 * Opens a page of hosted flows inside an app's page, in a frame or a modal dialog (contract §14). Accepts messages only
 * from its own frame, and only while the frame has the service's origin.
 */
import { addressOf, type Addressed, type Opened } from './embed-address.ts';
import type { PageOptions } from './embed-appearance.ts';
import { openDialog } from './embed-dialog.ts';
import { watchFrame } from './embed-reach.ts';
import { languageOf, wordsIn } from './embed-words.ts';

const LOWEST_PX = 240;
const HIGHEST_PX = 20_000;
const SENTENCE = {
  boxSizing: 'border-box',
  height: 'auto',
  margin: '0',
  padding: '16px',
  alignSelf: 'start',
  background: '#ffffff',
  color: '#1b201d',
  overflowWrap: 'anywhere',
};

type OfPage = Pick<PageOptions, 'container' | 'onAuth' | 'onCancel' | 'onError' | 'onClose'>;

export interface FrameOptions extends Addressed, Readonly<{ [K in keyof OfPage]: OfPage[K] | undefined }> {
  /** How a dialog looks. */
  readonly variant?: 'modal' | 'drawer' | undefined;
  /** More members for the query of the page. */
  readonly query?: readonly [name: string, value: string][] | undefined;
  /** What the app knows of the person, for the first step: `id.email` or `id.phone_number`. */
  readonly contact?: Readonly<Record<string, string>> | undefined;
  /** Leaves the last page to the person, who closes a dialog. */
  readonly staysAtEnd?: boolean | undefined;
  /** The page is there. */
  readonly onReady?: (() => void) | undefined;
  /** The final tokens, as the page sent them. */
  readonly onComplete: (message: Readonly<Record<string, unknown>>) => void;
}

/** Throws TypeError for an invalid token, address or appearance. */
export function openFrame(opened: Opened, options: FrameOptions): { close(): void } {
  const { container, variant = 'modal' } = options;
  const { contact } = options;
  const address = addressOf(opened, options, [
    ['origin', window.location.origin],
    ['display', container ? 'frame' : 'dialog'],
    ...(contact ? [['contact', 'follows'] as [string, string]] : []),
    ...(options.query ?? []),
  ]);
  const words = wordsIn(languageOf(options.l10n ?? {}));
  const title = words[opened.title];
  const frame = document.createElement('iframe');
  frame.title = title;
  if (opened.isWithCamera) frame.allow = 'camera';
  frame.referrerPolicy = 'no-referrer';
  // The frame can't navigate the app's page.
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
  const colorScheme = options.appearance?.theme ?? 'light dark';
  Object.assign(frame.style, {
    border: '0',
    display: 'block',
    width: '100%',
    background: 'Canvas',
    colorScheme,
  });
  frame.src = address.href;

  let isOpen = true;
  let hasEnded = false;
  let sentence: HTMLElement | undefined;
  const reached = watchFrame(frame, address, fail);
  window.addEventListener('message', receive);
  const takeAway = container
    ? inContainer(frame, container)
    : openDialog(frame, { title, closeLabel: words.close, variant, cancel });
  return { close };

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    reached.stop();
    window.removeEventListener('message', receive);
    takeAway();
    sentence?.remove();
    options.onClose?.();
  }

  function cancel(): void {
    if (!isOpen) return;
    const isOver = hasEnded;
    hasEnded = true;
    if (!isOver) options.onCancel?.();
    if (!container || isOver) close();
  }

  /** Shows why there is no page, in its place. */
  function fail(message: string): void {
    sentence = document.createElement('p');
    sentence.setAttribute('role', 'alert');
    sentence.textContent = message;
    sentence.style.cssText = frame.style.cssText;
    Object.assign(sentence.style, SENTENCE);
    frame.replaceWith(sentence);
    options.onError?.({ message });
  }

  function receive({ source, origin, data }: MessageEvent<unknown>): void {
    if (source === null || source !== frame.contentWindow || origin !== address.origin) return;
    if (typeof data !== 'object' || data === null) return;
    const message = data as Readonly<Record<string, unknown>>;
    if (message['source'] !== 'kyclone') return;
    reached.found();
    switch (message['type']) {
      case 'ready':
        if (contact) {
          frame.contentWindow.postMessage({ source: 'kyclone', type: 'contact', ...contact }, address.origin);
        }
        options.onReady?.();
        return;
      case 'auth':
        options.onAuth?.();
        return;
      case 'complete':
        if (typeof message['validation_token'] !== 'string') return;
        hasEnded = true;
        options.onComplete(message);
        if (!container && options.staysAtEnd !== true) close();
        return;
      case 'cancel':
        cancel();
        return;
      case 'error':
        options.onError?.({ message: String(message['message']) });
        return;
      case 'resize':
        if (container) resize(frame, message['height']);
    }
  }
}

function resize(frame: HTMLIFrameElement, height: unknown): void {
  if (typeof height !== 'number' || !Number.isFinite(height)) return;
  frame.style.height = `${Math.min(Math.max(Math.ceil(height), LOWEST_PX), HIGHEST_PX)}px`;
}

function inContainer(frame: HTMLIFrameElement, container: Element): () => void {
  frame.style.height = `${LOWEST_PX}px`;
  container.append(frame);
  return () => frame.remove();
}
