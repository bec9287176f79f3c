import { onTestFinished } from 'vitest'
import { capture } from '../../../src/cli/capture/capture.ts'
import { readConfig } from '../../../src/cli/config.ts'
import { fixtureProblems } from '../../../src/cli/server.ts'
import { createUnderstudy, type UnderstudyOptions } from '../../../src/embedding/index.ts'

/** Starts a server that acts as the real one, in the vendor dialect. */
export async function real(options: UnderstudyOptions) {
  const understudy = await createUnderstudy({
    dialect: 'vendor',
    apiPorts: { secrets: 0, mesh: 0, scheduler: 0 },
    ...options,
  })
  onTestFinished(() => understudy.close())
  await understudy.listen()
  return understudy
}

/** Calls `understudy capture` within this process. */
export async function captured(argv: readonly string[]) {
  const config = await readConfig(['capture', ...argv], {}, false)
  if (!('command' in config)) throw new Error('expected a configuration')
  return capture(config, (fixtures) => fixtureProblems(config, fixtures))
}

/** Returns the fixtures that `understudy capture` prints. */
export async function textOf(argv: readonly string[]): Promise<string> {
  const result = await captured(argv)
  if (result.code !== 0) throw new Error(result.line)
  return result.text
}
