/** Creates the components of `kyclone/browser` (contract §14). */
import { HOSTED_PATHS } from '../nouns/hosted/facts.ts';
import { TOKEN_SCOPES_THAT, type TokenScope } from '../nouns/client-tokens/facts.ts';
import { outcomeOfSandboxId } from '../nouns/outcomes/facts.ts';
import { vaultClient } from '../form/client.ts';
import { element } from '../form/elements.ts';
import { VaultError } from '../form/errors.ts';
import { vaultForm } from '../form/form.ts';
import { labelOf } from '../form/labels.ts';
import { callJson } from '../form/request.ts';
import { reveal } from '../form/revealed.ts';
import { ONBOARDING_PAGE } from '../hosted/embed-address.ts';
import { openDialog } from '../hosted/embed-dialog.ts';
import { openFrame } from '../hosted/embed-frame.ts';
import { configure } from './configure.ts';
import type {
  Component,
  Options,
  RenderOptions,
  FormOptions,
  AuthOptions,
  BootstrapData,
  FlowBase,
  VerifyBase,
  VerifyButtonOptions,
} from './options.ts';
import { reportTo } from './problems.ts';
import { containerOf, settingOf, dress } from './setting.ts';

/** The kinds as members, for code that doesn't write them as texts. */
export const ComponentKind = {
  Auth: 'auth',
  Components: 'components',
  Form: 'form',
  Render: 'render',
  UpdateLoginMethods: 'update_login_methods',
  Verify: 'verify',
  VerifyButton: 'verify-button',
} as const;

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

/** The default export of `kyclone/browser`. */
const kyclone: { readonly init: typeof init; readonly configure: typeof configure } = { init, configure };

export default kyclone;

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

// The kind `render`: shows one vaulted field (contract §14).

const COPIED_MS = 2000;
const MASK = '••••••••';

