import { readConfig } from '../cli/config.ts'
import { startServer } from '../cli/server.ts'

/**
 * Starts one server for all workers of a test runner, before the first test: the module is what
 * `globalSetup` of Vitest, Jest and Playwright takes. Workers find the server by `connect()` of
 * `infra-understudy/client`, and clients that they start in the variables of the default world. The
 * variables of the command (`UNDERSTUDY_DIALECT`, `UNDERSTUDY_FIXTURES` …) say how it is set up;
 * without `UNDERSTUDY_PORT` it takes a free port, and it logs nothing without `UNDERSTUDY_LOG_LEVEL`.
 *
 * @returns what ends the server, for Vitest and Playwright; Jest's `globalTeardown` is a module of its own
 * @throws {ConfigError} for variables that the command would not take
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
