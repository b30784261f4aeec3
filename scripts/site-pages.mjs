// A plugin of TypeDoc for pages that are files of Markdown: each is called by its first heading, has the address of its file, and
// stands where typedoc.json lists it.

import { relative } from 'node:path';
import { Converter, KindRouter } from 'typedoc';
import { root } from './steps.mjs';

/** Paths of the files that pages are made of. @type {Map<import('typedoc').Reflection, string>} */
const files = new Map();

class PagesRouter extends KindRouter {
  /** @override @param {import('typedoc').Reflection} reflection */
  getIdealBaseName(reflection) {
    return files.get(reflection) ?? super.getIdealBaseName(reflection);
  }
}

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.renderer.defineRouter('pages', PagesRouter);
  // After groups are made, which come in the order of the alphabet.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => arrange(project), -1000);

  /** @param {import('typedoc').ProjectReflection} project */
  function arrange(project) {
    const listed = app.options
      .getValue('projectDocuments')
      .map((path) => relative(root, String(path)).replace(/\.md$/, ''));
    // Where typedoc.json lists a whole folder.
    const others = listed.findIndex((path) => path.includes('*'));
    /** @param {import('typedoc').Reflection} page */
    const place = (page) => {
      const index = listed.indexOf(files.get(page) ?? '');
      return index < 0 ? others : index;
    };
    for (const page of project.documents ?? []) {
      files.set(page, page.name);
      const text = page.content.map((part) => part.text).join('');
      page.name = /^# (.+)$/m.exec(text)?.[1].replaceAll('`', '') ?? page.name;
    }
    for (const group of project.groups ?? []) {
      if (group.children.every((child) => files.has(child))) group.children.sort((a, b) => place(a) - place(b));
    }
  }
}
