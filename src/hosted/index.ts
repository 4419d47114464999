/** The script of the pages of hosted flows. It mounts the page of contract §14 and ignores any other document. */
import { mountHostedPage } from './page.ts';

mountHostedPage(document);
