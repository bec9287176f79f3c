/** The rows of a long list that are drawn. */
export interface VisibleRows {
  /** The first row drawn. */
  readonly from: number
  /** Behind the last one. */
  readonly to: number
  /** Pixels above the first one. */
  readonly offset: number
  /** Pixels of the whole list. */
  readonly height: number
}

/** A long list as it is scrolled. */
export interface ScrollState {
  readonly count: number
  readonly rowHeight: number
  readonly scrollTop: number
  readonly viewHeight: number
}

/** So many rows are drawn beyond either edge, so that slow painting shows no gap. */
const overscan = 8

/** Returns which rows of a list are to be drawn. */
export function visibleRows({ count, rowHeight, scrollTop, viewHeight }: ScrollState): VisibleRows {
  const height = count * rowHeight
  const top = Math.max(0, Math.min(scrollTop, height - viewHeight))
  const from = Math.max(0, Math.floor(top / rowHeight) - overscan)
  const to = Math.min(count, Math.ceil((top + viewHeight) / rowHeight) + overscan)
  return { from, to, offset: from * rowHeight, height }
}

/** Where to scroll so that a row is seen whole; the same place where it already is. */
export function scrollPosition(
  row: number,
  { rowHeight, scrollTop, viewHeight }: ScrollState,
): number {
  const top = row * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + viewHeight ? top + rowHeight - viewHeight : scrollTop
}

/** The row to which a key leads; undefined for keys that lead nowhere. */
export function rowForKey(key: string, row: number, { count, rowHeight, viewHeight }: ScrollState) {
  const page = Math.max(1, Math.floor(viewHeight / rowHeight) - 1)
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    PageDown: row + page,
    PageUp: row - page,
    Home: 0,
    End: count - 1,
  }
  const step = steps[key]
  return step === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, step))
}
