import { readdirSync, readFileSync } from 'node:fs'
import type { InputJob } from '../../../../state/scheduler/job/job-shape.ts'
import { parseJobFile } from '../../../../state/scheduler/job-file/parse.ts'

const directory = new URL('./files/', import.meta.url)

/** Random UUID of every file in these tests. */
export const UUID = '11111111-2222-4333-8444-555555555555'

/** Returns the text of a file in the folder of job files. */
export function read(name: string): string {
  return readFileSync(new URL(name, directory), 'utf8')
}

/** Names of the job files, without extension. */
export const jobFiles: readonly string[] = readdirSync(directory)
  .filter((name) => name.endsWith('.hcl'))
  .map((name) => name.slice(0, -'.hcl'.length))
  .sort()

/** Names of the files with values of variables, without extension. */
export const variableFiles: ReadonlySet<string> = new Set(
  readdirSync(directory)
    .filter((name) => name.endsWith('.vars'))
    .map((name) => name.slice(0, -'.vars'.length)),
)

/** Parses a job file with the UUID of these tests. */
export function parse(text: string, variables?: string): InputJob {
  return parseJobFile(text, {
    uuid: () => UUID,
    ...(variables !== undefined && { variables }),
  })
}

/** Returns the message of the refusal of a job file. Throws if the file is accepted. */
export function refusal(text: string, variables?: string): string {
  try {
    parse(text, variables)
  } catch (error) {
    if (error instanceof Error && error.name === 'Refusal') return error.message
    throw error
  }
  throw new Error('The text was accepted.')
}

/** A job file that must be refused, with the message of the refusal. */
interface RefusedCase {
  readonly name: string
  readonly text: string
  readonly variables: string | undefined
  readonly message: string
}

const SECTION =
  /^(?<name>[^\n]*)\n(?<text>.*?\n)(?:--- variables\n(?<variables>.*?\n))?---\n(?<message>.*)\n$/s

/**
 * Cases of `refused.txt`: a line `=== name`, the file, optional values of variables, and the
 * message after `---`.
 */
export const refusedCases: readonly RefusedCase[] = read('refused.txt')
  .split(/^=== /m)
  .slice(1)
  .map((section) => {
    const { name = '', text = '', variables, message = '' } = SECTION.exec(section)?.groups ?? {}
    return { name, text, variables, message }
  })
