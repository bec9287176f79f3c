import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { choicesDocument, parseChoices } from '../../../routes/control/choices.ts'
import { fileOf, readDocument } from '../files.ts'

/** Citation of a rule of docs/behaviour in code, tests and choices, by document and anchor. */
const citation = /\bbehaviour\/([a-z]+#[a-z0-9-]+)/g

/** Names of the documents about behaviour, such as `secrets`. */
export const behaviours: readonly string[] = readdirSync(fileOf('docs/behaviour'))
  .map((name) => name.replace(/\.md$/, ''))
  .sort()

/** Returns every rule with an anchor, in the form of its citations: `secrets#tokens`. */
export function ruleAnchors(): readonly string[] {
  return behaviours.flatMap((api) =>
    [...readDocument(`docs/behaviour/${api}.md`).matchAll(/<a id="([^"]+)">/g)].map(
      ([, anchor]) => `${api}#${anchor}`,
    ),
  )
}

/** Returns the `.ts` files at any depth of a folder. */
export function sources(folder: string): readonly string[] {
  return readdirSync(fileOf(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(fileOf(folder), name))
}

/**
 * Returns every rule that code, a test, a known difference or a choice cites, with the file of one
 * citation.
 */
export function citedRules(): ReadonlyMap<string, string> {
  const cited = new Map<string, string>()
  const files = ['src', 'routes', 'state', 'test'].flatMap(sources)
  for (const file of [...files, fileOf('src/known-differences.json')]) {
    for (const [, rule = ''] of readFileSync(file, 'utf8').matchAll(citation)) cited.set(rule, file)
  }
  for (const { where } of [...parseChoices(readDocument(choicesDocument)).values()].flat()) {
    for (const [, rule = ''] of where.matchAll(citation)) cited.set(rule, choicesDocument)
  }
  return cited
}
