import { readConfig } from '../cli/config.ts'
import { startServer } from '../cli/server.ts'

/**
 * Starts one server for all workers of a test runner, before the first test. This module is a
 * `globalSetup` of Vitest, Jest and Playwright. Workers reach the server with `connect()` of
 * `infra-understudy/client`; their child processes find the default world by its variables. The
 * variables of the command (`UNDERSTUDY_DIALECT`, `UNDERSTUDY_FIXTURES` …) configure it. Without
 * `UNDERSTUDY_PORT` it takes a free port; without `UNDERSTUDY_LOG_LEVEL` it logs nothing.
 *
 * @returns a function that stops the server, for Vitest and Playwright; Jest has a separate
 * `globalTeardown`
 * @throws {ConfigError} for variables that the command would reject
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const { UNDERSTUDY_PORT = '0', UNDERSTUDY_LOG_LEVEL = 'silent' } = process.env
  const config = await readConfig([], {
    ...process.env,
    UNDERSTUDY_PORT,
    UNDERSTUDY_LOG_LEVEL,
    UNDERSTUDY_ALLOW_SHUTDOWN: '1',
  })
  if (!('command' in config)) throw new Error('no command takes no flags')
  const server = await startServer(config)
  Object.assign(process.env, server.env)
  return () => server.close()
}
