/** The frame of what is open over a screen. */
import { useEffect, useId, useRef, type ComponentProps, type ReactNode } from 'react';
import { printable } from '../kernel/text/terminal-text.ts';
import type { Notice, Overlay, Pointed, State } from '../tui/state/model.ts';

export interface DialogProps {
  readonly state: State;
  readonly act: (act: Pointed) => void;
  readonly press: (key: string) => void;
  readonly copySecret: (text: string, what: string) => void;
}

export interface DialogOf<Kind extends Overlay['kind']> extends DialogProps {
  readonly overlay: Extract<Overlay, { kind: Kind }>;
}

interface DialogFrame {
  readonly title: string;
  readonly about?: string | undefined;
  readonly isAlert?: boolean;
  readonly className?: string;
  /** What the foot of the page says is hidden below a dialog. */
  readonly notice?: Notice | undefined;
  /** For one without a button of its own: a phone has no escape key. */
  readonly hasClose?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Takes the focus until it closes, and gives it back. */
export function Dialog({
  title,
  about,
  isAlert = false,
  className = '',
  notice,
  hasClose = false,
  onClose,
  children,
}: DialogFrame): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    if (shown !== null && !shown.open) shown.showModal();
    // A dialog that is longer than the window begins with its title, wherever the focus is.
    shown?.scrollTo(0, 0);
    return () => {
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      role={isAlert ? 'alertdialog' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => {
        // A key that is held in a form must not confirm the question after it.
        if (event.repeat && event.key === 'Enter') event.preventDefault();
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>
        {printable(title)}
        {about !== undefined && <span className="about">{printable(about)}</span>}
      </h2>
      {children}
      {notice !== undefined && (notice.tone === 'warn' || notice.tone === 'bad') && (
        <Problem text={notice.text} />
      )}
      {hasClose && (
        <div className="buttons">
          <Button onClick={onClose}>Close</Button>
        </div>
      )}
    </dialog>
  );
}

/** A menu: it closes with escape, and when the focus goes elsewhere. */
export function Popup(props: ComponentProps<'details'>): ReactNode {
  return (
    <details
      {...props}
      onKeyDown={(event) => {
        const { currentTarget: details } = event;
        if (event.key !== 'Escape' || !details.open) return;
        event.preventDefault();
        event.stopPropagation();
        details.open = false;
        details.querySelector('summary')?.focus();
      }}
      onBlur={({ currentTarget: details, relatedTarget }) => {
        // A press on a label or on the frame moves the focus to nothing, or to what is around: the menu stays open.
        const isElsewhere = relatedTarget !== null && !details.contains(relatedTarget);
        if (isElsewhere && !relatedTarget.contains(details)) details.open = false;
      }}
    />
  );
}

/** A button that sends no form. */
export function Button(props: ComponentProps<'button'>): ReactNode {
  return <button type="button" {...props} />;
}

export function Problem({ text }: { readonly text: string }): ReactNode {
  return (
    <p className="problem" role="alert">
      {printable(text)}
    </p>
  );
}
