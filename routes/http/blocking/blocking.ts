import { DurationError, MILLISECOND, parseGoDuration } from '../../../state/go/duration.ts'
import type { ObservedRead } from '../../../state/kernel/store/observation.ts'
import { type Deferred, defer } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Connection } from './connection.ts'
import { invalidWaitParameter } from './wait-parameters.ts'

/** The time that a blocking read waits unless it says: 5 minutes, in milliseconds. */
const defaultWait = 300_000

/** The time that it waits at most unless the API says: 10 minutes, in milliseconds. */
const defaultMaxWait = 600_000

/** A caller's wishes for a blocking read. */
export interface WaitOptions {
  /** Wait while the index is at most this; 0 does not wait. */
  readonly index: number
  /** For so many milliseconds. */
  readonly wait: number
}

/**
 * Reads `index` and `wait` of a query (behaviour/mesh#blocking). Refuses bad
 * ones with `invalid` and the services' texts.
 *
 * @param parameter the first value of a query parameter
 * @param maxWait in milliseconds
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
 * The client of a waiting read went away. For APIs to throw, and for their error handlers to say
 * nothing: `reply.hijack()`.
 */
export class ClientGone extends Error {}

/** A read that may wait for something to change. */
export interface BlockingRead<T extends { readonly index: number }> extends WaitOptions {
  readonly world: World
  /** Wait up to a sixteenth longer, so that readers do not all come back at once. */
  readonly jitter: boolean
  /** A wait that ends by time answers what was last looked at, not what is there then. */
  readonly answersLastRead?: boolean
  /** Whose going away ends the wait. */
  readonly connection: Connection
  /**
   * Returns what is there now. Called once before the wait and at each event that may end it; what
   * it looked at last is what it waits for.
   */
  read(): T
}

/**
 * Answers a read at once if it does not block or has news, else when there is some, when its time on
 * the world's clock is over, or when the world ends or goes to another state. The answer is read at
 * that very moment: it is the state that ended the wait, whatever happens before it goes out.
 *
 * A waiting reader is a callback in the watchers of what it read and one on the clock, so ten
 * thousand of them cost their memory and nothing else, and a write wakes those alone whom it concerns.
 *
 * @returns undefined when the client went away meanwhile
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
 * Answers a request by a blocking read: now, or once the wait is over.
 *
 * @throws {ClientGone} then, when nobody is there any more
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
      if (changed === undefined) throw new ClientGone()
      return answer(changed)
    },
  )
}

function waitForChange<T extends { readonly index: number }>(
  { world, index, wait, jitter, connection, read, answersLastRead = false }: BlockingRead<T>,
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
      // Everybody is woken when the world ends or goes to another state.
      if (isTimedOut || result.index > index || watchers.generation !== generation) {
        cleanUp()
        resolve(result)
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
    if (answersLastRead) {
      cleanUp()
      resolve(last)
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
