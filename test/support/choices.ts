import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { processChoices } from '../../routes/control/choices.ts'
import type { Choice } from '../../routes/http/coverage.ts'
import { meshChoices } from '../../routes/mesh/choices.ts'
import { platformChoices } from '../../routes/platform/choices.ts'
import { schedulerChoices } from '../../routes/scheduler/choices.ts'
import { secretsChoices } from '../../routes/secrets/choices/choices.ts'
import { fileOf } from './files.ts'
import { sources } from './rules.ts'

/** The named choices by who makes them. */
export const choicesBy: Readonly<Record<string, readonly Choice[]>> = {
  secrets: secretsChoices,
  platform: platformChoices,
  mesh: meshChoices,
  scheduler: schedulerChoices,
  process: processChoices,
}

/** How a test says, in a title or a comment above it, which choice it shows: `choice/mesh#body-content-type`. */
const choiceMark = /\bchoice\/([a-z]+#[a-z0-9-]+)/g

/** The choices that tests show, and the first test file that does, from the top of the project. */
export function testsByChoice(): ReadonlyMap<string, string> {
  const testByChoice = new Map<string, string>()
  for (const file of sources('test')
    .filter((name) => name.endsWith('.test.ts'))
    .sort()) {
    for (const [, choice = ''] of readFileSync(file, 'utf8').matchAll(choiceMark)) {
      if (!testByChoice.has(choice)) testByChoice.set(choice, relative(fileOf('.'), file))
    }
  }
  return testByChoice
}
