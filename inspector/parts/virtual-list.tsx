import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { rowForKey, scrollPosition, visibleRows } from '../pure/virtual.ts'

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
  /** How deep a row is, and how it folds: the list is a tree, in which keys move without choosing. */
  readonly tree?: TreeManner<T>
}

/** What makes a tree of a list. */
export interface TreeManner<T> {
  /** From 1. */
  readonly levelOf: (row: T) => number
  /** Whether it is unfolded; undefined where there is nothing to fold. */
  readonly isOpen: (row: T) => boolean | undefined
  readonly fold: (row: T) => void
}

/** A list of which only what is seen is in the document; the keyboard moves in it. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, rows, rowHeight, keyOf, chosen, choose, draw, follows = false, tree } = props
  const box = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState({ top: 0, height: 600 })
  const [moved, setMoved] = useState<string>()
  /** The same at once: the next key may come before the list is drawn again. */
  const aim = useRef<string | undefined>(undefined)
  const atEnd = useRef(chosen === '')
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
  const show = (row: number) => {
    const { current } = box
    if (current === null) return
    const { scrollTop, clientHeight: viewHeight } = current
    current.scrollTop = scrollPosition(row, { ...scrolled, scrollTop, viewHeight })
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
  const placeOf = (key: string) => rows.findIndex((row) => keyOf(row) === key)
  const chosenAt = placeOf(chosen)
  const at = moved === undefined ? chosenAt : placeOf(moved)
  const stand = (key: string | undefined) => {
    aim.current = key
    setMoved(key)
  }
  useLayoutEffect(() => {
    stand(undefined)
    if (chosenAt < 0) return
    show(chosenAt)
    look()
  }, [chosen, chosenAt >= 0])
  const seen = visibleRows(scrolled)
  const moveTo = (place: number, row: T) => {
    show(place)
    stand(keyOf(row))
    if (tree === undefined) choose(row)
  }
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const place = aim.current === undefined ? at : placeOf(aim.current)
    const present = rows[place]
    const next = rowForKey(event.key, place, scrolled)
    const row = next === undefined ? undefined : rows[next]
    if (next !== undefined && row !== undefined) moveTo(next, row)
    else if (tree === undefined || present === undefined) return
    else if (event.key === 'Enter' || event.key === ' ') choose(present)
    else if (!turn(event.key, place, present, tree)) return
    event.preventDefault()
  }
  /** Folds, unfolds, or goes to what the row is below. */
  const turn = (
    key: string,
    place: number,
    row: T,
    { isOpen, levelOf, fold }: TreeManner<T>,
  ): boolean => {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false
    if (isOpen(row) === (key === 'ArrowLeft')) fold(row)
    else if (key === 'ArrowLeft') {
      const above = rows.slice(0, place).findLastIndex((each) => levelOf(each) < levelOf(row))
      const parent = rows[above]
      if (parent !== undefined) moveTo(above, parent)
    }
    return true
  }
  const name = label.toLowerCase().replaceAll(/\W+/g, '-')
  // The list itself has the focus and takes the keys; its rows take the pointer.
  const attributesOf = (row: T, place: number) => ({
    id: `${name}-${place}`,
    class: place === at ? 'row is-at' : 'row',
    style: { height: `${rowHeight}px` },
    'aria-selected': keyOf(row) === chosen,
    ...(tree === undefined
      ? { role: 'option' as const, 'aria-setsize': rows.length, 'aria-posinset': place + 1 }
      : { role: 'treeitem' as const, ...treeMarks(tree, row) }),
    onClick: () => {
      stand(keyOf(row))
      choose(row)
    },
  })
  const isDrawn = at >= seen.from && at < seen.to
  const attributes = {
    role: tree === undefined ? ('listbox' as const) : ('tree' as const),
    'aria-label': label,
    tabIndex: 0,
    ...(isDrawn ? { 'aria-activedescendant': `${name}-${at}` } : {}),
    onScroll: look,
    onKeyDown: press,
  }
  return (
    <div ref={box} class="virtual" {...attributes}>
      <div class="virtual-all" role="presentation" style={{ height: `${seen.height}px` }}>
        <div
          role="presentation"
          class="virtual-seen"
          style={{ transform: `translateY(${seen.offset}px)` }}
        >
          {rows.slice(seen.from, seen.to).map((row, index) => (
            <div key={keyOf(row)} {...attributesOf(row, seen.from + index)}>
              {draw(row)}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

function treeMarks<T>({ levelOf, isOpen }: TreeManner<T>, row: T): object {
  const open = isOpen(row)
  return { 'aria-level': levelOf(row), ...(open === undefined ? {} : { 'aria-expanded': open }) }
}
