/**
 * The plain script: a global variable in place of exports, with `launch` for a bank. `data-global` of the script element
 * gives its name. With the name `identity`, an element `#identity-button` with `data-public-key` gets the button of
 * `verify`, which calls `window.identityCallbacks`.
 */
import { launch } from './bank.ts';
import kyclone, { init } from './init.ts';
import type { FlowBase } from './options.ts';

const name = document.currentScript?.dataset['global'] ?? 'kyclone';
Object.assign(window, { [name]: { ...kyclone, launch } });
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', drawButton);
else drawButton();

function drawButton(): void {
  const containerId = `${name}-button`;
  const publicKey = document.getElementById(containerId)?.dataset['publicKey'];
  if (publicKey === undefined) return;
  /** Read at each call, since a page may set them after the script. */
  const callbacks = (): FlowBase => {
    const given: unknown = Reflect.get(window, `${name}Callbacks`);
    return given ?? {};
  };
  const button = init({
    kind: 'verify-button',
    containerId,
    publicKey,
    onAuth: () => callbacks().onAuth?.(),
    onComplete: (token) => callbacks().onComplete?.(token),
    onCancel: () => callbacks().onCancel?.(),
    onClose: () => callbacks().onClose?.(),
    onError: (message) => callbacks().onError?.(message),
  });
  void button.render();
}
