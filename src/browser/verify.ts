/** The kinds that open the page of a hosted flow (contract §14). */
import { HOSTED_PATHS, outcomeOfSandboxId } from '../contract/facts/onboardings.ts';
import { element } from '../form/elements.ts';
import { callJson } from '../form/request.ts';
import { ONBOARDING_PAGE } from '../hosted/embed-address.ts';
import { openFrame } from '../hosted/embed-frame.ts';
import type { AuthOptions, BootstrapData, FlowBase, VerifyBase, VerifyButtonOptions } from './options.ts';
import { containerOf, settingOf } from './setting.ts';
import { dress } from './style.ts';

/** Removes what is on the page, and calls nothing. */
export type Shown = () => void;

/** What the app knows of the person. */
type Known = Pick<VerifyBase, 'bootstrapData' | 'userData'>;

export type Variant = 'modal' | 'drawer' | 'inline';

/** The kinds `verify` and `components`. Throws VaultError when the session can't be started or filled in. */
export async function showVerify(options: VerifyBase, variant: Variant): Promise<Shown> {
  const token = await tokenOf(options);
  const outcome = outcomeOf(options);
  const query: [string, string][] = outcome === undefined ? [] : [['outcome', outcome]];
  return openFlow(options, { token, variant, query, contact: contactOf(options) });
}

/** The kinds `auth` and `update_login_methods`: the token decides what the page asks. */
export function showAuth(options: AuthOptions): Shown {
  const { kind, authToken: token, variant = 'modal' } = options;
  if (token === undefined) {
    throw new TypeError(
      `${kind} needs authToken: your server gets it from POST /users/{fp_id}/token; a public key is not enough`,
    );
  }
  return openFlow(options, { token, variant, query: [], contact: contactOf(options) });
}

function openFlow(
  options: FlowBase,
  opened: {
    token: string;
    variant: Variant;
    query: [string, string][];
    contact: Record<string, string> | undefined;
  },
): Shown {
  const { token, variant, query, contact } = opened;
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
    contact,
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
export function showVerifyButton(options: VerifyButtonOptions, press: () => void): Shown {
  const { appearance, words } = settingOf(options);
  const button = element(
    document,
    'button',
    { type: 'button', class: 'kyclone-primary kyclone-verify-button' },
    [options.label ?? words.verify],
  );
  const part = element(document, 'div', {}, [button]);
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
  const { token } = (await callJson({ baseUrl, token: '' }, { method: 'POST', path, body })) as {
    token: string;
  };
  return token;
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
