/** Creates the components of `kyclone/browser` (contract §14). */
import { showForm } from './form.ts';
import type { Component, Options } from './options.ts';
import { reportTo } from './problems.ts';
import { showValue } from './render.ts';
import { showAuth, showVerify, showVerifyButton, type Shown } from './verify.ts';

/**
 * Creates a component, which `render` shows. Nothing throws: `onError` gets a sentence about each problem, and without
 * `onError` the console does.
 */
export function init(options: Options): Component {
  const component = place(options.onError, () => show(options, dialog));
  // What the button opens.
  const dialog = place(options.onError, () => {
    if (options.kind !== 'verify-button') throw new TypeError(`${options.kind} has no button`);
    return showVerify(options, options.dialogVariant ?? 'modal');
  });
  return {
    render: () => component.render(),
    destroy() {
      dialog.destroy();
      component.destroy();
    },
  };
}

/** Shows one thing at a time, and what an earlier call finds out after a later one is dropped. */
function place(onError: Options['onError'], make: () => Shown | Promise<Shown>): Component {
  let shown: Shown | undefined;
  let turn = 0;
  function destroy(): void {
    turn += 1;
    shown?.();
    shown = undefined;
  }
  return {
    destroy,
    async render() {
      destroy();
      const own = turn;
      try {
        const made = await make();
        if (own === turn) shown = made;
        else made();
      } catch (error) {
        if (own === turn) await reportTo(onError, error);
      }
    },
  };
}

function show(options: Options, dialog: Component): Shown | Promise<Shown> {
  switch (options.kind) {
    case 'verify':
    case 'components':
      return showVerify(options, options.variant ?? 'modal');
    case 'verify-button':
      return showVerifyButton(options, () => void dialog.render());
    case 'auth':
    case 'update_login_methods':
      return showAuth(options);
    case 'form':
      return showForm(options);
    case 'render':
      return showValue(options);
    default:
      throw new TypeError(`kind has no ${String((options as { kind: unknown }).kind)}`);
  }
}
