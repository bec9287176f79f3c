import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { Unavailable } from './results.ts'

interface ProcessResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface RunSettings {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /**
   * Time limit in milliseconds; a command that takes longer is killed, and its suite is skipped.
   */
  readonly limit: number
}

/** Runs a command to its end. Rejects with `Unavailable` if it does not exist or takes too long. */
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

/**
 * Runs a preparation step of a suite. Throws `Unavailable`, with the end of its output, if the step
 * fails.
 */
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
