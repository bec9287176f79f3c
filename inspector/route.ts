import { useEffect, useMemo, useState } from 'preact/hooks'

/** Location within the page, kept in the address so that links and the browser's history work. */
export interface Route {
  readonly screen: string
  /** Id of the selected item; empty for none. */
  readonly item: string
  readonly params: URLSearchParams
}

/** Parses the fragment of an address: `#/requests/r5?world=a`. */
function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [screen = '', ...item] = path.split('/')
  return {
    screen: screen || 'requests',
    item: item.map(decodeURIComponent).join('/'),
    params: new URLSearchParams(query),
  }
}

/** Formats a location as a fragment. */
function formatRoute(screen: string, item: string, params: URLSearchParams): string {
  const nonEmpty = new URLSearchParams([...params].filter(([, value]) => value !== ''))
  const query = nonEmpty.toString()
  const path = item === '' ? screen : `${screen}/${encodeURIComponent(item)}`
  return `#/${path}${query === '' ? '' : `?${query}`}`
}

/** Returns the present location and renders again when it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const updateHash = () => setHash(location.hash)
    addEventListener('hashchange', updateHash)
    // The address may have changed between the rendering and this effect.
    updateHash()
    return () => removeEventListener('hashchange', updateHash)
  }, [])
  return useMemo(() => parseRoute(hash), [hash])
}

/**
 * Returns the address of a location. Parameters that `changes` does not name keep their values; an
 * empty value removes its parameter.
 */
export function hrefTo(
  screen: string,
  item = '',
  changes: Readonly<Record<string, string>> = {},
): string {
  const { params } = parseRoute(location.hash)
  for (const [name, value] of Object.entries(changes)) params.set(name, value)
  return formatRoute(screen, item, params)
}

/**
 * Navigates to a location. Parameters that `changes` does not name keep their values; an empty
 * value removes its parameter. With `replace`, the browser's history gets no new entry.
 */
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
