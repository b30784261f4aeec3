// The documentation as a site of static files, in `site/`: `npm run site`. Pages of docs/, the API from the types, and the explorer
// with the examples. Ends with an error where a link leads nowhere.

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { npm, prepare, root, run } from './steps.mjs';

const site = join(root, 'site');

/** @param {string} folder @returns {string[]} */
const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

/** Names that links can point to. @param {string} html */
const anchorsOf = (html) => new Set(Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id]) => id));

/** Links that lead nowhere, each with its page. */
function brokenLinks() {
  const pages = filesBelow(site).filter((path) => path.endsWith('.html') && !path.startsWith(join(site, 'explore')));
  /** @type {Map<string, Set<string>>} */
  const anchors = new Map(pages.map((path) => [path, anchorsOf(readFileSync(path, 'utf8'))]));
  return pages.flatMap((page) => {
    const links = readFileSync(page, 'utf8').matchAll(/\s(?:href|src)="([^"]+)"/g);
    return Array.from(links, ([, link]) => link.replaceAll('&amp;', '&'))
      .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link))
      .filter((link) => {
        const [path, anchor = ''] = link.split('#').map(decodeURIComponent);
        const target = path === '' ? page : resolve(dirname(page), path);
        if (!existsSync(target)) return true;
        const known = anchors.get(target);
        return anchor !== '' && known !== undefined && !known.has(anchor);
      })
      .map((link) => `${relative(site, page)}: ${link}`);
  });
}

await prepare();
rmSync(site, { recursive: true, force: true });
const main = join(root, 'dist', 'src', 'cli', 'main.js');
for (const step of [
  () => npm(['exec', '--', 'typedoc', '--treatWarningsAsErrors'], 'stderr'),
  () => run(process.execPath, [main, 'explore', '--export', join(site, 'explore')], 'stderr'),
]) {
  const { code } = await step();
  if (code !== 0) process.exit(code);
}
const broken = [...new Set(brokenLinks())];
for (const link of broken) console.error(`leads nowhere: ${link}`);
if (broken.length > 0) process.exit(1);
console.log(
  `site: ${filesBelow(site).length} files in ${relative(process.cwd(), site)}; open index.html by any web server`,
);
