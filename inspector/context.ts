import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import { errorText } from './client.ts'
import type { Feed } from './feed.ts'
import type { Source, WorldSource } from './source/source.ts'

/** Services that every component of the page can use. */
export interface PageServices {
  readonly source: Source
  readonly world: WorldSource
  readonly feed: Feed
  /** Shows a message for a few seconds. */
  readonly notify: (text: string, kind?: 'good' | 'bad') => void
}

export const PageContext = createContext<PageServices | undefined>(undefined)

/**
 * Returns the page's source, world and feed, and the function that shows messages. Throws if the
 * component has no `PageContext` provider.
 */
export function usePage(): PageServices {
  const services = useContext(PageContext)
  if (services === undefined) throw new Error('usePage needs a PageContext provider')
  return services
}

/** Renders the component again whenever the feed changes. */
export function useFeed(feed: Feed): void {
  const [, rerender] = useState(0)
  useEffect(() => {
    const notifyChange = () => rerender((count) => count + 1)
    const unsubscribe = feed.subscribe(notifyChange)
    // The feed may have changed between the rendering and this effect.
    notifyChange()
    return unsubscribe
  }, [feed])
}

/**
 * Result of a load, with a function that loads again. `data` and `problem` are undefined until the
 * first load of the named data ends. After that, exactly one of them is set.
 */
interface Loaded<T> {
  readonly data: T | undefined
  readonly problem: string | undefined
  readonly reload: () => void
}

/**
 * Loads data of the selected world, and loads the data again when a dependency changes.
 *
 * @param name name of the data, such as `entry r5`; undefined to load nothing
 */
export function useRead<T>(
  name: string | undefined,
  read: (world: WorldSource) => Promise<T>,
  dependencies: readonly unknown[] = [],
): Loaded<T> {
  const { source, world } = usePage()
  return useLoad<T>(name === undefined ? undefined : () => read(world), [
    source,
    world,
    name,
    ...dependencies,
  ])
}

/** Returns the names of the server's APIs; an empty list until they are loaded. */
export function useServices(): readonly string[] {
  const { data } = useRead('info', (world) => world.info())
  return Object.keys(data?.services ?? {})
}

/**
 * Loads data, and loads it again when a dependency changes. The third dependency must be the name
 * of the data. The old data is returned until the new data arrives, unless the name has changed.
 */
export function useLoad<T>(
  load: (() => Promise<T>) | undefined,
  dependencies: readonly unknown[],
): Loaded<T> {
  const [state, setState] = useState<{ data?: T; problem?: string; key?: unknown }>({})
  const [reloadCount, setReloadCount] = useState(0)
  const key = String(dependencies[2])
  const latest = useRef(load)
  latest.current = load
  const inFlight = useRef<{ readonly key: string; isStale: boolean }>(undefined)
  useEffect(() => {
    if (load === undefined) inFlight.current = undefined
    else if (inFlight.current?.key === key) inFlight.current.isStale = true
    else void runLoad({ key, isStale: false })
    // `load` is not a dependency: the caller of `useLoad` lists the values on which it depends.
  }, [...dependencies, reloadCount])
  useEffect(
    () => () => {
      inFlight.current = undefined
    },
    [],
  )
  /**
   * Loads the data and stores the result. Only one call runs at a time. If a dependency changes
   * during the call, the data is loaded again after it.
   */
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
    reload: useCallback(() => setReloadCount((count) => count + 1), []),
  }
}

/**
 * Returns a function that runs an action of the user, shows its result or error, and marks the
 * world as changed if the action succeeded. Actions that start during another one are ignored.
 */
export function useAction() {
  const { notify, feed } = usePage()
  const isBusy = useRef(false)
  return useCallback(
    async (action: () => Promise<string | undefined>) => {
      if (isBusy.current) return
      isBusy.current = true
      try {
        const message = await action()
        feed.markChanged()
        if (message !== undefined) notify(message, 'good')
      } catch (error) {
        notify(errorText(error), 'bad')
      } finally {
        isBusy.current = false
      }
    },
    [notify, feed],
  )
}
