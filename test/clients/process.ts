import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { Unavailable } from './results.ts'

/** The end of a command. */
interface ProcessResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** How a command is run. */
interface RunSettings {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Milliseconds; a command that takes longer is ended, and its part skipped. */
  readonly limit: number
}

/** Runs a command to its end; `Absent` when there is none or it takes too long. */
export function run(
  command: string,
  argv: readonly string[],
  { cwd, env = {}, limit }: RunSettings,
): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const options = {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
      timeout: limit,
      maxBuffer: 64 * 1024 * 1024,
    }
    execFile(command, argv, options, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr })
      else if (error.code === 'ENOENT') reject(new Unavailable(`there is no ${command} here`))
      else if (error.killed)
        reject(new Unavailable(`${basename(command)} took longer than ${limit / 1000} s`))
      else resolve({ code: Number(error.code ?? 1), stdout, stderr })
    })
  })
}

/** Runs what a part needs before its tests; `Absent`, with the last words, when that fails. */
export async function prepare(
  command: string,
  argv: readonly string[],
  settings: RunSettings,
): Promise<ProcessResult> {
  const ended = await run(command, argv, settings)
  if (ended.code === 0) return ended
  const words = ended.stderr.trim().split('\n').at(-1) ?? ''
  throw new Unavailable(`${basename(command)} ${argv.slice(0, 2).join(' ')}: ${words}`)
}
