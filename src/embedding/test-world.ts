import type { Environment } from '../../routes/control/worlds/environment.ts'
import { type TraceCondition, traceConditionOf } from '../trace-setting.ts'
import { concludeTest, type Dump, type Verify } from './conclude-test.ts'
import type { EmbeddedWorld } from './embedded-world.ts'
import { type TestNames, type TestResult, TestTrace } from './test-trace.ts'
import { createUnderstudy, type Understudy } from './understudy.ts'
import type { UnderstudyOptions } from './understudy-options.ts'

/** World that clients reach through a socket. */
export type ServedWorld = ServedMembers & EmbeddedWorld

/** Members whose types are narrower in a served world than in other worlds. */
interface ServedMembers {
  readonly url: string
  /** Creates a world that starts as an independent copy of this one, on the same server. */
  fork(id?: string): ServedWorld
}

/** Arguments of a test. */
export interface WorldContext {
  /** Fresh world for each test, deleted after the test. */
  readonly world: ServedWorld
  /** Server of the test file. */
  readonly understudy: Understudy
  /** Variables with which clients find the world (behaviour/program#commands). */
  readonly env: Environment
}

/**
 * Settings of tests. Settings of `extend` override inherited settings
 * (behaviour/program#test-runners).
 */
export interface TestSettings {
  /** Options of the server. The dialect is `vendor` by default. */
  readonly understudyOptions?: UnderstudyOptions
  /** Reactions of tests to failed requests. */
  readonly verify?: Verify
  /**
   * Condition on which a test writes its refused and unmatched requests with their reasons, and the
   * changes of its world, to standard error. Default: `on-failure`.
   */
  readonly dump?: Dump
  /**
   * Condition on which a test writes a trace into the folder `understudy-traces`. The variable
   * `UNDERSTUDY_TRACE` wins. Default: `never`.
   */
  readonly trace?: TraceCondition
}

/** Server of a test file, opened by the first test and closed after the last. */
export class TestFileServer {
  /** Options as the tests gave them. */
  readonly options: UnderstudyOptions
  #opening: Promise<Understudy> | undefined

  constructor(options: UnderstudyOptions = {}) {
    this.options = options
  }

  async get(): Promise<Understudy> {
    this.#opening ??= openServer(this.options)
    return this.#opening
  }

  async close(): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    await (await opening)?.close()
  }
}

async function openServer(options: UnderstudyOptions): Promise<Understudy> {
  const understudy = await createUnderstudy({ dialect: 'vendor', ...options })
  await understudy.listen()
  return understudy
}

export interface TestContext extends TestNames {
  /** Name of the test, for messages. */
  readonly name: string
  /**
   * Function that registers a callback for the end of the test; a timeout also ends a test. If
   * `afterTest` is undefined, the callback is called when the test function returns.
   */
  readonly afterTest?: ((end: () => Promise<void>) => void) | undefined
  /** Returns the error with which the runner ended the test, such as a timeout. */
  readonly runnerError?: () => unknown
}

/**
 * Runs a test with a world of its own. Afterwards, checks the requests to the world and deletes the
 * world.
 *
 * @throws the error of the test; otherwise, an error for requests that the test must not make
 */
export async function runInWorld(
  server: TestFileServer,
  settings: TestSettings,
  context: TestContext,
  testBody: (given: WorldContext) => unknown,
): Promise<void> {
  const understudy = await server.get()
  const condition = traceConditionOf(settings.trace)
  const trace = new TestTrace(understudy, condition, context, server.options)
  const world = requireServed(await understudy.openWorld())
  trace.begin(world)
  let result: TestResult | undefined
  const end = async () => {
    const error = context.runnerError?.() ?? new Error('the test did not end in time')
    await trace.end(world, result ?? { result: 'failed', error }, writeError)
    endWorld(understudy, world)
    trace.forget(world)
  }
  // Without a trace, the world is deleted as soon as the test returns.
  const { afterTest } = condition === 'never' ? {} : context
  afterTest?.(end)
  try {
    await runAndConclude({ world, understudy, env: world.env() }, settings, context.name, testBody)
    result = { result: 'passed' }
  } catch (error) {
    result = { result: 'failed', error }
    throw error
  } finally {
    if (afterTest === undefined) await end()
  }
}

async function runAndConclude(
  context: WorldContext,
  { verify = {}, dump = 'on-failure' }: TestSettings,
  name: string,
  testBody: (given: WorldContext) => unknown,
): Promise<void> {
  try {
    await testBody(context)
  } catch (error) {
    // A failed test keeps its own error; other findings are only written.
    const reactions: Verify = { ...verify, ...withoutFailing(verify) }
    concludeTest(context.world, { name, verify: reactions, dump, write: writeError }, true)
    throw error
  }
  concludeTest(context.world, { name, verify, dump, write: writeError }, false)
}

export function writeError(text: string): void {
  process.stderr.write(text)
}

/** Deletes the world of a test, unless the test has deleted it. */
export function endWorld(understudy: Understudy, { id }: EmbeddedWorld): void {
  if (understudy.worlds().some((world) => world.id === id)) understudy.deleteWorld(id)
}

/** Returns the reactions that are `fail`, changed to `warn`. Leaves out all other reactions. */
function withoutFailing({ unmatched, refused }: Verify): Verify {
  return {
    ...(unmatched === 'fail' ? { unmatched: 'warn' } : {}),
    ...(refused === 'fail' ? { refused: 'warn' } : {}),
  }
}

/** Returns the world if clients can reach it through a socket. Throws otherwise. */
export function requireServed(world: EmbeddedWorld): ServedWorld {
  if (!isServed(world)) throw new Error('the server of the fixture was closed')
  return world
}

function isServed(world: EmbeddedWorld): world is ServedWorld {
  return world.url !== undefined
}
