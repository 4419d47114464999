/** Identifies the person: e-mail address or phone number, then the one-time code. */
import { element } from '../form/elements.ts';
import type { Field } from '../form/field.ts';
import { VaultError } from '../form/errors.ts';
import { pageField, pageForm, quietButton } from './controls.ts';
import { phrase } from './words.ts';
import type { HostedPage, KnownContact, ShownPlace } from './place.ts';

const LONGEST_CONTACT = 320;
const IDENTIFIERS = { email: 'id.email', phone: 'id.phone_number' } as const;

export function identifyPlace(page: HostedPage): ShownPlace {
  const { methods } = page.state.identify;
  const contacts = (['email', 'phone'] as const).filter((method) => methods.includes(method));
  const passkey = methods.includes('passkey') ? [passkeyForm(page)] : [];
  const [first] = contacts;
  if (first === undefined) {
    return {
      title: phrase('Let’s begin'),
      lead: phrase('Your passkey shows that it is you.'),
      content: passkey,
    };
  }
  const holder = element('div', {});
  const given = contacts.find((method) => IDENTIFIERS[method] === page.memory.contact?.identifier);
  let field = place(given ?? first);
  const form = pageForm(page, {
    content: [holder],
    fields: () => [field],
    async submit() {
      const value = valueOf(field);
      const identifier = field.identifier as KnownContact['identifier'];
      page.memory.contact = { identifier, value };
      await page.send('identify', { data: { [identifier]: value } });
    },
  });
  return {
    title: phrase(page.state.flow === 'update_auth_methods' ? 'Your new contact' : 'Let’s begin'),
    lead: phrase('We send a one-time code to make sure that it is you.'),
    content: [form, ...passkey],
  };

  function place(method: 'email' | 'phone'): Field {
    const isEmail = method === 'email';
    const identifier = IDENTIFIERS[method];
    const value = method === given ? page.memory.contact?.value : undefined;
    const next = pageField({ identifier, value });
    const other = quietButton(
      phrase(isEmail ? 'Use a phone number instead' : 'Use an e-mail address instead'),
      () => {
        field = place(isEmail ? 'phone' : 'email');
        field.focus();
      },
    );
    holder.replaceChildren(next.root, ...(contacts.length > 1 ? [other] : []));
    return next;
  }
}

function passkeyForm(page: HostedPage): HTMLElement {
  return pageForm(page, {
    button: phrase('Use your passkey'),
    submit: () => page.send('verify', { passkey: true }),
  });
}

export function codePlace(page: HostedPage): ShownPlace {
  const { state } = page;
  const field = pageField({
    identifier: 'code',
    label: phrase('One-time code'),
    hint: phrase('Six digits. No message was sent: the code is always 000000'),
    inputMode: 'numeric',
    autocomplete: 'one-time-code',
  });
  const form = pageForm(page, {
    content: [field.root],
    fields: () => [field],
    async submit() {
      await page.send('verify', { code: valueOf(field).replace(/[\s-]/g, '').slice(0, 16) });
    },
  });
  const { sent_to, by } = state.identify;
  return {
    title: phrase('Enter the code'),
    lead: phrase(
      by === 'sms' ? 'We sent it by text message to {0}.' : 'We sent it by e-mail to {0}.',
      sent_to ?? '',
    ),
    content: [form, ...(state.identify.methods.includes('passkey') ? [passkeyForm(page)] : [])],
  };
}

/** The contact in a message of the app; undefined for another message. */
export function contactIn(data: unknown): KnownContact | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { source, type, ...given } = data as Readonly<Record<string, unknown>>;
  if (source !== 'kyclone' || type !== 'contact') return undefined;
  const identifier = (['id.email', 'id.phone_number'] as const).find(
    (each) => typeof given[each] === 'string' && given[each].length <= LONGEST_CONTACT,
  );
  return identifier && { identifier, value: String(given[identifier]) };
}

/** The typed text; throws VaultError for the field when it is empty. */
function valueOf(field: Field): string {
  const entry = field.entry();
  if (entry?.kind === 'value' && String(entry.value).trim() !== '') return String(entry.value);
  throw new VaultError('missing', `${field.label} is missing`, {
    context: { [field.identifier]: 'is required' },
  });
}
