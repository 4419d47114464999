/** The fields of a request: its endpoint, and those of its address, its headers and the members of its body. */
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { printable } from '../../kernel/text/terminal-text.ts';
import { asFields, asJson, fieldKey, memberField, type RequestDraft } from './request-draft.ts';
import { foundOperations, type Operation, type RequestField } from './request-operations.ts';

/** Chooses an endpoint: a combobox (ARIA pattern) that searches methods, paths, summaries and tags. */
export function EndpointChoice({
  operations,
  operation,
  onChoose,
}: {
  operations: readonly Operation[];
  operation: Operation | undefined;
  readonly onChoose: (operation: Operation) => void;
}): ReactElement {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  /** Undefined while the list is closed. */
  const [search, setSearch] = useState<string>();
  const [index, setIndex] = useState(0);
  const found = search === undefined ? [] : foundOperations(operations, search);
  const active = found[index];

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  function open(): void {
    setSearch('');
    setIndex(
      Math.max(
        0,
        operations.findIndex((each) => each.id === operation?.id),
      ),
    );
  }
  function choose(chosen: Operation): void {
    setSearch(undefined);
    onChoose(chosen);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (search === undefined) open();
      else setIndex(Math.min(Math.max(index + (event.key === 'ArrowDown' ? 1 : -1), 0), found.length - 1));
    } else if (event.key === 'Enter' && search !== undefined) {
      if (active) choose(active);
    } else if (event.key === 'Escape' && search !== undefined) setSearch(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div className="request-endpoint">
      <label htmlFor={id}>Endpoint</label>
      <input
        id={id}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={search !== undefined}
        aria-controls={`${id}-list`}
        aria-activedescendant={active ? `${id}-${index}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={operation?.id ?? 'Search by method, path or words'}
        value={search ?? operation?.id ?? ''}
        onChange={({ target }) => {
          // The first character replaces the endpoint that was shown.
          setSearch(target.value);
          setIndex(0);
        }}
        onFocus={({ target }) => target.select()}
        onClick={() => search === undefined && open()}
        onBlur={() => setSearch(undefined)}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id={`${id}-list`} role="listbox" aria-label="Endpoints" hidden={found.length === 0}>
        {found.map((each, at) => (
          <li
            key={each.id}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === index}
            // Before the field loses the focus, which closes the list.
            onPointerDown={(event) => {
              event.preventDefault();
              choose(each);
            }}
          >
            <span className={`request-method is-${each.method.toLowerCase()}`}>{each.method}</span>
            <span className="request-path">{each.path}</span>
            <span className="request-summary">{each.summary}</span>
          </li>
        ))}
      </ul>
      <p className="request-none" role="status">
        {search !== undefined && found.length === 0 ? 'Nothing found' : ''}
      </p>
    </div>
  );
}

export interface DraftProps {
  readonly operation: Operation;
  readonly draft: RequestDraft;
  readonly problems: Readonly<Record<string, string>>;
  readonly onDraft: (draft: RequestDraft) => void;
}

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const;

/** Fields in groups; a group without a required field is folded while it is empty. */
export function AddressFields(props: DraftProps): ReactElement {
  const { operation } = props;
  return (
    <>
      {PLACES.map(([place, title]) => {
        const fields = operation.fields.filter((field) => field.place === place);
        if (fields.length === 0) return null;
        return <Group key={`${operation.id} ${place}`} {...props} fields={fields} title={title} />;
      })}
    </>
  );
}

function Group({
  title,
  ...props
}: DraftProps & { title: string; readonly fields: readonly RequestField[] }): ReactElement {
  const { fields, draft } = props;
  const [isOpen] = useState(fields.some((field) => field.isRequired || draft.values[fieldKey(field)]));
  return (
    <details open={isOpen}>
      <summary>{fields.length === 1 ? title : `${title} (${fields.length})`}</summary>
      <Fields {...props} />
    </details>
  );
}

/** The body: as fields of its members, as JSON text, or as a file. */
export function BodyFields({
  onFile,
  ...props
}: DraftProps & { readonly onFile: (file: File | undefined) => void }): ReactElement | null {
  const { operation, draft, problems, onDraft } = props;
  const id = useId();
  const [refusal, setRefusal] = useState('');
  const { body } = operation;
  if (body === undefined) return null;
  if (body.isFile) {
    return (
      <fieldset>
        <legend>Body</legend>
        <div className="request-field">
          <label htmlFor={id}>File</label>
          <input id={id} type="file" onChange={({ target }) => onFile(target.files?.[0])} />
        </div>
      </fieldset>
    );
  }

  function toFields(): void {
    const next = asFields(operation, draft);
    setRefusal(
      next === undefined
        ? 'Only a JSON object has fields, and a field can say neither an empty text nor null in place of one'
        : '',
    );
    if (next) onDraft(next);
  }
  const isJson = draft.json !== undefined;
  return (
    <fieldset>
      <legend>Body</legend>
      {body.members !== undefined && (
        <div className="request-modes">
          <button type="button" aria-pressed={!isJson} onClick={() => isJson && toFields()}>
            Fields
          </button>
          <button
            type="button"
            aria-pressed={isJson}
            onClick={() => isJson || onDraft(asJson(operation, draft))}
          >
            JSON
          </button>
          <span role="status">{refusal}</span>
        </div>
      )}
      {isJson ? (
        <div className="request-json">
          <label htmlFor={id}>JSON</label>
          <textarea
            id={id}
            rows={Math.min(16, Math.max(4, draft.json.split('\n').length + 1))}
            spellCheck={false}
            value={draft.json}
            {...problemOf(id, problems['body'])}
            onChange={({ target }) => onDraft({ ...draft, json: target.value })}
          />
          <Problem id={id} text={problems['body']} />
        </div>
      ) : (
        <>
          <Fields {...props} fields={draft.members.map((name) => memberField(operation, name))} />
          <MemberToAdd {...props} />
        </>
      )}
    </fieldset>
  );
}

/** Adds a field for another member, which the schema names or not. */
function MemberToAdd({ operation, draft, onDraft }: DraftProps): ReactElement {
  const id = useId();
  const [name, setName] = useState('');
  const others = (operation.body?.members ?? []).filter((each) => !draft.members.includes(each.name));
  function add(): void {
    const trimmed = name.trim();
    if (trimmed === '') return;
    onDraft({ ...draft, members: [...new Set([...draft.members, trimmed])] });
    setName('');
  }
  return (
    <div className="request-field request-add">
      <label htmlFor={id}>Another member</label>
      <div>
        <input
          id={id}
          list={`${id}-names`}
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={({ target }) => setName(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            add();
          }}
        />
        <datalist id={`${id}-names`}>
          {others.map((each) => (
            <option key={each.name} value={each.name} />
          ))}
        </datalist>
        <button type="button" onClick={add}>
          Add
        </button>
      </div>
    </div>
  );
}

function Fields({
  fields,
  draft,
  problems,
  onDraft,
}: DraftProps & { readonly fields: readonly RequestField[] }): ReactElement {
  return (
    <div className="request-fields">
      {fields.map((field) => {
        const key = fieldKey(field);
        return (
          <Field
            key={key}
            field={field}
            value={draft.values[key] ?? ''}
            problem={problems[key]}
            onValue={(value) => onDraft({ ...draft, values: { ...draft.values, [key]: value } })}
          />
        );
      })}
    </div>
  );
}

function Field({
  field,
  value,
  problem,
  onValue,
}: {
  field: RequestField;
  value: string;
  problem: string | undefined;
  readonly onValue: (value: string) => void;
}): ReactElement {
  const id = useId();
  const { name, kind, isRequired, description } = field;
  const choices = kind === 'boolean' ? ['true', 'false'] : field.choices;
  const shared = {
    id,
    value,
    'aria-required': isRequired,
    ...problemOf(id, problem, description !== ''),
    onChange: ({ target }: { target: { value: string } }) => onValue(target.value),
  };
  return (
    <div className="request-field">
      <label htmlFor={id}>
        {printable(name)}
        {isRequired && (
          <span className="request-required" aria-hidden="true">
            {' '}
            *
          </span>
        )}
      </label>
      <div>
        {choices.length > 0 ? (
          <select {...shared}>
            <option value="">{isRequired ? 'Choose' : 'Not sent'}</option>
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : kind === 'json' || value.includes('\n') ? (
          <textarea
            {...shared}
            rows={Math.min(8, value.split('\n').length)}
            spellCheck={false}
            placeholder="JSON"
          />
        ) : (
          <input
            {...shared}
            inputMode={kind === 'number' ? 'decimal' : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder={kind === 'any' ? 'JSON or text' : kind === 'number' ? 'Number' : undefined}
          />
        )}
        {description !== '' && (
          <p id={`${id}-hint`} className="request-hint">
            {description}
          </p>
        )}
        <Problem id={id} text={problem} />
      </div>
    </div>
  );
}

function Problem({ id, text }: { id: string; text: string | undefined }): ReactElement | null {
  if (text === undefined) return null;
  return (
    <p id={`${id}-error`} className="request-problem">
      {text}
    </p>
  );
}

function problemOf(
  id: string,
  problem: string | undefined,
  hasHint = false,
): { 'aria-invalid': boolean; 'aria-describedby': string | undefined } {
  const described = [...(hasHint ? [`${id}-hint`] : []), ...(problem === undefined ? [] : [`${id}-error`])];
  return { 'aria-invalid': problem !== undefined, 'aria-describedby': described.join(' ') || undefined };
}
