import { vaultClient } from './client.ts';
import { element } from './elements.ts';
import { VaultError } from './errors.ts';
import { createField, type Entry, type Field } from './field.ts';
import { distinctLabels } from './labels.ts';
import { summaryOf, unreadableSummary } from './messages.ts';

/**
 * How many forms the page has had: two must not share ids, not even while they are detached. On the window, since each
 * entry of the package has a copy of this module.
 */
const FORMS_MADE = Symbol.for('kyclone.formsMade');

const REASON_HINT = 'Goes into the access log. The token may carry one already.';

export interface VaultFormField {
  readonly identifier: string;
  /** Replaces the label made from the identifier. */
  readonly label?: string;
  /**
   * A type of <input>; or `textarea`; or `list` (text with commas becomes a list), `json`, `number`, for values that
   * aren't text. Each identifier has a suitable default.
   */
  readonly type?: string;
}

export interface VaultFormOptions {
  readonly container: HTMLElement;
  /** Where the service listens, such as `http://127.0.0.1:4630`. */
  readonly baseUrl: string;
  /** A client token, minted by your server with its secret key. The key itself never belongs in a page. */
  readonly token: string;
  readonly fields: readonly (string | VaultFormField)[];
  /** The purpose of the form, `write` by default; the token has to permit it. */
  readonly mode?: 'write' | 'reveal' | 'both';
  /** The reason for revealing values. Without it the form asks. */
  readonly reason?: string;
  /** The buttons besides those for revealing. Both by default. */
  readonly buttons?: readonly ('save' | 'check')[];
  /** Replaces words of the buttons. */
  readonly words?: { readonly save: string; readonly cancel: string };
  /** Called by the button Cancel, which the form has only with this. */
  onCancel?(): void;
  /** Called after everything that was typed was stored. */
  onSaved?(): void;
  /** Called after identifiers were stored. */
  onWritten?(identifiers: string[]): void;
  /** Called after a refusal. The form shows the refusal in any case. */
  onError?(error: VaultError): void;
}

export interface VaultForm {
  /** Stores what was typed, as the button Save does. Throws VaultError after the form has shown the refusal. */
  save(): Promise<void>;
  /** Removes the form from the page, including typed and revealed values. */
  destroy(): void;
}

