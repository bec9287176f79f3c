import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import { type Client, reasonOf } from './client.ts'
import type { Feed } from './feed.ts'

/** What every part of the page can use. */
export interface Surroundings {
  readonly client: Client
  readonly world: string
  readonly feed: Feed
  /** Says something for a moment. */
  readonly notify: (text: string, kind?: 'good' | 'bad') => void
}

export const SurroundingsContext = createContext<Surroundings | undefined>(undefined)

/** The page's client, world, feed and messages. */
export function useSurroundings(): Surroundings {
  const found = useContext(SurroundingsContext)
  if (found === undefined) throw new Error('nothing surrounds this part')
  return found
}

/** Draws again whenever the feed tells something. */
export function useFeed(feed: Feed): void {
  const [, draw] = useState(0)
  useEffect(() => {
    const again = () => draw((count) => count + 1)
    const stop = feed.follow(again)
    // It may have told something since this was drawn.
    again()
    return stop
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
export function useCall<T>(path: string | undefined, of: readonly unknown[] = []): Loaded<T> {
  const { client, world } = useSurroundings()
  return useLoad<T>(path === undefined ? undefined : () => client.of(world)<T>('GET', path), [
    client,
    world,
    path,
    ...of,
  ])
}

/** Loads something, and again when one of `of` changes; shows the old until the new is there. */
export function useLoad<T>(
  load: (() => Promise<T>) | undefined,
  of: readonly unknown[],
): Loaded<T> {
  const [state, setState] = useState<{ data?: T; problem?: string; key?: unknown }>({})
  const [again, setAgain] = useState(0)
  const key = String(of[2])
  const latest = useRef(load)
  latest.current = load
  const flight = useRef<{ readonly key: string; isLate: boolean }>(undefined)
  useEffect(() => {
    if (load === undefined) flight.current = undefined
    else if (flight.current?.key === key) flight.current.isLate = true
    else void fly({ key, isLate: false })
    // What it depends on is told by the caller.
  }, [...of, again])
  useEffect(
    () => () => {
      flight.current = undefined
    },
    [],
  )
  /** Loads, and once more where something has changed meanwhile: one call at a time. */
  const fly = async (own: { readonly key: string; isLate: boolean }) => {
    flight.current = own
    do {
      own.isLate = false
      const told = await latest.current?.().then(
        (data) => ({ data }),
        (error) => ({ problem: reasonOf(error) }),
      )
      if (flight.current !== own) return
      setState({ ...told, key })
    } while (own.isLate)
    flight.current = undefined
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
  const { notify, feed } = useSurroundings()
  const busy = useRef(false)
  return useCallback(
    async (work: () => Promise<string | undefined>) => {
      if (busy.current) return
      busy.current = true
      try {
        const said = await work()
        feed.touch()
        if (said !== undefined) notify(said, 'good')
      } catch (error) {
        notify(reasonOf(error), 'bad')
      } finally {
        busy.current = false
      }
    },
    [notify, feed],
  )
}
