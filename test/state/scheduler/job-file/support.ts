import { readdirSync, readFileSync } from 'node:fs'
import type { InputJob } from '../../../../state/scheduler/job/job-shape.ts'
import { parseJobFile } from '../../../../state/scheduler/job-file/parse.ts'

const directory = new URL('./files/', import.meta.url)

/** What every file of these tests gets as a random UUID. */
export const UUID = '11111111-2222-4333-8444-555555555555'

/** The text of a file beside these tests. */
export function read(name: string): string {
  return readFileSync(new URL(name, directory), 'utf8')
}

/** Names of the job files, without ending. */
export const jobFiles: readonly string[] = readdirSync(directory)
  .filter((name) => name.endsWith('.hcl'))
  .map((name) => name.slice(0, -'.hcl'.length))
  .sort()

/** Names of the files with values of variables, without ending. */
export const variableFiles: ReadonlySet<string> = new Set(
  readdirSync(directory)
    .filter((name) => name.endsWith('.vars'))
    .map((name) => name.slice(0, -'.vars'.length)),
)

/** Parses with the UUID of these tests. */
export function parse(text: string, variables?: string): InputJob {
  return parseJobFile(text, {
    uuid: () => UUID,
    ...(variables !== undefined && { variables }),
  })
}

/** The message of what a text is refused with; throws when it is accepted. */
export function refusal(text: string, variables?: string): string {
  try {
    parse(text, variables)
  } catch (error) {
    if (error instanceof Error && error.name === 'Refusal') return error.message
    throw error
  }
  throw new Error('The text was accepted.')
}

/** A job file that must be refused, with the message. */
interface RefusedCase {
  readonly name: string
  readonly text: string
  readonly variables: string | undefined
  readonly message: string
}

const SECTION =
  /^(?<name>[^\n]*)\n(?<text>.*?\n)(?:--- variables\n(?<variables>.*?\n))?---\n(?<message>.*)\n$/s

/** The cases of `refused.txt`: a line `=== name`, the file, perhaps values, and behind `---` the message. */
export const refusedCases: readonly RefusedCase[] = read('refused.txt')
  .split(/^=== /m)
  .slice(1)
  .map((section) => {
    const { name = '', text = '', variables, message = '' } = SECTION.exec(section)?.groups ?? {}
    return { name, text, variables, message }
  })
