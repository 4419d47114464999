/** The kind `form`: inputs for what a client token may write (contract §14). */
import { element } from '../form/elements.ts';
import { vaultForm } from '../form/form.ts';
import { openDialog } from '../hosted/embed-dialog.ts';
import type { FormOptions } from './options.ts';
import { containerOf, settingOf } from './setting.ts';
import { dress } from './style.ts';
import { tokenFacts } from './token.ts';
import type { Shown } from './verify.ts';

/** Throws VaultError for a token that permits no writing. */
export async function showForm(options: FormOptions): Promise<Shown> {
  const { authToken: token, variant = 'modal', title, onCancel, onClose, onComplete, onError } = options;
  const { hideButtons = false, hideCancelButton = false } = options.options ?? {};
  const { baseUrl, appearance, words } = settingOf(options);
  const container = variant === 'inline' ? containerOf(options) : undefined;
  const { fields } = await tokenFacts({ baseUrl, token });
  const panel = element(document, 'div', { tabindex: '-1' }, [
    ...(title === undefined ? [] : [element(document, 'h2', {}, [title])]),
  ]);
  dress(panel, appearance);
  const isDialog = container === undefined;
  const form = vaultForm({
    container: panel,
    baseUrl,
    token,
    fields,
    buttons: hideButtons ? [] : ['save'],
    words,
    onSaved() {
      onComplete?.();
      if (isDialog) close();
    },
    onError: ({ message }) => onError?.(message),
    ...(!hideButtons && !hideCancelButton && { onCancel: cancel }),
  });
  let isOpen = true;
  if (isDialog) panel.classList.add('kyclone-panel');
  container?.append(panel);
  const takeAway = isDialog
    ? openDialog(panel, {
        title: title ?? words.save,
        closeLabel: words.close,
        variant: dialogOf(variant),
        cancel,
      })
    : () => panel.remove();
  options.getRef?.({ save: () => form.save() });
  return remove;

  function remove(): void {
    if (!isOpen) return;
    isOpen = false;
    form.destroy();
    takeAway();
  }

  function close(): void {
    if (!isOpen) return;
    remove();
    onClose?.();
  }

  function cancel(): void {
    if (!isOpen) return;
    onCancel?.();
    if (isDialog) close();
  }
}

function dialogOf(variant: 'modal' | 'drawer' | 'inline'): 'modal' | 'drawer' {
  return variant === 'drawer' ? 'drawer' : 'modal';
}
