#!/usr/bin/env node
import { codeOf, configErrorCode, ProductCallError, reasonOf } from '../config-error.ts'
import { packageInfo } from '../version.ts'
import { type Config, readConfig } from './config.ts'
import type { StartLines } from './development-server.ts'
import { flags } from './flags/flags.ts'
import { helpText } from './help.ts'
import { removeOutputFile, writeOutputFile } from './output-file.ts'
import { endWithParent } from './parent-process.ts'
import { prepareTrace, writeTrace } from './run-trace.ts'
import { endOnSignals } from './signals.ts'

/** Part of a started server that the command needs. */
interface StartedServer {
  /** Document of `GET /_mock/info`. */
  readonly info: unknown
  /** Root token of the secrets API; empty before the initialization. */
  readonly rootToken: string
  readonly readyLine: string
  productLines(startLines: StartLines): readonly string[]
  banner(): string
  tracePage(exitCode: number | null): Promise<string>
  close(): Promise<void>
}

/**
 * Codes of errors that the user's flags, variables or fixtures cause; such errors end the command
 * with exit code 2. The codes of the operating system in this set are about addresses to listen on.
 */
const usageErrorCodes: ReadonlySet<string> = new Set([
  configErrorCode,
  'EADDRINUSE',
  'EADDRNOTAVAIL',
  'EACCES',
  'ENOTFOUND',
  'EAI_AGAIN',
])

// The executable file is bundled as CommonJS, which has no top-level `await`.
main().catch((error: unknown) => {
  const prefix = error instanceof ProductCallError ? '' : 'understudy: '
  for (const line of errorLines(error)) process.stderr.write(`${prefix}${line}\n`)
  process.exit(usageErrorCodes.has(codeOf(error) ?? '') ? 2 : 1)
})

async function main(): Promise<void> {
  // A reader such as `head` may close standard output early. The error is ignored, so that a server
  // continues.
  process.stdout.on('error', () => {})
  const argv = process.argv.slice(2)
  if (argv[0] === 'as') return runProductCommand(argv.slice(1))
  const invocation = await readConfig(argv, process.env)
  if ('help' in invocation) {
    process.stdout.write(`${helpText(invocation.help)}\n`)
  } else if ('version' in invocation) {
    process.stdout.write(`${packageInfo().version}\n`)
  } else {
    for (const line of invocation.warnings) process.stderr.write(`understudy: warning: ${line}\n`)
    await runCommand(invocation)
  }
}

/**
 * Runs a product's command, writes its output and sets the exit code. The arguments are not parsed
 * as flags of this program.
 */
async function runProductCommand(argv: readonly string[]): Promise<void> {
  const { runAs } = await import('./as/run-as.ts')
  const result = await runAs(argv, process.env)
  if ('text' in result) process.stdout.write(result.text)
  else process.stderr.write(`${result.line}\n`)
  process.exitCode = result.code
}

