/**
 * Describes how the work of a request goes on once something outside its world is done: a mail
 * delivered, a primary asked, a text encrypted, a wait over. Between two steps no transaction is
 * open, and other requests are served; the next step must look again at what it relies on.
 */
export class Meanwhile<out T> {
  readonly #wait: () => Promise<() => T | Meanwhile<T>>

  constructor(wait: () => Promise<() => T | Meanwhile<T>>) {
    this.#wait = wait
  }

  /** Does what is to be done outside and returns the next step. Called once the step before is committed. */
  wait(): Promise<() => T | Meanwhile<T>> {
    return this.#wait()
  }
}

/**
 * Ends a step of a request: `work` is done outside, then `next` with its result inside again. What
 * `work` refuses refuses the request; what was written before stays then.
 */
export function meanwhile<R, T>(
  work: () => Promise<R>,
  next: (result: R) => T | Meanwhile<T>,
): Meanwhile<T> {
  return new Meanwhile(async () => {
    const result = await work()
    return () => next(result)
  })
}

/** Makes something of what a step returns, now or when it is there. */
export function finish<T, U>(result: T | Meanwhile<T>, change: (result: T) => U): U | Meanwhile<U> {
  if (!(result instanceof Meanwhile)) return change(result)
  return new Meanwhile(async () => {
    const next = await result.wait()
    return () => finish(next(), change)
  })
}

/** Goes through all steps of what belongs to no world's request. */
export function done<T>(result: T | Meanwhile<T>): T | Promise<T> {
  return result instanceof Meanwhile ? goOn(result) : result
}

async function goOn<T>(first: Meanwhile<T>): Promise<T> {
  let reached: T | Meanwhile<T> = first
  while (reached instanceof Meanwhile) reached = (await reached.wait())()
  return reached
}
