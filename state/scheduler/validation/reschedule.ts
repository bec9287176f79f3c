import { formatGoDuration, SECOND } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { ReschedulePolicy } from '../job/scheduling-shapes.ts'
import { failing } from './errors.ts'

const shortestDelay = 5 * SECOND
const shortestInterval = 15 * SECOND
const delayFunctions = ['constant', 'exponential', 'fibonacci']

/** What is wrong with a group's rescheduling (3b-scheduler-decisions.md section 5, reschedule). */
export function rescheduleErrors(policy: ReschedulePolicy): readonly string[] {
  const { Attempts, Unlimited, Interval } = policy
  if (Attempts <= 0 && !Unlimited) return []
  const delays = delayErrors(policy)
  return [
    ...(Attempts > 0 ? attemptsErrors(policy) : []),
    ...delays,
    ...failing([
      !Unlimited && Interval < shortestInterval,
      `Interval cannot be less than 15s (got ${formatGoDuration(Interval)})`,
    ]),
    // Attempts are counted only over delays that make sense.
    ...(Unlimited || delays.length > 0 ? [] : countErrors(policy)),
  ]
}

function attemptsErrors({ Attempts, Interval, Unlimited }: ReschedulePolicy): readonly string[] {
  return failing(
    [Interval <= 0, 'Interval must be a non zero value if Attempts > 0'],
    [
      Unlimited,
      `Reschedule Policy with Attempts = ${Attempts}, Interval = ${formatGoDuration(Interval)}, ` +
        'and Unlimited = true is ambiguous',
    ],
    [Unlimited, 'If Attempts >0, Unlimited cannot also be set to true'],
  )
}

function delayErrors({ Delay, DelayFunction, MaxDelay }: ReschedulePolicy): readonly string[] {
  const delay = formatGoDuration(Delay)
  const grows = DelayFunction !== 'constant'
  return failing(
    [Delay < shortestDelay, `Delay cannot be less than 5s (got ${delay})`],
    [
      !delayFunctions.includes(DelayFunction),
      `Invalid delay function ${quoteGo(DelayFunction)}, must be one of ` +
        `[${delayFunctions.map(quoteGo).join(' ')}]`,
    ],
    // The reference prints Delay here, not MaxDelay.
    [grows && MaxDelay < shortestDelay, `Max Delay cannot be less than 5s (got ${delay})`],
    [
      grows && MaxDelay < Delay,
      `Max Delay cannot be less than Delay ${delay} (got ${formatGoDuration(MaxDelay)})`,
    ],
  )
}

/** How many attempts the interval has room for, and how long it has to be. */
interface Room {
  readonly fits: boolean
  readonly attempts: number
  /** Nanoseconds. */
  readonly needed: number
}

function countErrors(policy: ReschedulePolicy): readonly string[] {
  const { Attempts, Delay, DelayFunction, Interval, MaxDelay } = policy
  const { fits, attempts, needed } = (rooms[DelayFunction] ?? constantRoom)(policy)
  if (fits) return []
  const ceiling =
    DelayFunction === 'constant'
      ? ` and delay function ${quoteGo(DelayFunction)}`
      : `, delay function ${quoteGo(DelayFunction)}, and delay ceiling ${formatGoDuration(MaxDelay)}`
  const least = formatGoDuration(Math.round(needed / SECOND) * SECOND)
  return [
    `Sched can only make ${attempts} attempts in ${formatGoDuration(Interval)} with initial delay ` +
      formatGoDuration(Delay) +
      ceiling,
    `Set the interval to at least ${least} to accommodate ${Attempts} attempts`,
  ]
}

const rooms: Readonly<Record<string, (policy: ReschedulePolicy) => Room>> = {
  constant: constantRoom,
  exponential: exponentialRoom,
  fibonacci: fibonacciRoom,
}

/** Beyond this many attempts any interval is too short. */
const mostAttempts = 100_000

function constantRoom({ Attempts, Delay, Interval }: ReschedulePolicy): Room {
  const needed = Attempts * Delay
  const fits = Interval >= needed
  return { fits, attempts: fits ? Attempts : Math.max(0, Math.trunc(Interval / Delay)), needed }
}

function exponentialRoom({ Attempts, Delay, Interval, MaxDelay }: ReschedulePolicy): Room {
  let needed = 0
  let attempts = 0
  for (let at = 0; at < Math.min(Attempts, mostAttempts); at++) {
    const delay = 2 ** at * Delay
    needed = delay > MaxDelay ? needed + MaxDelay : delay
    if (needed < Interval) attempts += 1
  }
  return { fits: attempts >= Attempts, attempts, needed }
}

function fibonacciRoom({ Attempts, Delay, Interval, MaxDelay }: ReschedulePolicy): Room {
  const delays = [Delay, Delay]
  let isCapped = false
  for (let at = 2; at < Math.min(Attempts, mostAttempts); at++) {
    const last = delays[at - 1] ?? 0
    const sum = last + (delays[at - 2] ?? 0)
    delays.push(isCapped ? last + MaxDelay : Math.min(sum, MaxDelay))
    isCapped ||= sum > MaxDelay
  }
  const needed = delays.at(-1) ?? 0
  const fits = Interval >= needed
  const attempts = fits
    ? Attempts
    : Math.max(
        0,
        delays.findIndex((delay) => delay > Interval),
      )
  return { fits, attempts, needed }
}
