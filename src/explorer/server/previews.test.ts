import { expect, it } from 'vitest';
import { previewPage } from './previews.js';

it('previewPage leads on to its run, and lets no name out of its quotes', () => {
  const page = previewPage({ id: 'a.2', title: 'My "run" <b>', description: 'A & B', image: 'a.2.png' });
  expect(page).toContain('<meta http-equiv="refresh" content="0; url=../index.html#run=a.2" />');
  expect(page).toContain('<meta property="og:title" content="My &quot;run&quot; &lt;b&gt;" />');
  expect(page).toContain('content="A &amp; B"');
  expect(page).toContain('<meta property="og:image" content="a.2.png" />');
});
