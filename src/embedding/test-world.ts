import type { Environment } from '../../routes/control/worlds/environment.ts'
import { concludeTest, type Dump, type Verify } from './conclude-test.ts'
import type { EmbeddedWorld } from './embedded-world.ts'
import { createUnderstudy, type Understudy } from './understudy.ts'
import type { UnderstudyOptions } from './understudy-options.ts'

/** A world that clients reach through a socket. */
export type ServedWorld = EmbeddedWorld & { readonly url: string }

/** What a test is given. */
export interface WorldContext {
  /** A fresh world for each test, deleted after it. */
  readonly world: ServedWorld
  /** The server, one for each file of tests. */
  readonly understudy: Understudy
  /** The variables in which clients find the world (behaviour/program#commands). */
  readonly env: Environment
}

/** Settings of tests; those of `extend` go before the others (behaviour/program#test-runners). */
export interface TestSettings {
  /** The options of the server. */
  readonly understudyOptions?: UnderstudyOptions
  /** The requests that tests must not make. */
  readonly verify?: Verify
  /**
   * When a test writes its refused and unmatched requests, each with why, and what is different in its
   * world since the start, on standard error. Default: `on-failure`.
   */
  readonly dump?: Dump
}

/** The server of a file's tests: opened by the first, closed after the last. */
export class FileServer {
  readonly #options: UnderstudyOptions
  #opening: Promise<Understudy> | undefined

  constructor(options: UnderstudyOptions = {}) {
    this.#options = options
  }

  async get(): Promise<Understudy> {
    this.#opening ??= open(this.#options)
    return this.#opening
  }

  async close(): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    await (await opening)?.close()
  }
}

async function open(options: UnderstudyOptions): Promise<Understudy> {
  const understudy = await createUnderstudy(options)
  await understudy.listen()
  return understudy
}

/**
 * Runs a test with a world of its own, and looks at what it did with it once it is over.
 *
 * @param name of the test, for what is written
 * @throws what the test throws, else for requests that it must not have made
 */
export async function runInWorld(
  server: FileServer,
  { verify = {}, dump = 'on-failure' }: TestSettings,
  name: string,
  testBody: (given: WorldContext) => unknown,
): Promise<void> {
  const understudy = await server.get()
  const world = requireServed(understudy.createWorld())
  const write = (text: string) => void process.stderr.write(text)
  try {
    await testBody({ world, understudy, env: world.env() })
  } catch (error) {
    // A test that failed by itself fails for that; the rest is written.
    const rest: Verify = { ...verify, ...withoutFailing(verify) }
    concludeTest(world, { name, verify: rest, dump, write }, true)
    endWorld(understudy, world)
    throw error
  }
  try {
    concludeTest(world, { name, verify, dump, write }, false)
  } finally {
    endWorld(understudy, world)
  }
}

/** Ends the world of a test, unless the test has done so. */
export function endWorld(understudy: Understudy, { id }: EmbeddedWorld): void {
  if (understudy.worlds().some((world) => world.id === id)) understudy.deleteWorld(id)
}

/** The same reactions, none of which fails the test. */
function withoutFailing({ unmatched, refused }: Verify): Verify {
  return {
    ...(unmatched === 'fail' ? { unmatched: 'warn' } : {}),
    ...(refused === 'fail' ? { refused: 'warn' } : {}),
  }
}

/** Returns a world of a server that listens. */
export function requireServed(world: EmbeddedWorld): ServedWorld {
  if (!isServed(world)) throw new Error('the server of the fixture was closed')
  return world
}

function isServed(world: EmbeddedWorld): world is ServedWorld {
  return world.url !== undefined
}
