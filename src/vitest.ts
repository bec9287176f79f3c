import { test as base } from 'vitest'
import type { EmbeddedWorld } from './embedded-world.ts'
import { createUnderstudy, type Understudy } from './understudy.ts'
import type { UnderstudyOptions } from './understudy-options.ts'

/** A world that clients reach through a socket. */
export type ServedWorld = EmbeddedWorld & { readonly url: string }

/** The fixtures that tests of `infra-understudy/vitest` may ask for. */
interface UnderstudyFixtures {
  /** The options of the server; extend `test` with another value to change it. */
  readonly understudyOptions: UnderstudyOptions
  /** One listening server for each worker. */
  readonly understudy: Understudy
  /** A fresh world for each test, deleted after it. */
  readonly world: ServedWorld
}

/**
 * Vitest's `test` with a server for each worker and a world for each test.
 *
 * @example
 * import { test } from 'infra-understudy/vitest'
 * test('starts without secrets', async ({ world, expect }) => {
 *   const reply = await fetch(`${world.url}/v1/secret/metadata?list=true`, {
 *     headers: { 'X-Secrets-Token': 'root' },
 *   })
 *   expect(reply.status).toBe(404)
 * })
 */
export const test = base.extend<UnderstudyFixtures>({
  understudyOptions: [{}, { scope: 'worker' }],
  understudy: [
    async ({ understudyOptions }, use) => {
      const understudy = await createUnderstudy(understudyOptions)
      await understudy.listen()
      await use(understudy)
      await understudy.close()
    },
    { scope: 'worker' },
  ],
  world: async ({ understudy }, use) => {
    const world = understudy.createWorld()
    if (!isServed(world)) throw new Error('the server of the fixture was closed')
    await use(world)
    world.delete()
  },
})

function isServed(world: EmbeddedWorld): world is ServedWorld {
  return world.url !== undefined
}
