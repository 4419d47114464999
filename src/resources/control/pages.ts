/** What a browser or a generator of clients loads: OpenAPI, the docs page, the form page (contract §11, §14). */
import type { EndpointKey } from '../../contract/registry.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { LiveSettings } from '../settings/index.ts';
import type { Instance } from './instance.ts';

type PageKeys = Extract<EndpointKey, `GET /_kyclone/${'openapi.json' | 'docs' | 'form' | 'form.js'}`>;

/** Each page is loaded when somebody asks for it: a start need not pay for it. */
export function pageHandlers(context: {
  readonly instance: Instance;
  readonly settings: LiveSettings;
  /** The browser script of the form page. */
  readonly formScript: () => Promise<string>;
}): Handlers<PageKeys> {
  const { instance, settings, formScript } = context;

  async function openApi() {
    const { openApiDocument } = await import('../../contract/openapi.ts');
    const { vocabulary } = settings.current;
    return openApiDocument({ vocabulary, version: instance.version, baseUrl: instance.url });
  }

  return {
    'GET /_kyclone/openapi.json': async () => answer(await openApi()),
    'GET /_kyclone/docs': async () => {
      const { docsPage, DOCS_PAGE_POLICY } = await import('../../contract/docs-page.ts');
      const { docsReference } = await import('./docs-reference.ts');
      const page = docsPage(await openApi(), docsReference(settings.current.vocabulary));
      return answer(page, { 'content-security-policy': DOCS_PAGE_POLICY });
    },
    'GET /_kyclone/form': async () => {
      const { formPage, FORM_PAGE_POLICY } = await import('../../contract/form-page.ts');
      return answer(formPage(), { 'content-security-policy': FORM_PAGE_POLICY });
    },
    'GET /_kyclone/form.js': async () => answer(await formScript()),
  };
}
