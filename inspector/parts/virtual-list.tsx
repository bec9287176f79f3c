import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { rowAt, scrolledTo, windowOf } from '../pure/virtual.ts'

interface VirtualListProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly rowHeight: number
  readonly keyOf: (row: T) => string
  readonly chosen: string
  readonly choose: (row: T) => void
  readonly draw: (row: T) => ComponentChildren
  /** Stays at the end while it is there, as a log does. */
  readonly follows?: boolean
}

/** A list of which only what is seen is in the document; the keyboard moves what is chosen. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, rows, rowHeight, keyOf, chosen, choose, draw, follows = false } = props
  const box = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState({ top: 0, height: 600 })
  const atEnd = useRef(true)
  const scrolled = {
    count: rows.length,
    rowHeight,
    scrollTop: scroll.top,
    viewHeight: scroll.height,
  }
  const look = () => {
    const { current } = box
    if (current === null) return
    const { scrollTop, clientHeight, scrollHeight } = current
    atEnd.current = scrollTop + clientHeight >= scrollHeight - rowHeight
    setScroll((known) =>
      known.top === scrollTop && known.height === clientHeight
        ? known
        : { top: scrollTop, height: clientHeight },
    )
  }
  useEffect(() => {
    const { current } = box
    if (current === null) return
    const observer = new ResizeObserver(look)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const { current } = box
    if (follows && atEnd.current && current !== null) current.scrollTop = current.scrollHeight
    look()
  }, [rows.length, follows])
  const seen = windowOf(scrolled)
  const at = rows.findIndex((row) => keyOf(row) === chosen)
  const press = (event: KeyboardEvent) => {
    const next = rowAt(event.key, at, scrolled)
    const row = next === undefined ? undefined : rows[next]
    if (next === undefined || row === undefined || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    if (box.current !== null) box.current.scrollTop = scrolledTo(next, scrolled)
    choose(row)
  }
  const isDrawn = at >= seen.from && at < seen.to
  const name = label.toLowerCase().replaceAll(/\W+/g, '-')
  return (
    <div
      ref={box}
      class="virtual"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      {...(isDrawn ? { 'aria-activedescendant': `${name}-${at}` } : {})}
      onScroll={look}
      onKeyDown={press}
    >
      <div class="virtual-all" role="presentation" style={{ height: `${seen.height}px` }}>
        <div
          role="presentation"
          class="virtual-seen"
          style={{ transform: `translateY(${seen.above}px)` }}
        >
          {rows.slice(seen.from, seen.to).map((row, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list itself takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and says which row it is on
            <div
              key={keyOf(row)}
              id={`${name}-${seen.from + index}`}
              class="row"
              role="option"
              aria-selected={keyOf(row) === chosen}
              aria-setsize={rows.length}
              aria-posinset={seen.from + index + 1}
              style={{ height: `${rowHeight}px` }}
              onClick={() => choose(row)}
            >
              {draw(row)}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
