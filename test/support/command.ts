import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { apiNames } from '../../src/api-names.ts'

const built = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url))

/** True if the command under test is another program, such as `dist/executable/understudy`. */
export const isOtherProgram = process.env['UNDERSTUDY_COMMAND'] !== undefined

/**
 * Program under test with its first arguments: the command that `npm test` builds, or the program
 * that `UNDERSTUDY_COMMAND` names.
 */
export const command: readonly [string, ...string[]] =
  process.env['UNDERSTUDY_COMMAND'] === undefined
    ? [process.execPath, built]
    : [resolve(process.env['UNDERSTUDY_COMMAND'])]

/**
 * Returns the URL of a built module of the package, quoted for an import in a program's source. A
 * process loads the built module faster than the sources, which would have to be compiled.
 */
export const builtModule = (name: string): string =>
  JSON.stringify(new URL(`../../dist/src/${name}.js`, import.meta.url).href)

type Variables = Readonly<Record<string, string>>

/** Result of a process that has ended; `code` is null if a signal ended it. */
interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Names of the listeners in a ready line, in order. */
const listenerNames = [...apiNames, 'control'] as const

/** Origins in a ready line (behaviour/program#command). */
type ReadyOrigins = Readonly<Record<(typeof listenerNames)[number], string>>

/** Server that has printed its ready line. */
interface StartedServer {
  readonly readyLine: string
  readonly origins: ReadyOrigins
  /** Sends signals one right after the other, and waits until the process ends. */
  stop(...signals: NodeJS.Signals[]): Promise<CommandResult>
  /** Result of the process, once it has ended. */
  readonly ended: Promise<CommandResult>
}

/** Runs the command and waits for its end. */
export function run(argv: readonly string[], variables: Variables = {}): Promise<CommandResult> {
  return launch(argv, variables).ended
}

/** Starts the command; `line` resolves to the first line of its standard output. */
export function startCommand(argv: readonly string[], variables: Variables = {}) {
  const { child, ended } = launch(argv, variables)
  return {
    line: firstLine(child),
    /** Waits until standard error contains a text. */
    waitForStderr: (text: string) => until(child, text),
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  }
}

/**
 * Starts a server, which is killed at the end of the test if it still runs. Throws if the command
 * ends before it is ready, or if its ready line does not name every listener.
 */
export async function start(
  argv: readonly string[] = ['--port=0'],
  variables: Variables = {},
): Promise<StartedServer> {
  const { child, ended } = launch(argv, variables)
  const readyLine = await Promise.race([readyLineOf(child), ended.then(failStart)])
  return {
    readyLine,
    origins: originsOf(readyLine),
    ended,
    stop: (...signals) => {
      for (const signal of signals) child.kill(signal)
      return ended
    },
  }
}

function launch(argv: readonly string[], variables: Variables) {
  // The environment is limited, because variables of the machine must not configure the server
  // under test.
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables }
  const [program, ...firstArguments] = command
  const child = spawn(program, [...firstArguments, ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk
  })
  // `close` follows after all output has arrived, unlike `exit`.
  const ended = once(child, 'close').then(([code]): CommandResult => ({ code, stdout, stderr }))
  return { child, ended }
}

function firstLine({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    stdout?.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
  })
}

/** Returns the ready line. A development server prints its own lines before the ready line. */
function readyLineOf({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    stdout?.on('data', (chunk) => {
      text += chunk
      const [line] = /^Ready\. .*(?=\n)/m.exec(text) ?? []
      if (line !== undefined) resolve(line)
    })
  })
}

function until({ stderr }: ChildProcess, expected: string): Promise<void> {
  return new Promise((resolve) => {
    let text = ''
    stderr?.on('data', (chunk) => {
      text += chunk
      if (text.includes(expected)) resolve()
    })
  })
}

function failStart({ code, stderr }: CommandResult): never {
  throw new Error(`the command ended with code ${code} before it was ready: ${stderr}`)
}

const readyPattern = new RegExp(
  `^Ready\\. ${listenerNames.map((name) => `${name}=(\\S+)`).join(' ')}/_mock$`,
)

function originsOf(readyLine: string): ReadyOrigins {
  const [, ...origins] = readyPattern.exec(readyLine) ?? []
  if (origins.length === 0) throw new Error(`not the form of a ready line: ${readyLine}`)
  // The type is safe because the pattern has one group for each name.
  return Object.fromEntries(listenerNames.map((name, at) => [name, origins[at]])) as ReadyOrigins
}
