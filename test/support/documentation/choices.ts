import { readFileSync } from 'node:fs'
import { choicesDocument, parseChoices } from '../../../routes/control/choices.ts'
import { readDocument } from '../files.ts'
import { sources } from './rules.ts'

/** The named choices by API, and those of the process. */
export const choicesBy = parseChoices(readDocument(choicesDocument))

/** How a test says, in a title or a comment above it, which choice it shows: `choice/mesh#body-content-type`. */
const choiceMark = /\bchoice\/([a-z]+#[a-z0-9-]+)/g

/** The choices that tests show. */
export function shownChoices(): ReadonlySet<string> {
  const files = sources('test').filter((name) => name.endsWith('.test.ts'))
  const marks = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(choiceMark)])
  return new Set(marks.map(([, choice = '']) => choice))
}
