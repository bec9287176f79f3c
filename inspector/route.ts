import { useEffect, useMemo, useState } from 'preact/hooks'

/** Where the page is: in its address, so that it can be gone back to and sent to others. */
export interface Place {
  readonly screen: string
  /** What is looked at there; empty for nothing. */
  readonly item: string
  readonly params: URLSearchParams
}

/** Reads a place out of an address's fragment: `#/requests/r5?world=a`. */
export function placeIn(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [screen = '', ...item] = path.split('/')
  return {
    screen: screen || 'requests',
    item: item.map(decodeURIComponent).join('/'),
    params: new URLSearchParams(query),
  }
}

/** Writes a place as a fragment. */
export function hashOf(screen: string, item: string, params: URLSearchParams): string {
  const kept = new URLSearchParams([...params].filter(([, value]) => value !== ''))
  const query = kept.toString()
  const place = item === '' ? screen : `${screen}/${encodeURIComponent(item)}`
  return `#/${place}${query === '' ? '' : `?${query}`}`
}

/** The present place. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const read = () => setHash(location.hash)
    addEventListener('hashchange', read)
    // It may have changed since the page was drawn.
    read()
    return () => removeEventListener('hashchange', read)
  }, [])
  return useMemo(() => placeIn(hash), [hash])
}

/** The address of a place from here; parameters that are not named stay. */
export function hrefTo(
  screen: string,
  item = '',
  changes: Readonly<Record<string, string>> = {},
): string {
  const { params } = placeIn(location.hash)
  for (const [name, value] of Object.entries(changes)) params.set(name, value)
  return hashOf(screen, item, params)
}

/** Goes to another place; parameters that are not named stay. */
export function goTo(
  screen: string,
  item = '',
  changes: Readonly<Record<string, string>> = {},
  how: 'push' | 'replace' = 'push',
): void {
  const hash = hrefTo(screen, item, changes)
  if (how === 'push') location.hash = hash
  else {
    history.replaceState(null, '', hash)
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
}
