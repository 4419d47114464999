/**
 * Opens a page of hosted flows inside an app's page, in a frame or a modal dialog (contract §14). Accepts messages only
 * from its own frame, and only while the frame has the service's origin.
 */
import { addressOf, type Addressed, type Opened } from './embed-address.ts';

const LOWEST_PX = 240;
const HIGHEST_PX = 20_000;

export interface FrameOptions extends Addressed {
  readonly container?: Element | undefined;
  readonly onAuth?: (() => void) | undefined;
  /** The final tokens, as the page sent them. */
  readonly onComplete: (message: Readonly<Record<string, unknown>>) => void;
  readonly onCancel?: (() => void) | undefined;
  readonly onError?: ((error: { readonly message: string }) => void) | undefined;
  readonly onClose?: (() => void) | undefined;
}

/** Throws TypeError for an invalid token, address or appearance. */
export function openFrame(opened: Opened, options: FrameOptions): { close(): void } {
  const { container } = options;
  const address = addressOf(opened, options, [
    ['origin', window.location.origin],
    ['display', container ? 'frame' : 'dialog'],
  ]);
  const frame = document.createElement('iframe');
  frame.title = opened.title;
  if (opened.isWithCamera) frame.allow = 'camera';
  frame.referrerPolicy = 'no-referrer';
  // The frame can't navigate the app's page.
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
  Object.assign(frame.style, { border: '0', display: 'block', width: '100%' });
  frame.src = address.href;

  let isOpen = true;
  const takeAway = container ? inContainer(frame, container) : inDialog(frame, cancel);
  window.addEventListener('message', receive);
  return { close };

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    window.removeEventListener('message', receive);
    takeAway();
    options.onClose?.();
  }

  function cancel(): void {
    if (!isOpen) return;
    options.onCancel?.();
    if (!container) close();
  }

  function receive({ source, origin, data }: MessageEvent<unknown>): void {
    if (source === null || source !== frame.contentWindow || origin !== address.origin) return;
    if (typeof data !== 'object' || data === null) return;
    const message = data as Readonly<Record<string, unknown>>;
    if (message['source'] !== 'kyclone') return;
    switch (message['type']) {
      case 'auth':
        options.onAuth?.();
        return;
      case 'complete':
        if (typeof message['validation_token'] !== 'string') return;
        options.onComplete(message);
        if (!container) close();
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

/** The browser's modal dialog: the rest of the page is inert, so that focus stays inside. */
function inDialog(frame: HTMLIFrameElement, cancel: () => void): () => void {
  const before = document.activeElement;
  const root = document.documentElement;
  const { overflow } = root.style;
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', frame.title);
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Close';
  const whole = { width: '100vw', height: '100vh', maxWidth: 'none', maxHeight: 'none' };
  Object.assign(dialog.style, whole, {
    margin: '0',
    padding: '0',
    border: '0',
    background: 'rgba(0, 0, 0, .55)',
    boxSizing: 'border-box',
    display: 'grid',
    gridTemplateRows: 'auto minmax(0, 1fr)',
    justifyItems: 'center',
  });
  Object.assign(button.style, {
    justifySelf: 'end',
    margin: '8px',
    padding: '10px 16px',
    minHeight: '44px',
    border: '0',
    borderRadius: '8px',
    background: '#ffffff',
    color: '#1b201d',
    font: 'inherit',
    cursor: 'pointer',
  });
  Object.assign(frame.style, {
    width: 'min(100%, 34rem)',
    height: '100%',
    maxHeight: '52rem',
    borderRadius: '12px',
    background: '#ffffff',
  });
  button.addEventListener('click', cancel);
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    cancel();
  });
  // Covers removal by a script, and the browser closing it at a second Escape.
  dialog.addEventListener('close', cancel);
  dialog.append(button, frame);
  document.body.append(dialog);
  root.style.overflow = 'hidden';
  dialog.showModal();
  frame.focus();
  return () => {
    dialog.removeEventListener('close', cancel);
    dialog.close();
    dialog.remove();
    root.style.overflow = overflow;
    if (before instanceof HTMLElement) before.focus();
  };
}
