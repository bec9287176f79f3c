import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import { type Client, errorText } from './client.ts'
import type { Feed } from './feed.ts'

/** What every part of the page can use. */
export interface PageServices {
  readonly client: Client
  readonly world: string
  readonly feed: Feed
  /** Says something for a moment. */
  readonly notify: (text: string, kind?: 'good' | 'bad') => void
}

export const PageContext = createContext<PageServices | undefined>(undefined)

/** The page's client, world, feed and messages. */
export function usePage(): PageServices {
  const services = useContext(PageContext)
  if (services === undefined) throw new Error('nothing surrounds this part')
  return services
}

/** Draws again whenever the feed tells something. */
export function useFeed(feed: Feed): void {
  const [, rerender] = useState(0)
  useEffect(() => {
    const notifyChange = () => rerender((count) => count + 1)
    const unsubscribe = feed.subscribe(notifyChange)
    // It may have told something since this was drawn.
    notifyChange()
    return unsubscribe
  }, [feed])
}

/** What was loaded, and how to load it again. */
export interface Loaded<T> {
  readonly data: T | undefined
  readonly problem: string | undefined
  readonly reload: () => void
}

/**
 * Loads something of the present world, and again when one of `of` changes.
 *
 * @param path below the world's; undefined for nothing
 */
export function useCall<T>(
  path: string | undefined,
  dependencies: readonly unknown[] = [],
): Loaded<T> {
  const { client, world } = usePage()
  return useLoad<T>(
    path === undefined ? undefined : () => client.callerFor(world)<T>('GET', path),
    [client, world, path, ...dependencies],
  )
}

/** Loads something, and again when one of `of` changes; shows the old until the new is there. */
export function useLoad<T>(
  load: (() => Promise<T>) | undefined,
  dependencies: readonly unknown[],
): Loaded<T> {
  const [state, setState] = useState<{ data?: T; problem?: string; key?: unknown }>({})
  const [reloadCount, setAgain] = useState(0)
  const key = String(dependencies[2])
  const latest = useRef(load)
  latest.current = load
  const inFlight = useRef<{ readonly key: string; isStale: boolean }>(undefined)
  useEffect(() => {
    if (load === undefined) inFlight.current = undefined
    else if (inFlight.current?.key === key) inFlight.current.isStale = true
    else void runLoad({ key, isStale: false })
    // What it depends on is told by the caller.
  }, [...dependencies, reloadCount])
  useEffect(
    () => () => {
      inFlight.current = undefined
    },
    [],
  )
  /** Loads, and once more where something has changed meanwhile: one call at a time. */
  const runLoad = async (attempt: { readonly key: string; isStale: boolean }) => {
    inFlight.current = attempt
    do {
      attempt.isStale = false
      const outcome = await latest.current?.().then(
        (data) => ({ data }),
        (error) => ({ problem: errorText(error) }),
      )
      if (inFlight.current !== attempt) return
      setState({ ...outcome, key })
    } while (attempt.isStale)
    inFlight.current = undefined
  }
  const isOld = state.key !== key
  return {
    data: isOld ? undefined : state.data,
    problem: isOld ? undefined : state.problem,
    reload: useCallback(() => setAgain((count) => count + 1), []),
  }
}

/** Runs something that somebody asked for: says what came of it, and that the world may have changed. */
export function useAction() {
  const { notify, feed } = usePage()
  const busy = useRef(false)
  return useCallback(
    async (action: () => Promise<string | undefined>) => {
      if (busy.current) return
      busy.current = true
      try {
        const message = await action()
        feed.markChanged()
        if (message !== undefined) notify(message, 'good')
      } catch (error) {
        notify(errorText(error), 'bad')
      } finally {
        busy.current = false
      }
    },
    [notify, feed],
  )
}
