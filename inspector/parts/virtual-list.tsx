import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { rowForKey, scrollPosition, visibleRows } from '../pure/visible-rows.ts'

interface VirtualListProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly rowHeight: number
  readonly keyOf: (row: T) => string
  readonly selected: string
  readonly onSelect: (row: T) => void
  readonly renderRow: (row: T) => ComponentChildren
  /** True to follow new rows while the list is scrolled to its end, like a log. */
  readonly sticksToEnd?: boolean
  /**
   * Depth and folding of rows. If present, the list is a tree, and moving with the keyboard does
   * not select a row.
   */
  readonly tree?: TreeBehavior<T>
}

/** Callbacks that turn the list into a tree. */
export interface TreeBehavior<T> {
  /** Returns the depth of a row, from 1. */
  readonly levelOf: (row: T) => number
  /** Returns true if the row is unfolded; undefined if it has no children. */
  readonly isOpen: (row: T) => boolean | undefined
  readonly toggle: (row: T) => void
}

/** Renders a list that has only its visible rows in the document and can be used by keyboard. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const {
    label,
    rows,
    rowHeight,
    keyOf,
    selected,
    onSelect,
    renderRow,
    sticksToEnd = false,
    tree,
  } = props
  const viewport = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState({ top: 0, height: 600 })
  const [cursorKey, setCursorKey] = useState<string>()
  /**
   * Key of the focused row, set before the row is rendered, because the next key press may come
   * before the rendering.
   */
  const pendingKey = useRef<string | undefined>(undefined)
  const isAtEnd = useRef(selected === '')
  const scrollState = {
    count: rows.length,
    rowHeight,
    scrollTop: scroll.top,
    viewHeight: scroll.height,
  }
  const measure = () => {
    const { current } = viewport
    if (current === null) return
    const { scrollTop, clientHeight, scrollHeight } = current
    isAtEnd.current = scrollTop + clientHeight >= scrollHeight - rowHeight
    setScroll((known) =>
      known.top === scrollTop && known.height === clientHeight
        ? known
        : { top: scrollTop, height: clientHeight },
    )
  }
  const scrollToRow = (row: number) => {
    const { current } = viewport
    if (current === null) return
    const { scrollTop, clientHeight: viewHeight } = current
    current.scrollTop = scrollPosition(row, { ...scrollState, scrollTop, viewHeight })
  }
  useEffect(() => {
    const { current } = viewport
    if (current === null) return
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const { current } = viewport
    if (sticksToEnd && isAtEnd.current && current !== null) current.scrollTop = current.scrollHeight
    measure()
  }, [rows.length, sticksToEnd])
  const indexOfKey = (key: string) => rows.findIndex((row) => keyOf(row) === key)
  const selectedIndex = indexOfKey(selected)
  const cursorIndex = cursorKey === undefined ? selectedIndex : indexOfKey(cursorKey)
  const moveCursor = (key: string | undefined) => {
    pendingKey.current = key
    setCursorKey(key)
  }
  useLayoutEffect(() => {
    moveCursor(undefined)
    if (selectedIndex < 0) return
    scrollToRow(selectedIndex)
    measure()
  }, [selected, selectedIndex >= 0])
  const visible = visibleRows(scrollState)
  const moveTo = (index: number, row: T) => {
    scrollToRow(index)
    moveCursor(keyOf(row))
    if (tree === undefined) onSelect(row)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const index = pendingKey.current === undefined ? cursorIndex : indexOfKey(pendingKey.current)
    const currentRow = rows[index]
    const next = rowForKey(event.key, index, scrollState)
    const row = next === undefined ? undefined : rows[next]
    if (next !== undefined && row !== undefined) moveTo(next, row)
    else if (tree === undefined || currentRow === undefined) return
    else if (event.key === 'Enter' || event.key === ' ') onSelect(currentRow)
    else if (!foldOrMove(event.key, index, currentRow, tree)) return
    event.preventDefault()
  }
  /**
   * Folds or unfolds a row, or moves to its parent. Returns false for keys other than left and
   * right.
   */
  const foldOrMove = (
    key: string,
    index: number,
    row: T,
    { isOpen, levelOf, toggle }: TreeBehavior<T>,
  ): boolean => {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false
    if (isOpen(row) === (key === 'ArrowLeft')) toggle(row)
    else if (key === 'ArrowLeft') {
      const parentIndex = rows.slice(0, index).findLastIndex((each) => levelOf(each) < levelOf(row))
      const parent = rows[parentIndex]
      if (parent !== undefined) moveTo(parentIndex, parent)
    }
    return true
  }
  const name = label.toLowerCase().replaceAll(/\W+/g, '-')
  // The list itself has the focus and takes the key presses; its rows take pointer events.
  const rowAttributes = (row: T, index: number) => ({
    id: `${name}-${index}`,
    class: index === cursorIndex ? 'row is-at' : 'row',
    style: { height: `${rowHeight}px` },
    'aria-selected': keyOf(row) === selected,
    ...(tree === undefined
      ? { role: 'option' as const, 'aria-setsize': rows.length, 'aria-posinset': index + 1 }
      : { role: 'treeitem' as const, ...treeAttributes(tree, row) }),
    onClick: () => {
      moveCursor(keyOf(row))
      onSelect(row)
    },
  })
  const isCursorDrawn = cursorIndex >= visible.from && cursorIndex < visible.to
  const listAttributes = {
    role: tree === undefined ? ('listbox' as const) : ('tree' as const),
    'aria-label': label,
    tabIndex: 0,
    ...(isCursorDrawn ? { 'aria-activedescendant': `${name}-${cursorIndex}` } : {}),
    onScroll: measure,
    onKeyDown: onKeyDown,
  }
  return (
    <div ref={viewport} class="virtual" {...listAttributes}>
      <div class="virtual-all" role="presentation" style={{ height: `${visible.height}px` }}>
        <div
          role="presentation"
          class="virtual-seen"
          style={{ transform: `translateY(${visible.offset}px)` }}
        >
          {rows.slice(visible.from, visible.to).map((row, index) => (
            <div key={keyOf(row)} {...rowAttributes(row, visible.from + index)}>
              {renderRow(row)}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

function treeAttributes<T>({ levelOf, isOpen }: TreeBehavior<T>, row: T): object {
  const open = isOpen(row)
  return { 'aria-level': levelOf(row), ...(open === undefined ? {} : { 'aria-expanded': open }) }
}
