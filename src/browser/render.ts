/** The kind `render`: shows one vaulted field (contract §14). */
import { vaultClient } from '../form/client.ts';
import { element } from '../form/elements.ts';
import { labelOf } from '../form/labels.ts';
import { reveal } from '../form/revealed.ts';
import type { RenderOptions } from './options.ts';
import { containerOf, settingOf } from './setting.ts';
import { dress } from './style.ts';
import type { Shown } from './verify.ts';

const COPIED_MS = 2000;
const MASK = '••••••••';

/** Throws VaultError for a refusal. */
export async function showValue(options: RenderOptions): Promise<Shown> {
  const { id, authToken: token, canCopy = false, defaultHidden = false, showHiddenToggle = false } = options;
  const { baseUrl, appearance, words } = settingOf(options);
  const container = containerOf(options);
  const label = options.label ?? labelOf(id);
  const value = (await vaultClient({ baseUrl, token }).decrypt({ fields: [id] }))[id];
  const revealed = reveal(document, { identifier: id, label, value });
  const mask = element(document, 'span', { class: 'kyclone-text' }, [MASK]);
  const place = element(document, 'span', {});
  const shown = element(document, 'div', { class: 'kyclone-shown' }, [place]);
  const part = element(document, 'div', { role: 'group', 'aria-label': label }, [
    element(document, 'span', { class: 'kyclone-label', 'data-identifier': id }, [label]),
    shown,
  ]);
  dress(part, appearance);
  let isHidden = defaultHidden;
  const toggle = button(words.hide, () => show(!isHidden));
  if (showHiddenToggle) shown.append(toggle);
  if (canCopy && typeof value === 'string') shown.append(copyButton(value));
  show(isHidden);
  container.append(part);
  return () => {
    revealed.release();
    part.remove();
  };

  function show(hide: boolean): void {
    isHidden = hide;
    place.replaceChildren(hide ? mask : revealed.element);
    toggle.textContent = hide ? words.show : words.hide;
  }

  function copyButton(text: string): HTMLButtonElement {
    const made = button(words.copy, () => {
      void navigator.clipboard.writeText(text).then(
        () => {
          made.textContent = words.copied;
          window.setTimeout(() => (made.textContent = words.copy), COPIED_MS);
        },
        () => options.onError?.('The browser does not let this page copy'),
      );
    });
    return made;
  }
}

function button(text: string, act: () => void): HTMLButtonElement {
  const made = element(document, 'button', { type: 'button' }, [text]);
  made.addEventListener('click', act);
  return made;
}
