import { DurationError, MILLISECOND, parseGoDuration } from '../../../state/go/duration.ts'
import type { ObservedRead } from '../../../state/kernel/store/observation.ts'
import { type Deferred, defer } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Connection } from './connection.ts'
import { invalidWaitParameter } from './wait-parameters.ts'

/** Default duration of a blocking read in milliseconds: 5 minutes. */
const defaultWait = 300_000

/** Default maximum duration of a blocking read in milliseconds: 10 minutes. */
const defaultMaxWait = 600_000

export interface WaitOptions {
  /**
   * Index that the caller has seen. The read waits until the current index is higher. If the index
   * is 0, the read does not wait.
   */
  readonly index: number
  /** Maximum wait in milliseconds. */
  readonly wait: number
}

/**
 * Reads `index` and `wait` from a query (behaviour/mesh#blocking). A missing index is 0; a missing,
 * zero or negative wait is the default. Refuses malformed values with the products' messages.
 *
 * @param parameter returns the first value of a query parameter
 * @param maxWait maximum wait in milliseconds
 */
export function readWaitOptions(
  parameter: (name: string) => string | undefined,
  maxWait = defaultMaxWait,
): WaitOptions {
  const wait = readWait(parameter('wait') ?? '', maxWait)
  const index = parameter('index') ?? ''
  if (index === '') return { index: 0, wait }
  if (!/^\d+$/.test(index) || BigInt(index) >= 2n ** 64n) {
    throw invalidWaitParameter('index')
  }
  return { index: Number(index), wait }
}

function readWait(text: string, maxWait: number): number {
  if (text === '') return defaultWait
  try {
    const wait = Math.ceil(parseGoDuration(text) / MILLISECOND)
    return wait <= 0 ? defaultWait : Math.min(wait, maxWait)
  } catch (error) {
    if (error instanceof DurationError) throw invalidWaitParameter('wait')
    throw error
  }
}

/**
 * Error for a waiting read whose client has disconnected. Handlers of an API throw this error; the
 * error handler of the API then calls `reply.hijack()` and sends nothing.
 */
export class ClientGoneError extends Error {}

/** Parameters of a blocking read, which may wait for a change. */
export interface BlockingRead<T extends { readonly index: number }> extends WaitOptions {
  readonly world: World
  /**
   * True if the wait is extended by up to a sixteenth, so that not all readers return at the same
   * time.
   */
  readonly jitter: boolean
  /**
   * Derives the result after a timeout from the last result that was read. Without this function,
   * `read` is called again.
   */
  readonly resultAtTimeout?: (last: T) => T
  /** The connection of the client. The wait ends when the connection is closed. */
  readonly connection: Connection
  /**
   * Returns the current result. Called once before the wait, and at each event that may end the
   * wait. The wait watches the rows that the latest call has read.
   */
  read(): T
}

/**
 * Returns the result immediately if `index` is 0, if the index of the result exceeds `index`, or if
 * the world is closed. Otherwise the read waits for a change, for its time limit on the world's
 * clock, or for the world to end or be restored. The result is read at the moment that ends the
 * wait, so it does not contain later changes.
 *
 * If a write wakes many readers, their replies are sent in several turns of the event loop.
 *
 * A waiting reader costs one callback for each key or prefix that it watches, and one callback on
 * the clock. Ten thousand readers therefore cost only their memory, and a write wakes only the
 * readers that it concerns.
 *
 * @returns undefined if the client disconnected during the wait
 */
export function blockingRead<T extends { readonly index: number }>(
  options: BlockingRead<T>,
): T | Promise<T | undefined> {
  const { index, world, read } = options
  if (index === 0 || world.closed) return read()
  const { result, observation } = world.observe(read)
  if (result.index > index) return result
  return new Promise((resolve, reject) =>
    waitForChange(options, { result, observation: observation }, resolve, reject),
  )
}

/**
 * Runs a blocking read and returns its answer, which is deferred if the read has to wait.
 * @throws {ClientGoneError} after the wait, if the client has disconnected
 */
export function runBlockingRead<T extends { readonly index: number }, A>(
  options: BlockingRead<T>,
  answer: (reading: T) => A,
): A | Deferred<A> {
  const reading = blockingRead(options)
  if (!(reading instanceof Promise)) return answer(reading)
  return defer(
    () => reading,
    (changed) => {
      if (changed === undefined) throw new ClientGoneError()
      return answer(changed)
    },
  )
}

function waitForChange<T extends { readonly index: number }>(
  { world, index, wait, jitter, connection, read, resultAtTimeout }: BlockingRead<T>,
  first: ObservedRead<T>,
  resolve: (changed: T | undefined) => void,
  reject: (error: unknown) => void,
): void {
  const { watchers } = world.store
  const generation = watchers.generation
  const extraWait = jitter ? world.ids.integerBelow(Math.floor(wait / 16) + 1) : 0

  function cleanUp(): void {
    world.blockedReaders -= 1
    unwatch()
    cancelWait()
    stopWatchingClient()
  }
  function onClientGone(): void {
    cleanUp()
    resolve(undefined)
  }
  function readAgain(isTimedOut: boolean): void {
    try {
      const { result, observation } = world.observe(read)
      // Another generation means that the world has ended or was restored, which wakes all readers.
      if (isTimedOut || result.index > index || watchers.generation !== generation) {
        cleanUp()
        watchers.replyTurns.add(() => resolve(result))
        return
      }
      last = result
      unwatch()
      unwatch = observation.watch(wake)
    } catch (error) {
      cleanUp()
      reject(error)
    }
  }
  function onTimeout(): void {
    if (resultAtTimeout !== undefined) {
      cleanUp()
      resolve(resultAtTimeout(last))
    } else readAgain(true)
  }
  const wake = () => readAgain(false)
  world.blockedReaders += 1
  let last = first.result
  let unwatch = first.observation.watch(wake)
  const cancelWait = world.waitUntil(world.clock.now() + wait + extraWait, onTimeout)
  const stopWatchingClient = connection.onClose(onClientGone)
  if (connection.closed) onClientGone()
}
