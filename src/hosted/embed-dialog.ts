/** The browser's modal dialog: the rest of the page is inert, so that focus stays inside. */
export interface DialogOptions {
  readonly title: string;
  readonly closeLabel: string;
  /** In the middle of the page, or at its right edge. */
  readonly variant: 'modal' | 'drawer';
  /** The person closes it. */
  readonly cancel: () => void;
}

const DIALOG = {
  width: '100vw',
  height: '100vh',
  maxWidth: 'none',
  maxHeight: 'none',
  margin: '0',
  padding: '0',
  border: '0',
  background: 'rgba(0, 0, 0, .55)',
  boxSizing: 'border-box',
  display: 'grid',
  gridTemplateRows: 'auto minmax(0, 1fr)',
};
const BUTTON = {
  justifySelf: 'end',
  margin: '8px',
  padding: '10px 16px',
  minHeight: '44px',
  border: '0',
  borderRadius: '8px',
  background: '#ffffff',
  color: '#1b201d',
  font: 'inherit',
  cursor: 'pointer',
};
const CONTENT = {
  modal: { width: 'min(100%, 34rem)', maxHeight: '52rem', borderRadius: '12px', justifySelf: 'center' },
  drawer: { width: 'min(100%, 30rem)', maxHeight: 'none', borderRadius: '12px 0 0 0', justifySelf: 'end' },
};

/** Shows the content over the page; the result removes it. Focus returns to where it was. */
export function openDialog(content: HTMLElement, options: DialogOptions): () => void {
  const { cancel } = options;
  const before = document.activeElement;
  // A sheet for each dialog, so that the page scrolls again after the last one, in whatever order they are closed.
  const stillness = new CSSStyleSheet();
  stillness.replaceSync(':root { overflow: hidden !important }');
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', options.title);
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = options.closeLabel;
  Object.assign(dialog.style, DIALOG);
  Object.assign(button.style, BUTTON);
  Object.assign(content.style, { height: '100%', ...CONTENT[options.variant] });
  button.addEventListener('click', cancel);
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    cancel();
  });
  // Covers removal by a script, and the browser closing it at a second Escape.
  dialog.addEventListener('close', cancel);
  dialog.append(button, content);
  document.body.append(dialog);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, stillness];
  dialog.showModal();
  content.focus();
  return () => {
    dialog.removeEventListener('close', cancel);
    dialog.close();
    dialog.remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== stillness);
    if (before instanceof HTMLElement) before.focus();
  };
}
