import { relative } from 'node:path'
import { givenFlags } from '../given-flags.ts'
import type { UnderstudyOptions } from './understudy-options.ts'

/** Part of `process` that identifies the command that runs the tests. */
interface TestProcess {
  readonly argv: readonly string[]
  readonly execArgv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Pattern for the script paths of test runners' worker processes. A worker does not know the
 * command that started the runner.
 */
const workerScript = /[\\/](?:vitest[\\/]dist[\\/]|jest-worker[\\/]|tinypool[\\/])/

/**
 * Returns the command that runs the tests: the command line of this process, or the npm script if
 * this process is a worker. Empty if neither is known.
 */
export function testCommand({ argv, execArgv, env }: TestProcess): readonly string[] {
  const [, script = '', ...words] = argv
  if (script !== '' && !workerScript.test(script)) {
    return ['node', ...execArgv, relativePath(script), ...words]
  }
  const npmScript = env['npm_lifecycle_script'] ?? ''
  return npmScript === '' ? [] : [npmScript]
}

/** Returns a path relative to the working directory. An empty path stays empty. */
export function relativePath(file: string): string {
  return file === '' ? '' : relative(process.cwd(), file) || file
}

/**
 * Returns the flags of the command that are equivalent to the options of an embedded server.
 * Secrets are replaced by `(hidden)`. Options that have no form as text, such as fixtures and
 * functions, are left out.
 */
export function equivalentFlags(options: UnderstudyOptions): readonly string[] {
  const flags = Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    if (name === 'options') return [`${flag}=${JSON.stringify(value)}`]
    if (name === 'defaultWorld') return [`${flag}=${value === false ? 'off' : 'on'}`]
    if (typeof value === 'boolean') return value ? [flag] : [flag.replace('--', '--no-')]
    return ['string', 'number'].includes(typeof value) ? [`${flag}=${value}`] : []
  })
  return givenFlags(flags, false)
}
