/** Rows of a long list that are drawn. */
interface VisibleRows {
  /** Index of the first drawn row. */
  readonly from: number
  /** Index after the last drawn row. */
  readonly to: number
  /** Pixels above the first drawn row. */
  readonly offset: number
  /** Pixels of the whole list. */
  readonly height: number
}

interface ScrollState {
  readonly count: number
  readonly rowHeight: number
  readonly scrollTop: number
  readonly viewHeight: number
}

/** Number of rows drawn beyond either edge, so that slow painting shows no gap. */
const overscan = 8

export function visibleRows({ count, rowHeight, scrollTop, viewHeight }: ScrollState): VisibleRows {
  const height = count * rowHeight
  const top = Math.max(0, Math.min(scrollTop, height - viewHeight))
  const from = Math.max(0, Math.floor(top / rowHeight) - overscan)
  const to = Math.min(count, Math.ceil((top + viewHeight) / rowHeight) + overscan)
  return { from, to, offset: from * rowHeight, height }
}

/**
 * Returns the scroll position at which the whole row is visible: the present position if the row is
 * already visible.
 */
export function scrollPosition(
  row: number,
  { rowHeight, scrollTop, viewHeight }: ScrollState,
): number {
  const top = row * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + viewHeight ? top + rowHeight - viewHeight : scrollTop
}

/** Returns the row to which a key moves; undefined for other keys and for an empty list. */
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
