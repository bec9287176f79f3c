/**
 * Row of the table: the measured action, the baseline, and the bound from
 * behaviour/program#figures.
 */
export interface Row {
  readonly what: string
  /** Our figure. `ours`, `against` and `ratio` are texts with units. */
  readonly ours: string
  readonly against: string
  readonly ratio: string
  readonly bound: string
  readonly holds: boolean
}

/** Median and range of a set of figures. */
interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

export function spreadOf(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return { median: at(0.5), low: at(0), high: at(1) }
}

export function showSpread({ median, low, high }: Spread, digits: number, unit = ''): string {
  return `${median.toFixed(digits)}${unit} (${low.toFixed(digits)} to ${high.toFixed(digits)})`
}

/** Head of the Markdown table, as in the README. */
export const tableHead = [
  '| What | Ours | Against | Ratio | Bound | Holds |',
  '|---|---|---|---|---|---|',
].join('\n')

export function tableLine({ what, ours, against, ratio, bound, holds }: Row): string {
  return `| ${what} | ${ours} | ${against} | ${ratio} | ${bound} | ${holds ? 'yes' : '**no**'} |`
}
