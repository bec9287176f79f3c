import { formatGoDuration, SECOND } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import { type Integer, multiplyIntegers } from '../../kernel/integers.ts'
import type { Message } from '../../kernel/message.ts'
import type { Migrate, ReschedulePolicy, Update } from '../job/scheduling-shapes.ts'
import { failedChecks } from './errors.ts'
import { message } from './scheduling-messages.ts'

/** Returns the errors of an update block (behaviour/scheduler#validation). */
export function updateErrors(update: Update): readonly Message[] {
  const { HealthCheck, MaxParallel, Canary, Stagger } = update
  const healthy = formatGoDuration(update.HealthyDeadline)
  const least = formatGoDuration(update.MinHealthyTime)
  const progress = formatGoDuration(update.ProgressDeadline)
  return failedChecks(
    !['checks', 'task_states', 'manual'].includes(HealthCheck) &&
      message('health-check-unknown', { check: quoteGo(HealthCheck) }),
    MaxParallel < 0 && message('max-parallel-negative', { value: MaxParallel }),
    Canary < 0 && message('canary-negative', { value: Canary }),
    Canary === 0 && update.AutoPromote && message('auto-promote-without-canary'),
    update.MinHealthyTime < 0 && message('healthy-time-negative', { least }),
    update.HealthyDeadline <= 0 && message('healthy-deadline-missing', { healthy }),
    update.ProgressDeadline < 0 && message('progress-deadline-negative', { progress }),
    update.MinHealthyTime >= update.HealthyDeadline &&
      message('healthy-time-beyond-deadline', { least, healthy }),
    update.ProgressDeadline !== 0 &&
      update.HealthyDeadline >= update.ProgressDeadline &&
      message('healthy-deadline-beyond-progress', { healthy, progress }),
    Stagger <= 0 && message('stagger-missing', { stagger: formatGoDuration(Stagger) }),
  )
}

export function migrateErrors(migrate: Migrate): readonly Message[] {
  const { MaxParallel, HealthCheck, MinHealthyTime, HealthyDeadline } = migrate
  const isKnown = ['checks', 'task_states', ''].includes(HealthCheck)
  return failedChecks(
    MaxParallel < 0 && message('migrate-parallel-negative', { value: MaxParallel }),
    HealthCheck === '' && MaxParallel > 0 && message('migrate-health-check-missing'),
    !isKnown && message('migrate-health-check-unknown', { check: quoteGo(HealthCheck) }),
    MinHealthyTime < 0 &&
      message('migrate-healthy-time-negative', { value: formatGoDuration(MinHealthyTime) }),
    HealthyDeadline < 0 &&
      message('migrate-deadline-negative', { value: formatGoDuration(HealthyDeadline) }),
    MinHealthyTime > HealthyDeadline && message('migrate-healthy-time-beyond-deadline'),
  )
}

const minDelay = 5 * SECOND
const minInterval = 15 * SECOND
const delayFunctions = ['constant', 'exponential', 'fibonacci']

/** Returns the errors of a reschedule policy (behaviour/scheduler#validation). */
export function rescheduleErrors(policy: ReschedulePolicy): readonly Message[] {
  const { Attempts, Unlimited, Interval } = policy
  if (Attempts <= 0 && !Unlimited) return []
  const delayProblems = delayErrors(policy)
  return [
    ...(Attempts > 0 ? attemptsErrors(policy) : []),
    ...delayProblems,
    ...failedChecks(
      !Unlimited &&
        Interval < minInterval &&
        message('reschedule-interval-short', { interval: formatGoDuration(Interval) }),
    ),
    // The number of attempts is checked only if the delays are valid, because the check adds up the
    // delays.
    ...(Unlimited || delayProblems.length > 0 ? [] : countErrors(policy)),
  ]
}

function attemptsErrors({ Attempts: attempts, Interval, Unlimited }: ReschedulePolicy) {
  const interval = formatGoDuration(Interval)
  return failedChecks(
    Interval <= 0 && message('reschedule-interval-missing'),
    Unlimited && message('reschedule-ambiguous', { attempts, interval }),
    Unlimited && message('reschedule-unlimited'),
  )
}