/** Renders inputs for the identifiers into `container`; errors of the service appear beside their fields. */
export function vaultForm(options: VaultFormOptions): VaultForm {
  const { container, mode = 'write' } = options;
  const client = vaultClient(options);
  const number = Number(Reflect.get(globalThis, FORMS_MADE) ?? 0) + 1;
  Reflect.set(globalThis, FORMS_MADE, number);
  const prefix = `kyclone-${number}`;
  const given = options.fields.map((field) => (typeof field === 'string' ? { identifier: field } : field));
  const labels = distinctLabels(given);
  const fields = given.map((field, index) =>
    createField({
      ...field,
      id: `${prefix}-${index}`,
      label: labels[index] ?? field.identifier,
      isReadOnly: mode === 'reveal',
    }),
  );
  const reason = createField({
    id: `${prefix}-reason`,
    identifier: 'reason',
    label: 'Reason for revealing',
    hint: REASON_HINT,
  });
  const alert = element('div', { class: 'kyclone-alert', role: 'alert', tabindex: '-1' });
  const status = element('p', { class: 'kyclone-status', role: 'status' });
  const unsent = new VaultError('invalid_request', 'Nothing was sent: the form shows why');
  let isBusy = false;
  let isDestroyed = false;

  const root = element('div', { class: 'kyclone-form' }, [alert]);
  if (mode === 'reveal') root.append(...fields.map((field) => field.root));
  else root.append(writeForm());
  if (mode !== 'write') root.append(revealForm());
  root.append(status);
  container.append(root);

  return {
    save: () => attempt(writeEntries),
    destroy() {
      isDestroyed = true;
      for (const field of fields) field.hide();
      root.remove();
    },
  };

  function writeForm(): HTMLFormElement {
    const { buttons = ['save', 'check'], words = { save: 'Save', cancel: 'Cancel' } } = options;
    const check = element('button', { type: 'button' }, ['Check']);
    const save = element('button', { type: 'submit', class: 'kyclone-primary' }, [words.save]);
    const cancel = element('button', { type: 'button' }, [words.cancel]);
    check.addEventListener('click', () => void run(checkEntries));
    cancel.addEventListener('click', () => options.onCancel?.());
    return form(
      fields.map((field) => field.root),
      [
        ...(buttons.includes('save') ? [save] : []),
        ...(buttons.includes('check') ? [check] : []),
        ...(options.onCancel ? [cancel] : []),
      ],
      writeEntries,
    );
  }

  function revealForm(): HTMLFormElement {
    const weight = mode === 'reveal' ? { class: 'kyclone-primary' } : {};
    const button = element('button', { type: 'submit', ...weight }, ['Reveal']);
    return form(options.reason === undefined ? [reason.root] : [], [button], revealValues);
  }

  function form(
    content: HTMLElement[],
    buttons: HTMLElement[],
    action: () => Promise<void>,
  ): HTMLFormElement {
    const made = element('form', { novalidate: '', autocomplete: 'off' }, [
      ...content,
      element('div', { class: 'kyclone-actions' }, buttons),
    ]);
    made.addEventListener('submit', (event) => {
      event.preventDefault();
      void run(action);
    });
    return made;
  }

  async function run(action: () => Promise<void>): Promise<void> {
    try {
      if (!isBusy) await attempt(action);
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
    }
  }

  /** Runs one action at a time and clears the previous message. Throws a refusal after showing it. */
  async function attempt(action: () => Promise<void>): Promise<void> {
    if (isBusy) throw new VaultError('busy', 'The form is busy with an earlier action');
    isBusy = true;
    root.setAttribute('aria-busy', 'true');
    for (const field of [...fields, reason]) field.fail('');
    alert.textContent = status.textContent = '';
    try {
      await action();
    } catch (error) {
      if (error instanceof VaultError && error !== unsent && !isDestroyed) showRefusal(error);
      throw error;
    } finally {
      isBusy = false;
      root.removeAttribute('aria-busy');
      // In a long form the status at its end may be out of view.
      if (status.textContent !== '') status.scrollIntoView({ block: 'nearest' });
    }
  }

  async function checkEntries(): Promise<void> {
    const entries = readEntries();
    const values = valuesOf(entries);
    if (Object.keys(values).length > 0) await client.validate(values);
    const hasFiles = [...entries.values()].some(({ kind }) => kind === 'file');
    status.textContent = hasFiles
      ? 'What was typed is valid. Files are judged when they are saved.'
      : 'Everything is valid. Nothing was saved.';
  }

  async function writeEntries(): Promise<void> {
    const entries = readEntries();
    const written: Field[] = [];
    let isComplete = false;
    try {
      const values = valuesOf(entries);
      if (Object.keys(values).length > 0) {
        await client.write(values);
        for (const [field, entry] of entries) if (entry.kind === 'value') settle(field, entry, written);
      }
      for (const [field, entry] of entries) {
        if (entry.kind !== 'file') continue;
        await client.upload(field.identifier, entry.file).catch((error: unknown) => {
          throw aboutFile(field.identifier, error);
        });
        settle(field, entry, written);
      }
      isComplete = true;
    } finally {
      if (written.length > 0 && !isDestroyed) {
        status.textContent = `Saved: ${written.map(({ label }) => label).join(', ')}.`;
        options.onWritten?.(written.map(({ identifier }) => identifier));
        if (isComplete) options.onSaved?.();
      }
    }
  }

  /** Clears stored input; a value revealed before is no longer the stored one. */
  function settle(field: Field, entry: Entry, written: Field[]): void {
    field.clear(entry);
    field.hide();
    written.push(field);
  }

  async function revealValues(): Promise<void> {
    const typed = reason.entry();
    const given = options.reason ?? (typed?.kind === 'value' ? String(typed.value) : undefined);
    const values = await client.decrypt({
      fields: fields.map(({ identifier }) => identifier),
      ...(given !== undefined && { reason: given }),
    });
    if (isDestroyed) return;
    for (const field of fields) field.reveal(values[field.identifier]);
    status.textContent = 'Revealed.';
  }

  /** The content of the inputs. Throws `unsent` if it can't be sent, after the page has shown why. */
  function readEntries(): Map<Field, Entry> {
    const entries = new Map<Field, Entry>();
    const unreadable: Field[] = [];
    for (const field of fields) {
      const entry = field.entry();
      if (entry?.kind === 'unreadable') {
        field.fail(entry.message);
        unreadable.push(field);
      } else if (entry) entries.set(field, entry);
    }
    if (unreadable.length > 0) {
      alert.textContent = unreadableSummary(unreadable.map(({ label }) => label));
      unreadable[0]?.focus();
      throw unsent;
    }
    if (entries.size > 0) return entries;
    status.textContent = 'Nothing was sent: every field is empty.';
    throw unsent;
  }

  function showRefusal(error: VaultError): void {
    const marked: Field[] = [];
    const elsewhere: [string, string][] = [];
    for (const [identifier, message] of Object.entries(error.context)) {
      const field = fields.find((each) => each.identifier === identifier);
      if (!field) {
        elsewhere.push([identifier, message]);
        continue;
      }
      field.fail(message);
      marked.push(field);
    }
    if (error.code === 'reason_required' && options.reason === undefined) {
      reason.fail('is required');
      marked.push(reason);
    }
    alert.textContent = summaryOf(
      error,
      marked.map(({ label }) => label),
      elsewhere,
    );
    (marked[0] ?? alert).focus();
    options.onError?.(error);
  }
}

/** The values of a single write; files are sent separately. */
function valuesOf(entries: ReadonlyMap<Field, Entry>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [{ identifier }, entry] of entries) if (entry.kind === 'value') values[identifier] = entry.value;
  return values;
}

/** Attributes the refusal to this file, even if the response doesn't name it: files are sent one by one. */
function aboutFile(identifier: string, error: unknown): unknown {
  if (!(error instanceof VaultError) || Object.keys(error.context).length > 0) return error;
  const { code, message, status } = error;
  if (status !== 400 && status !== 413) return error;
  return new VaultError(code, message, { status, context: { [identifier]: message } });
}
