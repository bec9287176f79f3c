import { readConfig } from '../cli/config.ts'
import { apiPortNames, flags, variableOf } from '../cli/flags/flags.ts'
import { startServer } from '../cli/server.ts'
import { hiddenVariablesLine, isolatedEnvironment } from '../client-environment.ts'

/**
 * Starts one server for all workers of a test runner, before the first test. This module is a
 * `globalSetup` of Vitest, Jest and Playwright. Workers reach the server with `connect()` of
 * `infra-understudy/client`; their child processes find the default world by its variables.
 * Variables of this process by which clients might find another server are removed, and one line on
 * standard error names them. The variables of the command (`UNDERSTUDY_FIXTURES` …) configure the
 * server. By default, the server speaks the vendor dialect, uses free ports, and logs nothing.
 *
 * @returns a function that stops the server, for Vitest and Playwright; Jest has a separate
 * `globalTeardown`
 * @throws {ConfigError} for variables that the command would reject
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const config = await readConfig([], {
    ...Object.fromEntries(apiPortNames.map((name) => [variableOf(flags[name]), '0'])),
    UNDERSTUDY_PORT: '0',
    UNDERSTUDY_LOG_LEVEL: 'silent',
    UNDERSTUDY_DIALECT: 'vendor',
    ...process.env,
    UNDERSTUDY_ALLOW_SHUTDOWN: '1',
  })
  if (!('command' in config)) throw new Error('no command takes no flags')
  const server = await startServer(config)
  // Workers inherit this environment, and must not find another server in it.
  const isolated = isolatedEnvironment(process.env, server.env)
  const line = hiddenVariablesLine(isolated)
  if (line !== undefined) process.stderr.write(line)
  for (const name of isolated.hidden) delete process.env[name]
  Object.assign(process.env, isolated.env)
  return () => server.close()
}
