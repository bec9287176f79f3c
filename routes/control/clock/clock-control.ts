import type { Agenda } from '../../../state/kernel/time/agenda.ts'
import { type ClockSetting, maxRate } from '../../../state/kernel/time/clock.ts'
import { defaultLimit, type FiredJob, type Jump } from '../../../state/kernel/time/timekeeper.ts'
import type { PendingTransitions } from '../../../state/kernel/time/transitions.ts'
import { formatTimestamp, lastInstant, parseTimestamp } from '../../../state/kernel/time.ts'
import type { Connection } from '../../http/blocking/connection.ts'
import { ControlPart } from '../../http/declare/control-call.ts'
import { InputError } from '../../http/declare/validate.ts'
import type { Advanced, ClockRequest, ClockView, Due, DueList } from './clock-shapes.ts'
import { readClock } from './clock-text.ts'
import { parseDuration } from './durations.ts'
import { firstInOrder, type OrderedItems } from './first-in-order.ts'

export class ClockControl extends ControlPart {
  /** Returns the current instant, in milliseconds since 1970. */
  now(): number {
    return this.world.clock.now()
  }

  view(): ClockView {
    const { clock, agenda } = this.world
    const { state } = clock
    const next = agenda.next()
    return {
      mode: state.mode,
      now: formatTimestamp(clock.now()),
      ...(state.mode === 'real' ? { offset: state.offset } : {}),
      ...(state.mode === 'scaled' ? { rate: state.rate } : {}),
      next: next === undefined ? null : renderDue({ at: next.at, kind: next.job, id: next.id }),
    }
  }

  /**
   * Returns the earliest pending work in order of time, and the number of all pending items.
   * Pending work consists of scheduled jobs, and of transitions that happen at an instant without a
   * job.
   * @param limit maximum number of jobs and transitions
   */
  due(limit = 100): DueList {
    const { inOrder, total } = firstInOrder([...this.#pending()], limit)
    const due = Array.from(inOrder, ({ at, kind, id, to }) => ({
      ...renderDue({ at, kind, id }),
      ...(to === undefined ? {} : { to }),
    }))
    return { due, total }
  }

  /** Yields lists of pending work: the jobs, and the transitions of each kind. */
  *#pending(): Generator<OrderedItems<PendingWork>> {
    const { agenda, transitions } = this.world
    yield { total: agenda.size, inOrder: jobsInOrder(agenda) }
    for (const { kind, pending } of transitions.values()) {
      const changes = pending?.(this.world)
      if (changes !== undefined) {
        yield { total: changes.total, inOrder: transitionsInOrder(kind, changes) }
      }
    }
  }

  /**
   * Changes the mode of the clock, after running the jobs that become due. Runs at most
   * `defaultLimit` jobs; if more are due, the clock stops after these jobs and its mode does not
   * change. Throws `InputError` for an invalid time.
   */
  set(request: ClockRequest): ClockView {
    return this.#clockViewAfter(this.world.setClock(clockSetting(request)))
  }

  /**
   * Changes the clock as `set` does, but yields to other requests between jobs and stops when the
   * caller disconnects.
   */
  async setInTurns(request: ClockRequest, caller: Connection): Promise<ClockView> {
    const bounds = { limit: defaultLimit, isCancelled: () => caller.closed }
    return this.#clockViewAfter(await this.world.setClockInTurns(clockSetting(request), bounds))
  }

  /**
   * Advances the clock and runs the jobs that become due on the way, in order.
   *
   * @param by milliseconds or a Go duration such as `1h30m`; fractions of a millisecond are rounded
   *   up
   * @param limit maximum number of jobs to run, after which the clock stops
   * @throws {InputError} for an invalid or negative duration, and if the clock would pass the year
   *   9999
   */
  advance(by: number | string, limit = defaultLimit): Advanced {
    return this.#advancedAfter(this.world.jump(this.#wholeMilliseconds(by), { limit }))
  }

  /**
   * Advances the clock as `advance` does, but yields to other requests between jobs and stops when
   * the caller disconnects.
   */
  async advanceInTurns(
    by: number | string,
    limit = defaultLimit,
    caller: Connection,
  ): Promise<Advanced> {
    const bounds = { limit, isCancelled: () => caller.closed }
    return this.#advancedAfter(await this.world.advanceInTurns(this.#wholeMilliseconds(by), bounds))
  }

  #clockViewAfter({ more }: Jump): ClockView {
    return { ...this.view(), ...(more ? { more } : {}) }
  }

  #advancedAfter({ fired, more }: Jump): Advanced {
    const now = formatTimestamp(this.now())
    return { now, fired: fired.map(renderDue), ...(more ? { more } : {}) }
  }

  #wholeMilliseconds(by: number | string): number {
    const milliseconds = Math.ceil(typeof by === 'number' ? by : parseDuration(by, '/by'))
    if (!(milliseconds >= 0)) throw new InputError(['/by must not be negative'])
    if (this.now() + milliseconds <= lastInstant) return milliseconds
    throw new InputError(['/by leads beyond the year 9999'])
  }
}

/** A scheduled job, or a transition to the state `to` that happens without a job. */
type PendingWork = FiredJob & { readonly to?: string }

function* jobsInOrder(agenda: Agenda): Generator<PendingWork> {
  for (const { at, job, id } of agenda.all()) yield { at, kind: job, id }
}

function* transitionsInOrder(
  kind: string,
  { inOrder }: PendingTransitions,
): Generator<PendingWork> {
  for (const { at, id, to } of inOrder) yield { at, kind, id, to }
}

/**
 * Parses a clock setting in a request: an object, or a text such as `frozen@2026-01-02T03:04:05Z`.
 * Throws `InputError` for an invalid text or instant.
 * @param path position in the request, for messages
 */
export function clockSetting(request: ClockRequest | string, path = ''): ClockSetting {
  if (typeof request === 'string') return parseSetting(request, path)
  if (request.mode === 'real') return { mode: 'real' }
  const at = request.at === undefined ? undefined : parseInstant(request.at, `${path}/at`)
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

function parseInstant(text: string, path: string): number {
  const instant = parseTimestamp(text)
  if (instant !== undefined && isWritable(instant)) return instant
  throw new InputError([
    `${path} must be an RFC 3339 time from 1970 to 9999, as 2026-01-02T03:04:05Z`,
  ])
}

function renderDue({ at, kind, id }: FiredJob): Due {
  return { at: formatTimestamp(at), kind, id }
}
