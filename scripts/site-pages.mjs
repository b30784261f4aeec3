// A plugin of TypeDoc for pages that are files of Markdown: each is called by its first heading, has the address of its file, and
// stands where typedoc.json lists it. Links `site:PATH` lead to a file of the site from every page.

import { relative } from 'node:path';
import { Converter, KindRouter, PageEvent, ParameterReflection, ReflectionKind } from 'typedoc';
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
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => nameParameters(project));
  app.renderer.on(PageEvent.END, (page) => {
    const toRoot = '../'.repeat(page.url.split('/').length - 1);
    page.contents = page.contents?.replaceAll('href="site:', `href="${toRoot}`);
  });

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

/**
 * Parameters that functions take apart have no name in the types: they get that of their type, `run` of `Run` and `options` of
 * `BootstrapOptions`.
 * @param {import('typedoc').ProjectReflection} project
 */
function nameParameters(project) {
  for (const parameter of project.getReflectionsByKind(ReflectionKind.Parameter)) {
    if (!(parameter instanceof ParameterReflection) || parameter.name !== '__namedParameters') continue;
    const name = parameter.type?.type === 'reference' ? parameter.type.name : 'Options';
    parameter.name = name.endsWith('Options') ? 'options' : name[0].toLowerCase() + name.slice(1);
  }
}
