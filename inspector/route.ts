import { useEffect, useMemo, useState } from 'preact/hooks'

/** Where the page is: in its address, so that it can be gone back to and sent to others. */
export interface Route {
  readonly screen: string
  /** What is looked at there; empty for nothing. */
  readonly item: string
  readonly params: URLSearchParams
}

/** Reads a place out of an address's fragment: `#/requests/r5?world=a`. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [screen = '', ...item] = path.split('/')
  return {
    screen: screen || 'requests',
    item: item.map(decodeURIComponent).join('/'),
    params: new URLSearchParams(query),
  }
}

/** Writes a place as a fragment. */
export function formatRoute(screen: string, item: string, params: URLSearchParams): string {
  const nonEmpty = new URLSearchParams([...params].filter(([, value]) => value !== ''))
  const query = nonEmpty.toString()
  const path = item === '' ? screen : `${screen}/${encodeURIComponent(item)}`
  return `#/${path}${query === '' ? '' : `?${query}`}`
}

/** The present place. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const updateHash = () => setHash(location.hash)
    addEventListener('hashchange', updateHash)
    // It may have changed since the page was drawn.
    updateHash()
    return () => removeEventListener('hashchange', updateHash)
  }, [])
  return useMemo(() => parseRoute(hash), [hash])
}

/** The address of a place from here; parameters that are not named stay. */
export function hrefTo(
  screen: string,
  item = '',
  changes: Readonly<Record<string, string>> = {},
): string {
  const { params } = parseRoute(location.hash)
  for (const [name, value] of Object.entries(changes)) params.set(name, value)
  return formatRoute(screen, item, params)
}

/** Goes to another place; parameters that are not named stay. */
export function goTo(
  screen: string,
  item = '',
  changes: Readonly<Record<string, string>> = {},
  mode: 'push' | 'replace' = 'push',
): void {
  const hash = hrefTo(screen, item, changes)
  if (mode === 'push') location.hash = hash
  else {
    history.replaceState(null, '', hash)
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
}