function delayErrors({ Delay, DelayFunction, MaxDelay }: ReschedulePolicy): readonly Message[] {
  const delay = formatGoDuration(Delay)
  const grows = DelayFunction !== 'constant'
  return failedChecks(
    Delay < minDelay && message('reschedule-delay-short', { delay }),
    !delayFunctions.includes(DelayFunction) &&
      message('reschedule-function-unknown', {
        function: quoteGo(DelayFunction),
        known: delayFunctions.map(quoteGo).join(' '),
      }),
    // The reference prints Delay, not MaxDelay, in this message.
    grows && MaxDelay < minDelay && message('reschedule-ceiling-short', { delay }),
    grows &&
      MaxDelay < Delay &&
      message('reschedule-ceiling-below-delay', { delay, ceiling: formatGoDuration(MaxDelay) }),
  )
}

/** Result of checking whether all attempts of a policy fit into its interval. */
interface AttemptFit {
  readonly fits: boolean
  readonly attempts: Integer
  /** Interval that all attempts need, in nanoseconds. */
  readonly neededInterval: Integer
}

function countErrors(policy: ReschedulePolicy): readonly Message[] {
  const { Attempts, Delay, DelayFunction, Interval, MaxDelay } = policy
  const { fits, attempts, neededInterval } = (attemptFits[DelayFunction] ?? constantFit)(policy)
  if (fits) return []
  const params = {
    attempts,
    interval: formatGoDuration(Interval),
    delay: formatGoDuration(Delay),
    function: quoteGo(DelayFunction),
  }
  const least = formatGoDuration(Math.round(Number(neededInterval) / SECOND) * SECOND)
  return [
    DelayFunction === 'constant'
      ? message('reschedule-attempts-constant', params)
      : message('reschedule-attempts-growing', { ...params, ceiling: formatGoDuration(MaxDelay) }),
    message('reschedule-interval-needed', { least, attempts: Attempts }),
  ]
}

const attemptFits: Readonly<Record<string, (policy: ReschedulePolicy) => AttemptFit>> = {
  constant: constantFit,
  exponential: exponentialFit,
  fibonacci: fibonacciFit,
}

/**
 * Maximum number of attempts whose growing delays are added up. The limit keeps the computation
 * short.
 */
const maxAttempts = 100_000

function constantFit({ Attempts, Delay, Interval }: ReschedulePolicy): AttemptFit {
  const neededInterval = multiplyIntegers(Attempts, Delay)
  const fits = Interval >= neededInterval
  return {
    fits,
    attempts: fits ? Attempts : Math.max(0, Math.trunc(Number(Interval) / Number(Delay))),
    neededInterval,
  }
}

function exponentialFit(policy: ReschedulePolicy): AttemptFit {
  const { Attempts, Interval } = policy
  const [firstDelay, maxDelay] = [Number(policy.Delay), Number(policy.MaxDelay)]
  let neededInterval = 0
  let attempts = 0
  for (let at = 0; at < Math.min(Number(Attempts), maxAttempts); at++) {
    const delay = 2 ** at * firstDelay
    neededInterval = delay > maxDelay ? neededInterval + maxDelay : delay
    if (neededInterval < Interval) attempts += 1
  }
  return { fits: attempts >= Attempts, attempts, neededInterval }
}

function fibonacciFit(policy: ReschedulePolicy): AttemptFit {
  const { Attempts, Interval } = policy
  const [firstDelay, maxDelay] = [Number(policy.Delay), Number(policy.MaxDelay)]
  const delays = [firstDelay, firstDelay]
  let isCapped = false
  for (let at = 2; at < Math.min(Number(Attempts), maxAttempts); at++) {
    const last = delays[at - 1] ?? 0
    const sum = last + (delays[at - 2] ?? 0)
    delays.push(isCapped ? last + maxDelay : Math.min(sum, maxDelay))
    isCapped ||= sum > maxDelay
  }
  const neededInterval = delays.at(-1) ?? 0
  const fits = Interval >= neededInterval
  const attempts = fits
    ? Attempts
    : Math.max(
        0,
        delays.findIndex((delay) => delay > Interval),
      )
  return { fits, attempts, neededInterval }
}