async function runCommand(invocation: Config): Promise<void> {
  if (invocation.command === 'healthcheck') {
    const { healthcheck } = await import('./healthcheck.ts')
    const health = await healthcheck(invocation)
    if (health.code !== 0) process.stderr.write(`${health.line}\n`)
    process.exitCode = health.code
  } else if (invocation.command === 'env') {
    const { printEnvironment } = await import('./env.ts')
    const printed = await printEnvironment(invocation, process.env)
    if (printed.code === 0) process.stdout.write(printed.text)
    else process.stderr.write(`${printed.line}\n`)
    process.exitCode = printed.code
  } else if (invocation.command === 'trace') {
    const { readTraceFile } = await import('./trace/read-trace-file.ts')
    process.stdout.write(readTraceFile(invocation, process.env))
  } else if (invocation.command === 'validate') {
    const { checkFixtures } = await import('./validate/validate-fixtures.ts')
    const { fixtureProblems } = await import('./server.ts')
    const { mistakes, failures } = checkFixtures(invocation.files, (fixtures) =>
      fixtureProblems(invocation, fixtures),
    )
    for (const line of mistakes) process.stdout.write(`${line}\n`)
    for (const line of failures) process.stderr.write(`understudy: ${line}\n`)
    if (mistakes.length > 0) process.exitCode = 1
    if (failures.length > 0) process.exitCode = 2
  } else if (invocation.command === 'capture') {
    const { capture } = await import('./capture/capture.ts')
    const { fixtureProblems } = await import('./server.ts')
    const captured = await capture(invocation, (fixtures) => fixtureProblems(invocation, fixtures))
    if (captured.code === 0) process.stdout.write(captured.text)
    else process.stderr.write(`${captured.line}\n`)
    process.exitCode = captured.code
  } else if (invocation.command === 'exec') {
    const { execute } = await import('./exec.ts')
    const argv = process.argv.slice(2)
    // The bundled command resolves `./server.ts` to the built program (scripts/bundle.ts), so the
    // commands receive this function and do not import the module themselves.
    const startServer = async (config: Config) =>
      (await import('./server.ts')).startServer(config, { argv })
    process.exit(await execute(invocation, process, startServer))
  } else if (invocation.command === 'rehearse') {
    const { rehearse } = await import('./rehearse/rehearse.ts')
    const startServer = async (config: Config) => (await import('./server.ts')).startServer(config)
    process.exit(await rehearse(invocation, process, startServer))
  } else if (invocation.command === 'compare') {
    const { compare, startServer } = await import('./server.ts')
    process.exit(await compare(invocation, process, startServer))
  } else {
    await start(invocation)
  }
}

async function start(config: Config): Promise<void> {
  let server: StartedServer | undefined
  const trace = prepareTrace(config)
  const write = async () => {
    if (server === undefined || trace === undefined) return true
    const { line, isWritten } = await writeTrace(server, trace, null)
    process.stderr.write(line)
    return isWritten
  }
  // The signal handlers are installed before anything is loaded, because the first process of a
  // container ignores signals without a handler.
  const end = endOnSignals(
    process,
    async () => await server?.close(),
    trace === undefined ? undefined : { write, abandon: () => trace.abandon() },
  )
  if (config.endWithParent) endWithParent(process, end)
  const { readyFile, tokenFile } = config
  // A process that waits for the ready file must not find the file of an earlier run.
  if (readyFile !== undefined) removeOutputFile(flags.readyFile, readyFile)
  if (tokenFile !== undefined) removeOutputFile(flags.tokenFile, tokenFile)
  const { startServer } = await import('./server.ts')
  const started: StartedServer = await startServer(config, {
    argv: process.argv.slice(2),
    onShutdown: trace === undefined ? undefined : end,
  })
  server = started
  if (tokenFile !== undefined) writeOutputFile(flags.tokenFile, tokenFile, started.rootToken)
  if (readyFile !== undefined) {
    writeOutputFile(flags.readyFile, readyFile, `${JSON.stringify(started.info, null, 2)}\n`)
  }
  const lines = [
    ...(config.startLines === undefined ? [] : started.productLines(config.startLines)),
    started.readyLine,
    ...config.announcements,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  if (process.stderr.isTTY === true) process.stderr.write(started.banner())
}

/** Formats an error as one line or, on a terminal, as one line per problem. */
function errorLines(error: unknown): readonly string[] {
  const lines = error instanceof Error && 'lines' in error ? error.lines : []
  const shownLines = process.stderr.isTTY === true ? (lines as readonly string[]) : []
  return shownLines.length > 0 ? shownLines : [errorMessage(error)]
}

function errorMessage(error: unknown): string {
  if (codeOf(error) === 'EADDRINUSE' && error instanceof Error && 'port' in error) {
    return `port ${error.port} is already in use; choose another one, or 0 for any free one`
  }
  return reasonOf(error)
}
