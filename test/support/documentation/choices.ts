import { readFileSync } from 'node:fs'
import { choicesDocument, parseChoices } from '../../../routes/control/choices.ts'
import { readDocument } from '../files.ts'
import { sources } from './rules.ts'

/** Named choices by API, and those of the process. */
export const choicesByApi = parseChoices(readDocument(choicesDocument))

/** Citation of a choice in a title or a comment of a test: `choice/mesh#body-content-type`. */
const choiceMark = /\bchoice\/([a-z]+#[a-z0-9-]+)/g

/** Returns the choices that `.test.ts` files cite, as `mesh#body-content-type`. */
export function shownChoices(): ReadonlySet<string> {
  const files = sources('test').filter((name) => name.endsWith('.test.ts'))
  const marks = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(choiceMark)])
  return new Set(marks.map(([, choice = '']) => choice))
}
