import { type ClockSetting, maxRate } from '../../../state/kernel/time/clock.ts'
import { defaultLimit, type Fired, type Jump } from '../../../state/kernel/time/timekeeper.ts'
import { formatTimestamp, lastInstant, parseTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Connection } from '../../http/blocking/connection.ts'
import { InputError } from '../../http/declare/validate.ts'
import type { ControlPart } from '../control-part.ts'
import type { ClockRequest } from '../shapes.ts'
import { readClock } from './clock-text.ts'
import { parseDuration } from './durations.ts'

/** Something due, or done because it was due; `at` as RFC 3339. */
export interface Due {
  readonly at: string
  /** The job that does it: `service.job`. */
  readonly kind: string
  readonly id: string
}

/** A world's clock as the control plane shows it. */
export interface ClockView {
  readonly mode: ClockSetting['mode']
  /** RFC 3339. */
  readonly now: string
  /** Real clocks: milliseconds ahead of the wall clock. */
  readonly offset?: number
  /** Scaled clocks: world seconds per second. */
  readonly rate?: number
  /** The appointment that falls due first. */
  readonly next: Due | null
  /** True when the clock stopped before the goal, at the limit or because it was made to. */
  readonly more?: true
}

/** What falls due, in order, with how much there is in all. */
export interface DueList {
  readonly due: readonly Due[]
  readonly total: number
}

/** What came of moving a clock on; `now` as RFC 3339. */
export interface Advanced {
  readonly now: string
  readonly fired: readonly Due[]
  /** True when the clock stopped before the goal, at the limit or because it was made to. */
  readonly more?: true
}

/** A world's time, as tests drive it. */
export class ClockControl {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** The instant now, in milliseconds since 1970. */
  now(): number {
    return this.#world.clock.now()
  }

  view(): ClockView {
    const { clock, agenda } = this.#world
    const { state } = clock
    const next = agenda.next()
    return {
      mode: state.mode,
      now: formatTimestamp(clock.now()),
      ...(state.mode === 'real' ? { offset: state.offset } : {}),
      ...(state.mode === 'scaled' ? { rate: state.rate } : {}),
      next: next === undefined ? null : due({ at: next.at, kind: next.job, id: next.id }),
    }
  }

  /**
   * What falls due, in order.
   *
   * @param limit so much of it at most
   */
  due(limit = 100): DueList {
    const first: Due[] = []
    let total = 0
    for (const { at, job, id } of this.#world.agenda.all()) {
      if (total < limit) first.push(due({ at, kind: job, id }))
      total += 1
    }
    return { due: first, total }
  }

  /** Changes how time runs; what has become due happens at once. Refuses times that are none. */
  set(request: ClockRequest): ClockView {
    return this.#set(this.#world.setClock(clockSetting(request)))
  }

  /** The same with turns for others between, until the caller has gone. */
  async setInTurns(request: ClockRequest, caller: Connection): Promise<ClockView> {
    const bounds = { limit: defaultLimit, gone: () => caller.closed }
    return this.#set(await this.#world.setClockInTurns(clockSetting(request), bounds))
  }

  /**
   * Moves time on and does what falls due on the way, in order.
   *
   * @param by milliseconds or a Go duration such as `1h30m`; parts of a millisecond count as one
   * @param limit so many things happen at most; then the clock stops there
   */
  advance(by: number | string, limit = defaultLimit): Advanced {
    return this.#advanced(this.#world.jump(this.#wholeMilliseconds(by), { limit }))
  }

  /** The same with turns for others between, until the caller has gone. */
  async advanceInTurns(
    by: number | string,
    limit = defaultLimit,
    caller: Connection,
  ): Promise<Advanced> {
    const bounds = { limit, gone: () => caller.closed }
    return this.#advanced(await this.#world.advanceInTurns(this.#wholeMilliseconds(by), bounds))
  }

  #set({ more }: Jump): ClockView {
    return { ...this.view(), ...(more ? { more } : {}) }
  }

  #advanced({ fired, more }: Jump): Advanced {
    const now = formatTimestamp(this.now())
    return { now, fired: fired.map(due), ...(more ? { more } : {}) }
  }

  #wholeMilliseconds(by: number | string): number {
    const milliseconds = Math.ceil(typeof by === 'number' ? by : parseDuration(by, '/by'))
    if (!(milliseconds >= 0)) throw new InputError(['/by must not be negative'])
    if (this.now() + milliseconds <= lastInstant) return milliseconds
    throw new InputError(['/by leads beyond the year 9999'])
  }
}

/**
 * A clock setting from its document form.
 *
 * @param path where it stands in the request, for messages
 */
export function clockSetting(request: ClockRequest | string, path = ''): ClockSetting {
  if (typeof request === 'string') return parseSetting(request, path)
  if (request.mode === 'real') return { mode: 'real' }
  const at = request.at === undefined ? undefined : readInstant(request.at, `${path}/at`)
  return request.mode === 'frozen'
    ? { mode: 'frozen', at }
    : { mode: 'scaled', rate: request.rate, at }
}

function parseSetting(text: string, path: string): ClockSetting {
  const setting = readClock(text)
  const at = setting?.mode === 'frozen' ? setting.at : undefined
  if (setting !== undefined && (at === undefined || isWritable(at))) return setting
  throw new InputError([
    `${path} must be real, frozen, frozen@TIME (RFC 3339, from 1970 to 9999) or scaled@RATE (a number above 0, at most ${maxRate})`,
  ])
}

function isWritable(instant: number): boolean {
  return instant >= 0 && instant <= lastInstant
}

function readInstant(text: string, path: string): number {
  const instant = parseTimestamp(text)
  if (instant !== undefined && isWritable(instant)) return instant
  throw new InputError([
    `${path} must be an RFC 3339 time from 1970 to 9999, as 2026-01-02T03:04:05Z`,
  ])
}

function due({ at, kind, id }: Fired): Due {
  return { at: formatTimestamp(at), kind, id }
}

/** The same as a part of a world's control. */
export const clockPart: ControlPart<ClockControl> = {
  make: (world) => new ClockControl(world),
}
