import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { formatTimestamp, wallClock } from '../../state/kernel/time.ts'
import { reasonOf } from '../config-error.ts'
import { writeNewTrace } from '../trace-file.ts'
import type { TraceCondition } from '../trace-setting.ts'
import type { EmbeddedWorld } from './embedded-world.ts'
import { equivalentFlags, relativePath, testCommand } from './test-command.ts'
import type { Understudy } from './understudy.ts'
import type { UnderstudyOptions } from './understudy-options.ts'

/** Folder of the traces of tests, in the working directory. */
const traceFolder = 'understudy-traces'

export interface TestNames {
  /** Path of the test's file; empty if it is not known. */
  readonly file: string
  /** Title of the test, preceded by the titles of its groups. */
  readonly title: string
  /** Number of earlier attempts. */
  readonly retry?: number
}

export type TestResult =
  | { readonly result: 'passed' }
  | { readonly result: 'failed'; readonly error: unknown }

/** Trace of one test and its world (behaviour/program#traces). */
export class TestTrace {
  readonly #understudy: Understudy
  readonly #condition: TraceCondition
  readonly #names: TestNames
  readonly #options: UnderstudyOptions
  readonly #startedAt = formatTimestamp(wallClock())

  /**
   * Starts the collector unless the condition is `never`. The trace must be created before the
   * world of the test.
   *
   * @param options options of the server, as the test gave them
   */
  constructor(
    understudy: Understudy,
    condition: TraceCondition,
    names: TestNames,
    options: UnderstudyOptions = {},
  ) {
    this.#understudy = understudy
    this.#condition = condition
    this.#names = names
    this.#options = options
    if (condition !== 'never') understudy.traces.collector.start()
  }

  /** Marks the start of the test in its world. */
  begin(world: EmbeddedWorld): void {
    world.mark(`test started: ${this.#names.title}`)
  }

  /**
   * Marks the end of the test, and writes its trace if the condition holds. If the trace cannot be
   * written, only reports the reason.
   *
   * @param write writes text to standard error
   */
  async end(world: EmbeddedWorld, result: TestResult, write: (text: string) => void) {
    const { traces } = this.#understudy
    world.mark(`test ${result.result}: ${this.#names.title}`)
    const isWanted =
      this.#condition === 'always' ||
      (this.#condition === 'on-failure' && result.result === 'failed')
    if (!isWanted) return
    try {
      const page = await traces.page(this.#runDetails(world, result), [world.id])
      const path = await writeNewTrace(resolve(traceFolder), traceName(this.#names), page)
      write(`understudy: trace of ${JSON.stringify(this.#names.title)}:\n${path}\n`)
    } catch (error) {
      write(`understudy: no trace of ${JSON.stringify(this.#names.title)}: ${reasonOf(error)}\n`)
    }
  }

  /** Drops the collected data of a world that was deleted. */
  forget({ id }: EmbeddedWorld): void {
    if (this.#condition !== 'never') this.#understudy.traces.collector.forget(id)
  }

  #runDetails(world: EmbeddedWorld, result: TestResult) {
    const { file, title } = this.#names
    const error = result.result === 'failed' ? describeError(result.error) : undefined
    return {
      startedAt: this.#startedAt,
      command: testCommand(process),
      flags: equivalentFlags(this.#options),
      addresses: addressesOf(this.#understudy, world),
      test: {
        file: relativePath(file),
        title,
        result: result.result,
        ...(error === undefined ? {} : { error }),
      },
    }
  }
}

/**
 * Returns the variables of a world that hold an address; an empty object if the world was deleted.
 */
function addressesOf(understudy: Understudy, world: EmbeddedWorld) {
  if (!understudy.worlds().some(({ id }) => id === world.id)) return {}
  const variables = Object.entries(world.env(undefined, {}))
  return Object.fromEntries(variables.filter(([, value]) => /^https?:/.test(value)))
}

/** Maximum length of the readable part of a name, in bytes. */
const maxNameLength = 120

/**
 * Returns the file name of a test's trace, without extension. The name consists of the file, the
 * title, a digest of the full title and, for a retry, the number of the retry. In file and title,
 * characters other than letters, digits, `.`, `_` and `-` are replaced.
 */
export function traceName({ file, title, retry = 0 }: TestNames): string {
  const readable = `${relativePath(file)}-${title}`
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/-{2,}/g, '-')
    .replace(/^[-.]+/, '')
    .slice(0, maxNameLength)
    .replace(/[-.]+$/, '')
  const digest = createHash('sha256').update(title).digest('hex').slice(0, 8)
  const suffix = retry === 0 ? '' : `-retry${retry}`
  return `${readable === '' ? 'test' : readable}-${digest}${suffix}`
}

/** Maximum length of an error's text, in characters. */
const maxErrorLength = 20_000

/** Returns the text of a thrown value, and the source position of the throw if it is known. */
export function describeError(error: unknown): { text: string; at?: string } {
  const { message, stack } = messageOf(error)
  const text = withoutColors([message, ...causesOf(error)].join(': ')).slice(0, maxErrorLength)
  const at = sourceLocationIn(stack)
  return at === undefined ? { text } : { text, at }
}

function messageOf(error: unknown): { message: string; stack: string } {
  if (typeof error !== 'object' || error === null) return { message: String(error), stack: '' }
  const { message, stack } = error as { message?: unknown; stack?: unknown }
  return {
    message: typeof message === 'string' ? message : String(error),
    stack: typeof stack === 'string' ? stack : '',
  }
}

/** Maximum number of causes of an error that are shown. */
const maxCauses = 3

/** Returns the texts of the errors that caused an error, such as the reason of a failed `fetch`. */
function causesOf(error: unknown): readonly string[] {
  const texts: string[] = []
  let cause = causeOf(error)
  while (cause !== undefined && texts.length < maxCauses) {
    const { message } = messageOf(cause)
    texts.push(message === '' ? String((cause as { code?: unknown }).code ?? '') : message)
    cause = causeOf(cause)
  }
  return texts.filter((text) => text !== '')
}

function causeOf(error: unknown): object | undefined {
  if (typeof error !== 'object' || error === null || !('cause' in error)) return undefined
  return typeof error.cause === 'object' && error.cause !== null ? error.cause : undefined
}

/**
 * Returns `file:line:column` of the first stack frame outside of installed packages; undefined if
 * there is no such frame.
 */
function sourceLocationIn(stack: string): string | undefined {
  for (const line of stack.split('\n')) {
    const [, place] =
      /^\s*at (?:async )?(?:.*\()?((?:file:\/\/|\/|[A-Za-z]:\\|\.)[^()]*:\d+:\d+)\)?$/.exec(line) ??
      []
    if (place === undefined || place.includes('node_modules')) continue
    return relativePath(place.replace(/^file:\/\//, ''))
  }
  return undefined
}

/** Returns a text without the escape sequences that color it on a terminal. */
function withoutColors(text: string): string {
  return text.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g'), '')
}
