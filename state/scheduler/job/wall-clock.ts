const HOUR = 3_600_000
const MINUTE = 60_000

/** `GMT+05:30`, or `GMT` alone. */
const offsetName = /^GMT([+-])(\d\d):(\d\d)/

/**
 * Describes how clocks go in a time zone. A wall time is a clock's reading, written as if it were
 * UTC's.
 */
interface WallClock {
  /**
   * The first instant after `after` at which the clock shows a time that is wanted: one that daylight
   * saving leaves out never comes, one that it repeats comes twice, as in the reference.
   *
   * @param after milliseconds since 1970, as what is answered
   * @param nextReading the first wanted reading after another; undefined when there is none
   */
  next(after: number, nextReading: (wall: number) => number | undefined): number | undefined
}

/** The clock of a zone of the IANA database. */
export function wallClock(timeZone: string): WallClock {
  if (timeZone === 'UTC') return { next: (after, nextReading) => nextReading(after) }
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const offsetAt = (instant: number): number => {
    const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')
    const [, sign, hours, minutes] = offsetName.exec(name?.value ?? '') ?? []
    const offset = Number(hours ?? 0) * HOUR + Number(minutes ?? 0) * MINUTE
    return sign === '-' ? -offset : offset
  }
  const wallTimeAt = (instant: number): number => instant + offsetAt(instant)

  /** When the clock is changed, if that is within some hours: until then it shows what it would. */
  const offsetChangeAfter = (instant: number): number | undefined => {
    let [earlier, later] = [instant, instant + 3 * HOUR]
    const offset = offsetAt(earlier)
    if (offsetAt(later) === offset) return undefined
    while (later - earlier > 1) {
      const middle = Math.floor((earlier + later) / 2)
      if (offsetAt(middle) === offset) earlier = middle
      else later = middle
    }
    return later
  }

  const instantsAt = (wall: number): number[] =>
    Array.from(new Set([offsetAt(wall - 24 * HOUR), offsetAt(wall + 24 * HOUR)]))
      .map((offset) => wall - offset)
      .filter((instant) => wallTimeAt(instant) === wall)

  return {
    next(after, nextReading) {
      const change = offsetChangeAfter(after)
      const start = change ?? after
      if (change !== undefined) {
        const offset = offsetAt(after)
        const wall = nextReading(after + offset)
        if (wall !== undefined && wall - offset < change) return wall - offset
      }
      // From the change on its own instant counts, too.
      let wall = nextReading(wallTimeAt(start) - (change === undefined ? 0 : 1))
      for (; wall !== undefined; wall = nextReading(wall)) {
        const instants = instantsAt(wall).filter((instant) => instant > after && instant >= start)
        if (instants.length > 0) return Math.min(...instants)
      }
      return undefined
    },
  }
}
