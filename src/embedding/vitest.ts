import { test as base, expect } from 'vitest'
import type { Environment } from '../../routes/control/worlds/environment.ts'
import { concludeTest, type Dump, type Verify } from './conclude-test.ts'
import { matchers, type WorldMatchers } from './matchers.ts'
import { endWorld, requireServed, type ServedWorld } from './test-world.ts'
import { createUnderstudy, type Understudy } from './understudy.ts'
import type { UnderstudyOptions } from './understudy-options.ts'

export type { Dump, Verify } from './conclude-test.ts'
export { matchers, type WorldMatchers } from './matchers.ts'
export type { ServedWorld } from './test-world.ts'

declare module 'vitest' {
  interface Matchers<T> extends WorldMatchers {}
}

expect.extend(matchers)

/** Fixtures of tests with `infra-understudy/vitest`. */
interface UnderstudyFixtures {
  /** Options of the server; `test.extend` overrides them. The dialect is `vendor` by default. */
  readonly understudyOptions: UnderstudyOptions
  /** Requests that tests must not make: `test.extend({ verify: { unmatched: 'fail' } })`. */
  readonly verify: Verify
  /**
   * Condition on which a test writes its refused and unmatched requests with their reasons, and the
   * changes of its world, to standard error. Default: `on-failure`.
   */
  readonly dump: Dump
  /** Listening server of the worker. */
  readonly understudy: Understudy
  /** Fresh world for each test, deleted after it. */
  readonly world: ServedWorld
  /** Variables with which clients find that world (behaviour/program#commands). */
  readonly env: Environment
}

/**
 * Vitest's `test` with a server for each worker and a world for each test.
 *
 * @example
 * ```ts
 * import { test } from 'infra-understudy/vitest'
 *
 * test('starts without secrets', async ({ world, expect }) => {
 *   const headers = { 'X-Vault-Token': 'root' }
 *   const reply = await fetch(`${world.url}/v1/secret/metadata?list=true`, { headers })
 *   expect(reply.status).toBe(404)
 * })
 * ```
 */
export const test = base.extend<UnderstudyFixtures>({
  understudyOptions: [{}, { scope: 'worker' }],
  verify: {},
  dump: 'on-failure',
  understudy: [
    async ({ understudyOptions }, use) => {
      const understudy = await createUnderstudy({ dialect: 'vendor', ...understudyOptions })
      await understudy.listen()
      await use(understudy)
      await understudy.close()
    },
    { scope: 'worker' },
  ],
  world: async ({ understudy, verify, dump, task }, use) => {
    const world = requireServed(await understudy.openWorld())
    await use(world)
    try {
      const write = (text: string) => void process.stderr.write(text)
      const hasFailed = task.result?.state === 'fail'
      concludeTest(world, { name: task.name, verify, dump, write }, hasFailed)
    } finally {
      endWorld(understudy, world)
    }
  },
  env: async ({ world }, use) => {
    await use(world.env())
  },
})
