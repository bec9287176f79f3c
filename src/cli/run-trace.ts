import { setAlarm } from '../../state/kernel/time.ts'
import { ConfigError, reasonOf } from '../config-error.ts'
import { TraceFile, TraceFileError } from '../trace-file.ts'
import { isTraceWord, traceVariable } from '../trace-setting.ts'
import type { Config, ProcessVariables } from './config.ts'
import { flags, variableOf } from './flags/flags.ts'

/** Part of a started server that a trace needs. */
export interface TracedServer {
  /**
   * Returns the trace of the run as an HTML page. Requests after the call are not part of the
   * trace.
   *
   * @param exitCode code of the command that ran; null for a server without a command
   */
  tracePage(exitCode: number | null): Promise<string>
}

/** Milliseconds after which a process ends without its trace. */
const writeTimeout = 8000

/**
 * Removes the trace file of an earlier run. Returns the file for the trace of this run; undefined
 * if the run has no trace (behaviour/program#traces).
 *
 * @throws {ConfigError} for a path that cannot be a file, and for `--trace-values` without
 *   `--trace`
 */
export function prepareTrace(config: Pick<Config, 'trace' | 'traceValues'>): TraceFile | undefined {
  const { trace, traceValues } = config
  if (trace === undefined) {
    if (!traceValues) return undefined
    throw new ConfigError(
      `--${flags.traceValues.name} needs --${flags.trace.name}, the file of the trace`,
    )
  }
  const file = new TraceFile(trace, traceValues)
  file.prepare(`--${flags.trace.name}`)
  return file
}

/**
 * Writes the trace of a run that ends. If writing fails or takes too long, no part of the file
 * remains.
 *
 * @returns one line about the result, and whether the file was written
 */
export async function writeTrace(
  server: TracedServer,
  file: TraceFile,
  exitCode: number | null,
): Promise<{ readonly line: string; readonly isWritten: boolean }> {
  let alarm: ReturnType<typeof setAlarm> | undefined
  const timeout = new Promise<never>((_, reject) => {
    const reason = `cannot write the trace ${file.path} (it took longer than ${writeTimeout} ms)`
    alarm = setAlarm(writeTimeout, () => reject(new TraceFileError(reason)), true)
  })
  const writing = server.tracePage(exitCode).then((page) => file.write(page))
  try {
    await Promise.race([writing, timeout])
    return { line: `understudy: trace: ${file.path}\n`, isWritten: true }
  } catch (error) {
    file.abandon()
    writing.catch(() => {})
    return { line: `understudy: ${failureLine(error, file)}\n`, isWritten: false }
  } finally {
    alarm?.cancel()
  }
}

function failureLine(error: unknown, { path }: TraceFile): string {
  if (error instanceof TraceFileError) return error.message
  return `cannot write the trace ${path} (${reasonOf(error)})`
}

/**
 * Returns the environment for a command, without the variables that request a trace file: the file
 * belongs to this run only. If the variable holds a condition such as `on-failure`, returns the
 * environment unchanged, because test fixtures in the command read this condition.
 */
export function withoutTraceFile(environment: ProcessVariables): ProcessVariables {
  const { [traceVariable]: trace, [variableOf(flags.traceValues)]: _, ...others } = environment
  if (trace === undefined || trace === '') return environment
  return isTraceWord(trace) ? environment : others
}
