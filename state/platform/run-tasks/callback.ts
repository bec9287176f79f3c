import { isObject } from '../../kernel/objects.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { isBlank } from '../names.ts'
import { optionsOf } from '../options.ts'
import { milliseconds } from '../timing.ts'
import { Violations } from '../violations.ts'
import { moveTaskResult } from './stage-moves.ts'
import {
  finalResultStatuses,
  resultWithToken,
  type TaskOutcome,
  type TaskResult,
} from './stages.ts'

/** Body of the request by which a run task reports its result. */
interface CallbackInput {
  readonly status?: string | null | undefined
  readonly message?: string | null | undefined
  readonly url?: string | null | undefined
  /** Attributes of each outcome, with hyphenated names. */
  readonly outcomes: readonly unknown[]
}

/** Statuses that a callback may contain. */
const reportableStatuses = ['passed', 'failed', 'running'] as const

/**
 * Throws 401 unless the token is valid, as defined by `resultOfToken`, and belongs to the given
 * result.
 */
export function checkCallbackToken(world: World, result: TaskResult, token: string): void {
  if (resultOfToken(world, token)?.id !== result.id) throw refuse('unauthorized')
}

/**
 * Returns the task result to which a callback token belongs. Returns undefined if the token is
 * unknown or has expired. A token expires when the time in the option `taskTimeout` has passed
 * since the result became running or, if the result was never running, since its last change.
 */
export function resultOfToken(world: World, token: string): TaskResult | undefined {
  const result = resultWithToken(world, token)
  if (result === undefined) return undefined
  const start = result.reached.running_at ?? result.updated_at
  const isExpired = world.clock.now() >= start + milliseconds(optionsOf(world).taskTimeout)
  return isExpired ? undefined : result
}

/**
 * Applies a callback to a task result through `moveTaskResult`, which may end the stage and
 * continue the run. Throws 422 for invalid attributes, and `task-result-final` if the result is
 * final (behaviour/platform#task-stages).
 */
export function reportResult(world: World, result: TaskResult, input: CallbackInput): void {
  const violations = new Violations()
  const status = reportableStatuses.find((each) => each === input.status)
  if (status === undefined) violations.add('status', 'not-listed')
  const outcomes = input.outcomes.map((sent) => parseTaskOutcome(world, sent, violations))
  if (violations.hasAny || status === undefined) throw violations.refusal()
  if (finalResultStatuses.includes(result.status)) {
    throw refuse('task-result-final', { status: result.status })
  }
  const { message, url } = input
  const report = outcomes.length === 0 ? { message, url } : { message, url, outcomes }
  moveTaskResult(world, { ...result, awaits_callback: true }, status, report)
}

function parseTaskOutcome(world: World, sent: unknown, violations: Violations): TaskOutcome {
  const attributes = isObject(sent) ? sent : {}
  const textOf = (name: string): string | null => {
    const value = attributes[name] ?? null
    if (value !== null && typeof value !== 'string') violations.add(name, 'no-text')
    return typeof value === 'string' ? value : null
  }
  const outcome_id = textOf('outcome-id') ?? ''
  const description = textOf('description') ?? ''
  if (isBlank(outcome_id)) violations.add('outcome-id', 'blank')
  if (isBlank(description)) violations.add('description', 'blank')
  const { tags = {} } = attributes
  if (!isObject(tags)) violations.add('tags', 'invalid')
  return {
    id: newId(world, 'taskrso'),
    outcome_id,
    description,
    body: textOf('body'),
    url: textOf('url'),
    // The cast is safe, because the tags were parsed from JSON.
    tags: isObject(tags) ? (tags as TaskOutcome['tags']) : {},
  }
}
