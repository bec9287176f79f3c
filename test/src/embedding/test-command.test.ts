import { describe, expect, test } from 'vitest'
import { equivalentFlags, testCommand } from '../../../src/embedding/test-command.ts'

const here = (path: string) => `${process.cwd()}/${path}`

describe('behaviour/program#traces: the command of a test', () => {
  test('is that of the process; a worker knows only the npm script', () => {
    const env = { npm_lifecycle_script: 'vitest run' }
    const execArgv = ['--import', 'tsx']
    expect(testCommand({ argv: ['/bin/node', here('a.test.ts'), 'x'], execArgv, env })).toEqual([
      ...['node', '--import', 'tsx', 'a.test.ts', 'x'],
    ])
    const worker = ['/bin/node', here('node_modules/vitest/dist/workers/forks.js')]
    expect(testCommand({ argv: worker, execArgv, env })).toEqual(['vitest run'])
    expect(testCommand({ argv: worker, execArgv, env: {} })).toEqual([])
  })

  test('has the options of the server as flags, without secrets', () => {
    const flags = equivalentFlags({
      acl: true,
      rateLimit: false,
      port: 0,
      clock: 'frozen@2026-01-01T00:00:00Z',
      seed: 'a-seed',
      rootToken: 'a-token',
      controlToken: undefined,
      defaultWorld: false,
      fixtures: {},
      options: { mesh: { initialManagementToken: 'a-secret', datacenter: 'dc2' } },
    })
    expect(flags).toEqual([
      '--acl',
      '--no-rate-limit',
      '--port=0',
      '--clock=frozen@2026-01-01T00:00:00Z',
      '--seed=(hidden)',
      '--root-token=(hidden)',
      '--default-world=off',
      '--options={"mesh":{"initialManagementToken":"(hidden)","datacenter":"dc2"}}',
    ])
  })
})