/** Throws VaultError for a refusal. */
async function showValue(options: RenderOptions): Promise<Shown> {
  const { id, authToken: token, canCopy = false, defaultHidden = false, showHiddenToggle = false } = options;
  const { baseUrl, appearance, words } = settingOf(options);
  const container = containerOf(options);
  const label = options.label ?? labelOf(id);
  const value = (await vaultClient({ baseUrl, token }).decrypt({ fields: [id] }))[id];
  const revealed = reveal({ identifier: id, label, value });
  const mask = element('span', { class: 'kyclone-text' }, [MASK]);
  const place = element('span', {});
  const shown = element('div', { class: 'kyclone-shown' }, [place]);
  const part = element('div', { role: 'group', 'aria-label': label }, [
    element('span', { class: 'kyclone-label', 'data-identifier': id }, [label]),
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
  const made = element('button', { type: 'button' }, [text]);
  made.addEventListener('click', act);
  return made;
}

// The kind `form`: inputs for what a client token may write (contract §14).

/** Throws VaultError for a token that permits no writing. */
async function showForm(options: FormOptions): Promise<Shown> {
  const { authToken: token, variant = 'modal', title, onCancel, onClose, onComplete, onError } = options;
  const { hideButtons = false, hideCancelButton = false } = options.options ?? {};
  const { baseUrl, appearance, words } = settingOf(options);
  const container = variant === 'inline' ? containerOf(options) : undefined;
  const call = { method: 'GET', path: '/users/client_token' } as const;
  const { fields, scope } = (await callJson({ baseUrl, token }, call)) as {
    readonly fields: readonly string[];
    readonly scope: TokenScope;
  };
  if (!TOKEN_SCOPES_THAT.write.includes(scope))
    throw new VaultError('permission_denied', 'This token permits no writing');
  const panel = element('div', { tabindex: '-1' }, [
    ...(title === undefined ? [] : [element('h2', {}, [title])]),
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
        variant: variant === 'drawer' ? 'drawer' : 'modal',
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

// The kinds that open the page of a hosted flow (contract §14).

/** Removes what is on the page, and calls nothing. */
type Shown = () => void;

/** What the app knows of the person. */
type Known = Pick<VerifyBase, 'bootstrapData' | 'userData'>;

type Variant = 'modal' | 'drawer' | 'inline';

/** The kinds `verify` and `components`. Throws VaultError when the session can't be started or filled in. */
async function showVerify(options: VerifyBase, variant: Variant): Promise<Shown> {
  const token = await tokenOf(options);
  const outcome = outcomeOf(options);
  return openFlow(options, { token, variant, query: outcome === undefined ? [] : [['outcome', outcome]] });
}

/** The kinds `auth` and `update_login_methods`: the token decides what the page asks. */
function showAuth(options: AuthOptions): Shown {
  const { kind, authToken: token, variant = 'modal' } = options;
  if (token === undefined) {
    throw new TypeError(
      `${kind} needs authToken: your server gets it from POST /users/{fp_id}/token; a public key is not enough`,
    );
  }
  return openFlow(options, { token, variant, query: [] });
}

function openFlow(
  options: FlowBase & Known,
  { token, variant, query }: { token: string; variant: Variant; query: [string, string][] },
): Shown {
  const { onAuth, onComplete, onCancel, onClose, onError } = options;
  const { baseUrl, appearance: given, l10n } = settingOf(options);
  const { logo, ...plain } = given;
  const isWithLogo = logo !== undefined && options.options?.showLogo !== false;
  const appearance = isWithLogo ? { ...plain, logo } : plain;
  let isDestroyed = false;
  const isInline = variant === 'inline';
  const staysAtEnd = options.options?.showCompletionPage === true;
  const flow = openFrame(ONBOARDING_PAGE, {
    token,
    baseUrl,
    appearance,
    l10n,
    query,
    contact: contactOf(options),
    staysAtEnd,
    container: isInline ? containerOf(options) : undefined,
    variant: isInline ? undefined : variant,
    onAuth,
    onComplete({ validation_token }) {
      onComplete?.(String(validation_token));
      if (isInline && !staysAtEnd) flow.close();
    },
    onCancel() {
      onCancel?.();
      if (isInline) flow.close();
    },
    onError: ({ message }) => onError?.(message),
    onClose() {
      if (!isDestroyed) onClose?.();
    },
  });
  return () => {
    isDestroyed = true;
    flow.close();
  };
}

/** Draws the button; `press` shows the dialog. */
function showVerifyButton(options: VerifyButtonOptions, press: () => void): Shown {
  const { appearance, words } = settingOf(options);
  const button = element('button', { type: 'button', class: 'kyclone-primary kyclone-verify-button' }, [
    options.label ?? words.verify,
  ]);
  const part = element('div', {}, [button]);
  dress(part, appearance);
  button.addEventListener('click', () => {
    options.onClick?.();
    press();
  });
  containerOf(options).append(part);
  return () => part.remove();
}

async function tokenOf(options: VerifyBase): Promise<string> {
  const { authToken, publicKey } = options;
  const { baseUrl } = settingOf({});
  const path = HOSTED_PATHS.browserSession;
  const bootstrap_data = bootstrapOf(options);
  if (authToken !== undefined) {
    if (bootstrap_data) {
      await callJson({ baseUrl, token: authToken }, { method: 'PATCH', path, body: { bootstrap_data } });
    }
    return authToken;
  }
  if (publicKey === undefined) {
    throw new TypeError(
      'authToken or publicKey is missing: a token of your server, or the key of a playbook',
    );
  }
  const body = { key: publicKey, bootstrap_data };
  const session = await callJson({ baseUrl, token: '' }, { method: 'POST', path, body });
  return (session as { readonly token: string }).token;
}

/** Older apps write identifiers in camel case, such as `id.firstName`. */
function bootstrapOf({ bootstrapData, userData }: Known): BootstrapData | undefined {
  const entries = Object.entries(bootstrapData ?? userData ?? {}).map(([name, value]) => [
    name.startsWith('custom.') ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as BootstrapData);
}

/** An e-mail address precedes a phone number. */
function contactOf(options: Known): Record<string, string> | undefined {
  const known = bootstrapOf(options) ?? {};
  const name = ['id.email', 'id.phone_number'].find((each) => typeof known[each] === 'string');
  return name === undefined ? undefined : { [name]: String(known[name]) };
}

/** The answer for the last step of the sandbox; undefined leaves the choice to the person. */
function outcomeOf({ sandboxOutcome = {}, sandboxId }: VerifyBase): string | undefined {
  const { overallOutcome, documentOutcome } = sandboxOutcome;
  if (overallOutcome !== undefined) return overallOutcome;
  if (documentOutcome === 'fail') return 'fail';
  return sandboxId === undefined ? undefined : outcomeOfSandboxId(sandboxId);
}
